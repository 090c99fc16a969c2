internal import HTTPWire
internal import HostSystem

/// From answers to octets on the wire.
extension EventLoop {
    enum Pumped { case finished, blocked, turnIsOver, failed }

    /// What one connection may send in a turn while others wait: a few milliseconds at 10 Gbit/s.
    private static let turn = 2 << 20
    /// sendfile(2) is asked for so much at once at most.
    private static let largestCall = 1 << 20

    /// Sends the head in `out` and begins with `body`. The whole answer often leaves here, in one call.
    func send(_ connection: Connection, _ body: Body, _ receipt: Receipt = .none) {
        var body = body
        // Who asks again has the answer before, or will take it first.
        tellEnd(of: connection, isWhole: true)
        connection.receipt = receipt
        connection.headLength = UInt64(out.bytes.count)
        connection.handedOver = 0
        // Of an empty file no octet would follow to send the head that waits for it.
        if case .file(_, _, count: 0) = body { body = .none }
        connection.phase = .sending
        connection.unacknowledged = .max
        var sent: Transferred
        switch body {
        case .none:
            sent = out.bytes.withUnsafeBytes { connection.socket.send($0) }
            count(sent, connection)
            if sent == .octets(out.bytes.count) { return }
        case .memory(let octets, let range):
            sent = out.bytes.withUnsafeBytes { head in
                octets.withUnsafeBytes { body in
                    connection.socket.send(head, UnsafeRawBufferPointer(rebasing: body[range]))
                }
            }
            count(sent, connection)
            if sent == .octets(out.bytes.count + range.count) { return }
        case .file, .pieces:
            sent = out.bytes.withUnsafeBytes { connection.socket.send($0, moreFollows: true) }
            count(sent, connection)
            if sent == .octets(out.bytes.count) {
                connection.body = body
                return start(connection)
            }
        }
        var rest = 0
        if case .octets(let count) = sent { rest = count }
        if case .failed = sent {
            // Seen again, and acted upon, by the pump.
            rest = 0
        }
        if rest < out.bytes.count {
            connection.output = Array(out.bytes[rest...])
            connection.outputOffset = 0
            connection.body = body
        } else if case .memory(let octets, let range) = body {
            connection.body = .memory(octets, range.lowerBound + rest - out.bytes.count..<range.upperBound)
        }
        start(connection)
    }

    private func count(_ sent: Transferred, _ connection: Connection) {
        if case .octets(let octets) = sent { countSent(octets, connection) }
    }

    private func start(_ connection: Connection) {
        if case .pieces(let pieces) = connection.body {
            connection.body = .none
            connection.rest = pieces
        }
        setDeadline(of: connection, in: limits.stallTime)
    }

    /// Writes until the answer is out, the socket is full, or the turn is over.
    func pump(_ connection: Connection) -> Pumped {
        var budget = Self.turn
        while true {
            guard let progress = pumpOnce(connection) else { return .finished }
            switch progress {
            case .octets(let count):
                countSent(count, connection)
                setDeadline(of: connection, in: limits.stallTime)
                connection.unacknowledged = .max
                budget -= count
                if budget <= 0 { return .turnIsOver }
            case .wouldBlock:
                // What the deadline compares with is what was on its way when it was set: the kernel's buffer grows as
                // it is filled, so an older figure could be lower than what a peer at work leaves now.
                if connection.unacknowledged == .max {
                    connection.unacknowledged = connection.socket.unacknowledgedOctets() ?? .max
                }
                return .blocked
            case .end, .failed:
                // `end`: the file is shorter than its head has said. The message stays incomplete, which the client
                // can see; octets of anything else are never sent in their place.
                return .failed
            }
        }
    }

    /// One call; nil when nothing is left.
    private func pumpOnce(_ connection: Connection) -> Transferred? {
        if connection.outputOffset < connection.output.count {
            return sendOutput(connection)
        }
        switch connection.body {
        case .none, .pieces:
            return nextPiece(connection)
        case .memory(let octets, let range):
            guard !range.isEmpty else {
                connection.body = .none
                return nextPiece(connection)
            }
            let sent = octets.withUnsafeBytes {
                connection.socket.send(UnsafeRawBufferPointer(rebasing: $0[range]), moreFollows: connection.rest != nil)
            }
            if case .octets(let count) = sent {
                connection.body = .memory(octets, range.lowerBound + count..<range.upperBound)
            }
            return sent
        case .file(let file, let offset, let count):
            guard count > 0 else {
                connection.body = .none
                return nextPiece(connection)
            }
            var position = Int64(offset)
            let wanted = Int(min(count, UInt64(Self.largestCall)))
            let sent = connection.socket.sendFile(file.descriptor, offset: &position, count: wanted)
            if case .octets(let octets) = sent {
                connection.body = .file(file, offset: UInt64(position), count: count - UInt64(octets))
            }
            return sent
        }
    }

    private func sendOutput(_ connection: Connection) -> Transferred {
        let more: Bool
        switch connection.body {
        case .none: more = connection.rest != nil
        case .memory, .file, .pieces: more = true
        }
        let sent = connection.output.withUnsafeBytes {
            connection.socket.send(
                UnsafeRawBufferPointer(rebasing: $0[connection.outputOffset...]),
                moreFollows: more
            )
        }
        if case .octets(let count) = sent { connection.outputOffset += count }
        return sent
    }

    /// Begins with the next piece and makes the first call for it.
    private func nextPiece(_ connection: Connection) -> Transferred? {
        switch connection.rest?.next() {
        case nil:
            // Whether a piece is the last is not known when it is sent, so it has waited for more to come.
            if connection.rest != nil { connection.socket.flush() }
            connection.rest = nil
            return nil
        case .memory(let octets):
            connection.body = .memory(octets, octets.indices)
        case .file(let file, let offset, let count):
            connection.body = .file(file, offset: offset, count: count)
        case .unavailable:
            return .end
        }
        return pumpOnce(connection)
    }
}
