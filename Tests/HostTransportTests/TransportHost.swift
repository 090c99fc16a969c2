import Glibc
import HostSystem
import HostTransport
import TestSupport

/// A server of the transport alone, on port 0, with `ScriptedHandler`s; it stops when the test lets go of it.
final class TransportHost: Sendable {
    let stage: Stage
    let server: Server

    /// - Parameters:
    ///   - listeners: an address each, served by handlers named `first`, `second`, ...
    ///   - tls: what they speak TLS with; nil: they are plain.
    ///   - configure: changes the limits, which no test comes to otherwise.
    init(
        _ stage: Stage? = nil,
        listeners: [ListenAddress] = [.internet(host: "127.0.0.1", port: 0)],
        tls: TLSSource? = nil,
        loops: Int = 1,
        workers: Int = 1,
        configure: (inout TransportLimits) -> Void = { _ in }
    ) throws {
        ControlSignal.ignoreBrokenPipes()
        _ = ProcessLimits.raiseOpenFiles()
        let stage = try stage ?? Stage()
        self.stage = stage
        var limits = TransportLimits()
        limits.makeGenerous()
        configure(&limits)
        server = try Server(
            listeners: listeners.enumerated().map { ListenerRequest($1, handler: $0, tls: tls) },
            limits: limits,
            loops: loops,
            workers: workers,
            makeHandlers: { _ in
                stage.noteLoopThread()
                return listeners.indices.map { ScriptedHandler(name: Self.names[$0], stage: stage) }
            },
            onNotice: { notice in stage.state.update { $0.notices.append(notice.description) } }
        )
    }

    private static let names = ["first", "second", "third"]

    deinit {
        stage.openAll()
        server.stop()
    }

    func connect(to listener: Int = 0, patience: Int = 60, receiveBuffer: Int? = nil) throws -> RawConnection {
        try RawConnection(to: server.addresses[listener], patience: patience, receiveBuffer: receiveBuffer)
    }

    /// A new connection that has been answered once.
    func connectAnsweredOnce() throws -> RawConnection { try RawConnection.answeredOnce(by: server.addresses[0]) }

    /// Whether so many connections are open, eventually.
    func comesTo(connections count: Int) -> Bool { eventually(within: 60) { server.openConnections == count } }

    /// The server's own descriptors of connections: sockets of this process that are bound to its first port, but do not
    /// listen. Other tests' descriptors, which come and go meanwhile, are not among them.
    var connectionDescriptors: [CInt] {
        guard let port = server.addresses[0].port else { return [] }
        return Descriptors.all().filter { Descriptors.port(of: $0) == port && !Descriptors.isListening($0) }
    }

    /// Descriptors of the content's file, which the handler opens anew for each answer.
    var fileDescriptors: [CInt] { Descriptors.all().filter { Descriptors.isOpen($0, stage.path) } }

    /// Whether so many connections are open, eventually, and no descriptor is that does not belong to one of them.
    func leavesNothing(but connections: Int = 0) -> Bool {
        eventually(within: 60) {
            server.openConnections == connections && connectionDescriptors.count == connections && fileDescriptors == []
        }
    }

    /// Octets that the server has written and its kernel keeps back although the peer has room for them.
    var heldBack: Int { connectionDescriptors.reduce(0) { $0 + Descriptors.unsent($1) } }

    /// Stops the server from a thread of its own.
    func stopInBackground() throws -> Stopping { try Stopping(server) }
}

/// A stop under way.
final class Stopping: Sendable {
    private let ended = Monitor(false)

    init(_ server: Server) throws {
        // Not joined: a stop that hangs is a test that fails, not one that hangs as well.
        let thread = try OSThread(name: "stop") { [ended] in
            server.stop()
            ended.update { $0 = true }
        }
        thread.detach()
    }

    var hasEnded: Bool { ended.update { $0 } }
    var endsEventually: Bool { eventually(within: 60) { hasEnded } }
}

extension Stage {
    /// Called on a loop's thread.
    func noteLoopThread() {
        var clock = clockid_t()
        guard pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return }
        state.update { $0.cpuClocks.append(clock) }
    }
}

/// What the kernel says about this process's descriptors. One that is closed meanwhile counts as none.
enum Descriptors {
    static func all() -> [CInt] {
        var names: [CInt] = []
        let folder = try? FileDescriptor.openFolder("/proc/self/fd")
        try? folder?.forEachName { if let number = CInt($0) { names.append(number) } }
        return names
    }

    static func port(of descriptor: CInt) -> UInt16? {
        var name = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return result == 0 && CInt(name.sin_family) == AF_INET ? UInt16(bigEndian: name.sin_port) : nil
    }

    static func isListening(_ descriptor: CInt) -> Bool {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) == 0 && value != 0
    }

    static func isOpen(_ descriptor: CInt, _ path: String) -> Bool {
        var one = stat()
        var other = stat()
        return fstat(descriptor, &one) == 0 && stat(path, &other) == 0
            && one.st_ino == other.st_ino && one.st_dev == other.st_dev
    }

    /// FIONREAD: octets that have arrived and that nobody has read.
    static func unread(_ descriptor: CInt) -> Int {
        var count: CInt = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// SIOCOUTQNSD: octets in the send queue that have not been sent even once.
    static func unsent(_ descriptor: CInt) -> Int {
        var count: CInt = 0
        return ioctl(descriptor, 0x894B, &count) == 0 ? Int(count) : 0
    }
}

extension RawConnection {
    /// A GET on this connection, and its answer.
    @discardableResult
    func get(_ target: String) throws -> Response { try request("GET", target) }

    /// Whether the peer has sent no more and ends in order. A reset, which on other systems than this one destroys what
    /// was received before it, is thrown.
    func endsInOrder() throws -> Bool { try read(atLeast: 1).isEmpty }
}
