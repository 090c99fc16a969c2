import Glibc
import HTTPWire
import HostSystem
import TestSupport
import Testing

@testable import HostTransport

@Suite("ConnectionTable: a token finds its own connection or none")
struct ConnectionTableTests {
    private func insert(into table: inout ConnectionTable) -> Connection {
        let descriptor = FileDescriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
        return table.insert(descriptor, peer: PeerAddress(), handler: 0, limits: RequestLimits())
    }

    @Test("a slot is used again, and tokens of those who had it before find nothing")
    func staleTokens() {
        var table = ConnectionTable()
        var old: [UInt64] = []
        for _ in 0..<100 {
            let connection = insert(into: &table)
            #expect(connection.token & 0xffff_ffff == 0)
            #expect(table[connection.token] === connection)
            for token in old { #expect(table[token] == nil) }
            old.append(connection.token)
            table.remove(connection)
            #expect(table.isEmpty)
        }
        #expect(Set(old).count == 100)
    }

    @Test("removing a connection that has gone does not remove the one in its place")
    func removedTwice() {
        var table = ConnectionTable()
        let first = insert(into: &table)
        table.remove(first)
        let second = insert(into: &table)
        table.remove(first)
        #expect(table[second.token] === second)
        #expect(table.count == 1)
    }

    @Test("tokens are apart from each other and from those of listeners and the mailbox")
    func tokens() {
        var table = ConnectionTable()
        // A descriptor each, of which the process of all tests may have 1024.
        let connections = (0..<100).map { _ in insert(into: &table) }
        #expect(Set(connections.map(\.token)).count == 100)
        #expect(connections.allSatisfy { $0.token >> 63 == 0 })
        for connection in connections where connection.token % 3 == 0 { table.remove(connection) }
        var left: [UInt64] = []
        table.forEach { left.append($0.token) }
        #expect(left == connections.map(\.token).filter { $0 % 3 != 0 })
        #expect(table.count == left.count)
    }

    @Test("tokens of no connection", arguments: [0, 1, 1 << 32, 0xffff_ffff, 1 << 63, .max] as [UInt64])
    func noConnection(token: UInt64) {
        var table = ConnectionTable()
        #expect(table[token] == nil)
        let connection = insert(into: &table)
        #expect((table[token] === connection) == (token == connection.token))
    }

    @Test("a descriptor is closed when its connection has been removed and nobody holds it any more")
    func descriptors() {
        var table = ConnectionTable()
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        var ends: [CInt] = [0, 0]
        #expect(socketpair(AF_UNIX, type, 0, &ends) == 0)
        let reader = FileDescriptor(owning: ends[0])
        var octet: UInt8 = 0
        do {
            let connection = table.insert(
                FileDescriptor(owning: ends[1]),
                peer: PeerAddress(),
                handler: 0,
                limits: RequestLimits()
            )
            table.remove(connection)
            #expect(read(reader.raw, &octet, 1) == -1)
        }
        // Nobody has the other end: the end of the file instead of EAGAIN. Eventually, for a process that another test
        // starts has a copy of it until its program begins.
        #expect(eventually { read(reader.raw, &octet, 1) == 0 })
    }
}
