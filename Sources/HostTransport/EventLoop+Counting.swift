internal import HTTPWire
internal import HostSystem

/// What a loop counts. Each way in and out of a connection's life passes here, so that nothing has to be looked for when
/// somebody asks.
extension EventLoop {
    func countOpened(_ connection: Connection) {
        tallies[connection.handler].opened()
    }

    func countClosed(_ connection: Connection) {
        tallies[connection.handler].closed(
            wasActive: connection.isCountedActive,
            wasSending: connection.isCountedSending
        )
    }

    /// A request has begun to arrive.
    func countActive(_ connection: Connection) {
        guard !connection.isCountedActive else { return }
        connection.isCountedActive = true
        tallies[connection.handler].becameActive()
    }

    /// The connection's turn is over, it waits for whatever comes next: it counts as what it is now. Of an answer that
    /// left within one turn nothing is to be told.
    func countPause(of connection: Connection) {
        let tally = tallies[connection.handler]
        if connection.isIdle == connection.isCountedActive {
            connection.isCountedActive.toggle()
            if connection.isCountedActive { tally.becameActive() } else { tally.becameIdle() }
        }
        if connection.isSending != connection.isCountedSending {
            connection.isCountedSending.toggle()
            if connection.isCountedSending { tally.beganSending() } else { tally.endedSending() }
        }
    }

    /// The kernel has taken so many octets of an answer.
    func countSent(_ octets: Int, _ connection: Connection) {
        connection.handedOver += UInt64(octets)
        tallies[connection.handler].sent(octets)
    }
}
