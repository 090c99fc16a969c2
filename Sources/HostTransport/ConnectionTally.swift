internal import HostSystem

/// What became of the connections of one handler's listeners, summed over the loops.
package struct ConnectionFigures: Equatable, Sendable {
    /// Since the start.
    package var accepted: UInt64 = 0
    /// Open, and nothing of a request has arrived: between two requests, or before the first.
    package var idle: UInt64 = 0
    /// Open, and a request is being received or answered, or the connection is on its way to its end.
    package var active: UInt64 = 0
    /// Of the active ones, those with an answer under way that the kernel did not take at once.
    package var sending: UInt64 = 0
    /// Octets of answers, heads and content, that the kernel has taken since the start.
    package var sent: UInt64 = 0

    package init() {}
}

/// What one loop counts of the connections of one handler. Written on the loop's thread only; any thread reads.
///
/// Made on that thread too: there malloc takes memory that no other loop's counts lie beside, so that two loops do not
/// take one cache line from each other with every request.
final class ConnectionTally: Sendable {
    /// Both in one number, so that a reader sees them of one moment and their difference is never negative.
    private static let one: UInt64 = 1 << 32
    /// Connections that are open in the upper half, those of them that are active in the lower.
    private let connections = Tally()
    private let sending = Tally()
    private let accepted = Tally()
    private let sent = Tally()

    /// A connection was accepted; it is idle.
    func opened() {
        accepted.add()
        connections.add(Self.one)
    }

    func becameActive() { connections.add() }
    func becameIdle() { connections.subtract() }

    func beganSending() { sending.add() }
    func endedSending() { sending.subtract() }

    func closed(wasActive: Bool, wasSending: Bool) {
        connections.subtract(wasActive ? Self.one + 1 : Self.one)
        if wasSending { sending.subtract() }
    }

    func sent(_ octets: Int) { sent.add(UInt64(octets)) }

    /// Any thread.
    func add(to figures: inout ConnectionFigures) {
        let now = connections.count
        let active = now & (Self.one - 1)
        figures.active += active
        figures.idle += now / Self.one - active
        figures.sending += sending.count
        figures.accepted += accepted.count
        figures.sent += sent.count
    }
}
