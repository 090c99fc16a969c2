internal import HTTPWire
internal import HostSystem

/// What is different on a connection with TLS: how it begins, and how answers become records.
extension EventLoop {
    // MARK: Beginning

    /// Goes on with a handshake; false when it has to wait or the connection has ended.
    func handshake(_ connection: Connection, _ source: TLSSource) -> Bool {
        guard let tls = connection.tls else { return beginHandshake(connection, source) }
        switch tls.handshake() {
        case .done:
            connection.phase = .readingHead
            setDeadline(of: connection, in: isDraining ? limits.drainHeadTime : limits.headTime)
            return true
        case .waitsForInput:
            connection.readable = false
            return false
        case .waitsForRoom:
            return false
        case .failed:
            // The alert that tells why must not be destroyed by a reset: in TLS 1.3 a client whose certificate is refused
            // has sent its first request by then.
            connection.tls = nil
            return endAfterAnswer(connection)
        }
    }

    /// Looks at what the client begins with. OpenSSL would tell plain HTTP as well, but of a few methods only and after
    /// it has taken the octets that say whether the answer may have a body; and a client that sends nothing costs no
    /// session this way.
    private func beginHandshake(_ connection: Connection, _ source: TLSSource) -> Bool {
        guard connection.readable else { return false }
        switch FirstOctets(connection.socket) {
        case .incomplete where !connection.peerFinished:
            connection.readable = false
            return false
        case .incomplete:
            // What it has sent is still to be read, or closing would be a reset.
            return endAfterAnswer(connection)
        case .failed:
            close(connection)
            return false
        case .plainHTTP(let isHEAD):
            connection.isHEAD = isHEAD
            reject(connection, .notSecure)
            return true
        case .other:
            guard let tls = TLSSession(source.current(), connection.socket) else {
                shared.notice(.cannotSecure)
                close(connection)
                return false
            }
            connection.tls = tls
            return true
        }
    }

    // MARK: Sending

    /// The first record of an answer: its head, and as much of its body as fits.
    func seal(_ head: [UInt8], _ body: Body, with tls: TLSSession) -> Transferred {
        record.clear()
        head.withUnsafeBytes { record.append($0) }
        record.append(body)
        return tls.send(record.octets)
    }

    /// Sends one record; nil when nothing is left.
    ///
    /// What is gathered is what the connection still has to send, so after `wouldBlock` the same octets are gathered
    /// again, as OpenSSL wants it. A file that has become shorter meanwhile is found out by that.
    func pumpOnce(_ connection: Connection, _ tls: TLSSession) -> Transferred? {
        guard loadBody(connection) else { return .end }
        let isHeadOut = connection.outputOffset == connection.output.count
        if isHeadOut, case .file(let file, let offset, let count) = connection.body, tls.usesKernel {
            let sent = tls.sendFile(
                file.descriptor,
                offset: Int64(offset),
                count: Int(min(count, UInt64(Self.largestCall)))
            )
            return take(sent, connection)
        }
        record.clear()
        connection.output.withUnsafeBytes {
            record.append(UnsafeRawBufferPointer(rebasing: $0[connection.outputOffset...]))
        }
        record.append(connection.body)
        guard record.isEmpty else { return take(tls.send(record.octets), connection) }
        // Where a body is left, it is a file that has ended before its count, or that cannot be read.
        if case .none = connection.body { return nil }
        return .end
    }

    /// Moves behind the octets that were sent.
    private func take(_ sent: Transferred, _ connection: Connection) -> Transferred {
        guard case .octets(let count) = sent else { return sent }
        let ofHead = min(count, connection.output.count - connection.outputOffset)
        connection.outputOffset += ofHead
        connection.body = connection.body.dropping(count - ofHead)
        return sent
    }

    /// Replaces a body that is sent by the next piece, or by none; false when that cannot be made.
    private func loadBody(_ connection: Connection) -> Bool {
        while connection.body.knownCount == 0 {
            connection.body = .none
            switch connection.rest?.next() {
            case nil:
                connection.rest = nil
                return true
            case .memory(let octets):
                connection.body = .memory(octets, octets.indices)
            case .file(let file, let offset, let count):
                connection.body = .file(file, offset: offset, count: count)
            case .unavailable:
                return false
            }
        }
        return true
    }

    // MARK: Ending

    /// The peer has ended between two requests; its close_notify is answered by ours (RFC 5246 7.2.1).
    func endInReply(_ connection: Connection) -> Bool {
        if connection.tls?.endSending() ?? true {
            endAfterPeer(connection)
            return false
        }
        return endAfterAnswer(connection)
    }
}

extension Connection {
    /// recv(2), or what TLS makes of it.
    func receive(into room: UnsafeMutableRawBufferPointer) -> Transferred {
        tls?.receive(into: room) ?? socket.receive(into: room)
    }

    func sendContinue() -> Bool {
        tls?.sendContinue() ?? socket.sendContinue()
    }

    /// Ends our side, where it has not ended yet: under TLS by close_notify, which may have to wait for room, and then
    /// the TCP stream.
    func endSending() {
        owesEnd = !(tls?.endSending() ?? true)
        if !owesEnd { socket.shutdownSending() }
    }
}

extension RecordBuffer {
    /// Adds as much of a body as there is room for; of pieces nothing.
    fileprivate func append(_ body: Body) {
        switch body {
        case .none, .pieces: break
        case .memory(let octets, let range):
            octets.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0[range])) }
        case .file(let file, let offset, let count):
            append(file.descriptor, offset: offset, count: count)
        }
    }
}

/// What a client of a TLS listener begins with.
private enum FirstOctets {
    case plainHTTP(isHEAD: Bool)
    /// A handshake, or something that OpenSSL will refuse.
    case other
    /// Too little to tell, or nothing yet.
    case incomplete
    /// It has ended, or the socket fails.
    case failed

    private static let head: StaticString = "HEAD "

    init(_ socket: borrowing FileDescriptor) {
        var octets = InlineArray<5, UInt8>(repeating: 0)
        var span = octets.mutableSpan
        let outcome = span.withUnsafeMutableBytes { socket.peek(into: $0) }
        guard case .octets(let count) = outcome else {
            self = outcome == .wouldBlock ? .incomplete : .failed
            return
        }
        // A method (RFC 9110 9.1) begins with a letter; a record of TLS with the number of its kind, 22 for a handshake.
        guard octets[0] >= 0x41, octets[0] <= 0x5a || (octets[0] >= 0x61 && octets[0] <= 0x7a) else {
            self = .other
            return
        }
        var isHEAD = true
        for index in 0..<min(count, octets.count) where octets[index] != Self.head.utf8Start[index] { isHEAD = false }
        self = isHEAD && count < octets.count ? .incomplete : .plainHTTP(isHEAD: isHEAD)
    }
}
