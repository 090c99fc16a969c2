internal import HTTPWire
internal import HostSystem

/// How a connection ends: in order where an answer could still be hurt, at once where none can.
///
/// RFC 9112 9.6: octets that nobody has read make close(2) send a reset, and so do those that arrive after it; a reset
/// destroys what the peer has not taken yet, which for a slow one is as much as the socket's buffer holds. So our side is
/// shut first, and what comes is read and dropped until the peer ends as well.
extension EventLoop {
    /// The last answer is out.
    func endAfterAnswer(_ connection: Connection) -> Bool {
        // Its end has been read: nothing is unread, and nothing can come any more. Under TLS our own is still to be said.
        if connection.peerFinished, !connection.readable, connection.tls?.endSending() ?? true {
            endAfterPeer(connection)
            return false
        }
        beginLingering(connection)
        return true
    }

    /// The peer has ended its side, and nothing is left to send. To close hurts no answer: the kernel goes on with what it
    /// has. But a peer that has ended only one half still takes the answer, and one that has ended both resets it: a
    /// handler that wants to know is told when all is acknowledged, which epoll reports as a hang-up, or the peer is gone.
    func endAfterPeer(_ connection: Connection) {
        guard connection.receipt != .none, let rest = connection.socket.unacknowledgedOctets(), rest > 0 else {
            return close(connection)
        }
        if case .lingering = connection.phase { return }
        beginLingering(connection)
    }

    private func beginLingering(_ connection: Connection) {
        connection.endSending()
        connection.phase = .lingering(octets: limits.lingerOctets)
        connection.unacknowledged = connection.socket.unacknowledgedOctets() ?? 0
        setDeadline(of: connection, in: limits.lingerTime)
        window.clear()
    }

    /// Ends a connection between two requests. The tail of its last answer may still be on its way.
    func endIdle(_ connection: Connection) {
        if connection.tls == nil {
            guard let rest = connection.socket.unacknowledgedOctets(), rest > 0 else { return close(connection) }
        }
        if endAfterAnswer(connection) { serve(connection) }
    }

    func linger(_ connection: Connection, _ octets: Int) -> Bool {
        window.clear()
        if connection.owesEnd {
            connection.endSending()
            if !connection.owesEnd, connection.peerFinished, !connection.readable {
                // Its end was read before ours was out.
                endAfterPeer(connection)
                return false
            }
        }
        guard connection.readable else { return false }
        // Under TLS as well what comes is dropped as it is, not decrypted first.
        switch connection.socket.receive(into: window.room()) {
        case .octets(let count) where count < octets:
            connection.phase = .lingering(octets: octets - count)
            return true
        case .wouldBlock:
            connection.readable = false
            return false
        case .end:
            connection.readable = false
            if connection.owesEnd {
                // It has ended its side only, and takes what is left of the answer, and close_notify behind it.
                connection.peerFinished = true
            } else {
                endAfterPeer(connection)
            }
            return false
        case .octets, .failed:
            close(connection)
            return false
        }
    }

    // MARK: Deadlines

    /// The connection's deadline has passed.
    func expire(_ connection: Connection) {
        switch connection.phase {
        case .handshaking:
            close(connection)
        case .readingHead where !connection.parser.hasStarted:
            endIdle(connection)
        case .readingHead, .readingBody:
            rejectOutside(connection, .timedOut)
            // One that has not managed to send a head will not hurry to end either.
            if isDraining, case .lingering = connection.phase { setDeadline(of: connection, in: limits.drainHeadTime) }
        case .waiting:
            connection.job?.end()
            connection.job = nil
            rejectOutside(connection, .overCapacity)
        case .sending:
            // The socket takes octets only when a third of its buffer is free, which at a few KiB a second can be
            // many minutes: progress is what the peer has acknowledged.
            guard hasProgressed(connection) else { return close(connection) }
            setDeadline(of: connection, in: limits.stallTime)
        case .lingering:
            // The same for the answer's tail: the peer's time to end begins when it has everything.
            guard hasProgressed(connection), connection.unacknowledged > 0 else { return close(connection) }
            setDeadline(of: connection, in: limits.lingerTime)
        }
    }

    /// Whether the peer has acknowledged something since this was last asked.
    private func hasProgressed(_ connection: Connection) -> Bool {
        let unacknowledged = connection.socket.unacknowledgedOctets() ?? .max
        defer { connection.unacknowledged = unacknowledged }
        return unacknowledged < connection.unacknowledged
    }

    private func rejectOutside(_ connection: Connection, _ rejection: Rejection) {
        // Of a head that did not come to its end, the method may have come.
        if case .readingHead = connection.phase { connection.isHEAD = connection.stash.isOfHEAD }
        connection.stash = []
        window.clear()
        reject(connection, rejection)
        serve(connection)
    }
}

extension [UInt8] {
    /// Whether a request line for HEAD begins here, after the empty lines that may stand before one.
    fileprivate var isOfHEAD: Bool {
        drop { $0 == 13 || $0 == 10 }.starts(with: "HEAD ".utf8)
    }
}
