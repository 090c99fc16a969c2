import Glibc
import HostSystem
import TestSupport
import Testing

@testable import HostTransport

@Suite("Watching several listeners")
struct EpollListenersTests {
    private func listener(_ descriptor: consuming FileDescriptor) -> LoopListener {
        LoopListener(socket: SharedFile(descriptor), handler: 0, isShared: false)
    }

    @Test("when one of them cannot be watched none is, so that the next attempt does not meet the first ones again")
    func allOrNone() throws {
        let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: 0))
        let sockets = try (0..<2).map { _ in try listener(.listening(at: address, sharesPort: false)) }
        // epoll_ctl(2): EPERM for a file that cannot be waited for, such as a folder.
        let folder = listener(try .openFolder("/"))
        let epoll = try Epoll()
        #expect(throws: Errno(rawValue: EPERM)) { try epoll.add(sockets + [folder]) }
        try epoll.add(sockets)
        #expect(throws: Errno(rawValue: EEXIST)) { try epoll.add([sockets[1]]) }
        #expect(throws: Errno(rawValue: EEXIST)) { try epoll.add([sockets[0]]) }
    }
}
