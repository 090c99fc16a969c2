internal import Glibc
internal import HostSystem
package import HostService
package import HostTransport
internal import Synchronization

/// A real server on port 0 of this machine, serving a store of the test's own; it stops when the test lets go of it.
package final class RunningHost: Sendable {
    package let store: ReleaseStore
    package let server: HostServer
    private let sink = EventSink()

    /// - Parameters:
    ///   - store: what it serves; a new empty one unless given.
    ///   - configure: changes limits and listeners before the start.
    package init(
        _ store: ReleaseStore? = nil,
        loops: Int = 1,
        configure: (inout ServeConfiguration) -> Void = { _ in }
    ) throws {
        let store = try store ?? ReleaseStore()
        self.store = store
        // What `serve` does: a peer that is gone must not end the tests' process, nor shall a shell's limit be felt.
        ControlSignal.ignoreBrokenPipes()
        _ = ProcessLimits.raiseOpenFiles()
        let loopback = ListenAddress.internet(host: "127.0.0.1", port: 0)
        var configuration = ServeConfiguration(root: store.root, listeners: [loopback], admin: loopback, loops: loops)
        configuration.limits.makeGenerous()
        configuration.limits.drainTime = 2_000
        configure(&configuration)
        server = try HostServer(configuration, onEvent: { [sink] in sink.add($0) })
    }

    deinit { server.stop() }

    /// The first public listener.
    package var address: ListenAddress { server.publicAddresses[0] }

    /// What the server told its operator so far.
    package var toldOperator: [String] { sink.all }

    /// A new connection to the first public listener.
    package func connect(patience: Int = 60, receiveBuffer: Int? = nil) throws -> RawConnection {
        try RawConnection(to: address, patience: patience, receiveBuffer: receiveBuffer)
    }

    /// A new connection to the admin listener.
    package func connectToAdmin() throws -> RawConnection {
        guard let admin = server.adminAddress else {
            throw RawConnection.Failure(description: "this host has no admin listener")
        }
        return try RawConnection(to: admin)
    }

    /// One request on a connection of its own.
    package func request(
        _ method: String = "GET",
        _ target: String,
        _ fields: [(String, String)] = []
    ) throws -> RawConnection.Response {
        try connect().request(method, target, fields)
    }
}

private final class EventSink: Sendable {
    private let events = Mutex<[String]>([])

    var all: [String] { events.withLock { $0 } }

    func add(_ event: String) { events.withLock { $0.append(event) } }
}

extension TransportLimits {
    /// No peer of a test is silent for so long, however busy the machine is.
    package mutating func makeGenerous() {
        headTime = 600_000
        idleTime = 600_000
        stallTime = 600_000
        jobTime = 600_000
        lingerTime = 600_000
        drainTime = 600_000
    }
}

/// Asks again until `condition` holds; false when it does not within `seconds`.
package func eventually(within seconds: Int = 60, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = CoarseClock.monotonicMilliseconds() + Int64(seconds) * 1000
    while true {
        if try condition() { return true }
        if CoarseClock.monotonicMilliseconds() > end { return false }
        usleep(5_000)
    }
}
