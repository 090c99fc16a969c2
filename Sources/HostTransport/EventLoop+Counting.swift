internal import HTTPWire
internal import HostSystem

/// What a loop counts. Each way in and out of a connection's life passes here, so that nothing has to be looked for when
/// somebody asks.
extension EventLoop {
    func countOpened(_ connection: Connection) {
        tallies[connection.handler].opened()
    }

    func countClosed(_ connection: Connection) {
        tallies[connection.handler].closed(wasActive: connection.isCountedActive)
    }

    /// A request has begun to arrive, or the connection has to wait: it counts as what it is now.
    func countActivity(_ connection: Connection, isActive: Bool) {
        guard isActive != connection.isCountedActive else { return }
        connection.isCountedActive = isActive
        if isActive {
            tallies[connection.handler].becameActive()
        } else {
            tallies[connection.handler].becameIdle()
        }
    }

    /// The kernel has taken so many octets of an answer.
    func countSent(_ octets: Int, _ connection: Connection) {
        connection.handedOver += UInt64(octets)
        tallies[connection.handler].sent(octets)
    }
}
