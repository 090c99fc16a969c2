internal import HostSystem

/// What becomes of an answer after its last octet was handed to the kernel.
///
/// The kernel takes as much as the socket's buffer holds, which is the whole of a small file, and more than a client that
/// gives up has seen. So an answer counts as received when the peer has acknowledged it, or asks for the next one. To look
/// at that at each answer would cost every request a system call; instead the loop looks once a second at those that no
/// next request has settled by then.
extension EventLoop {
    /// The answer is out; its handler, if it wants to know, is told later.
    func watchTail(of connection: Connection) {
        guard connection.receipt != .none else { return }
        connection.handedOverAt = clock.milliseconds
        guard !connection.isTailListed else { return }
        connection.isTailListed = true
        tails.append(connection.token)
    }

    /// Tells of the answers that have been acknowledged since.
    func settleTails() {
        var kept = 0
        for index in tails.indices {
            guard let connection = connections[tails[index]] else { continue }
            // One that sends its next answer comes back to the list with that one's end.
            if connection.handedOverAt != nil, connection.receipt != .none {
                guard connection.socket.unacknowledgedOctets() == 0 else {
                    tails[kept] = tails[index]
                    kept += 1
                    continue
                }
                tellEnd(of: connection, isWhole: true)
            }
            connection.isTailListed = false
        }
        tails.removeLast(tails.count - kept)
    }

    /// Tells the handler that the last answer has ended, if it wants to know.
    ///
    /// - Parameter isWhole: the peer has all that was handed to the kernel, or is taken to have it.
    func tellEnd(of connection: Connection, isWhole: Bool) {
        guard connection.receipt != .none else { return }
        let content = connection.handedOver - min(connection.handedOver, connection.headLength)
        // What a reset, or a peer that is gone, has left in the socket's queue is not acknowledged, and will not be.
        let left = isWhole ? 0 : min(content, unacknowledged(of: connection))
        let receipt = connection.receipt
        let end = connection.handedOverAt ?? clock.milliseconds
        connection.receipt = .none
        connection.handedOverAt = nil
        handlers[connection.handler].finished(
            receipt,
            octets: content - left,
            unacknowledged: left,
            at: end
        )
    }

    /// Octets of answers that the peer has not acknowledged. Under TLS they are counted as the kernel has them, with what
    /// encryption adds (22 to 29 octets a record): rather too many than too few.
    private func unacknowledged(of connection: Connection) -> UInt64 {
        let octets = connection.socket.unacknowledgedOctets() ?? 0
        // The end of our side takes a number in the sequence as an octet does (RFC 9293 3.4).
        if case .lingering = connection.phase, octets > 0 { return UInt64(octets - 1) }
        return UInt64(octets)
    }
}
