internal import HTTPWire
internal import HostSystem

/// From octets to answers: how a connection moves from phase to phase.
extension EventLoop {
    /// Steps of one turn: about a hundred small requests, then others come first. Without it a peer that sends
    /// requests as fast as they are answered would have the loop for itself.
    private static let stepsInTurn = 256
    /// What is received at once. What stands behind an answer that its peer does not read is kept until it does, so it
    /// had better stay in the kernel, which tells the peer to stop; a longer head or body takes several calls.
    private static let largestReceipt = 16 << 10

    /// Goes on with a connection until it has to wait for its peer, a job, or its next turn.
    func serve(_ connection: Connection) {
        window.load(connection.stash)
        connection.stash = []
        var left = Self.stepsInTurn
        while step(connection) {
            left -= 1
            if left == 0 {
                queue(connection)
                break
            }
        }
        if connections[connection.token] != nil, !window.isEmpty {
            connection.stash = Array(window.octets)
        }
        window.clear()
        if connections[connection.token] != nil { countPause(of: connection) }
    }

    /// One step; false when the connection has to wait or has ended.
    private func step(_ connection: Connection) -> Bool {
        switch connection.phase {
        case .readingHead:
            return readHead(connection)
        case .readingBody(let reader):
            return readBody(connection, reader)
        case .waiting:
            return false
        case .sending:
            switch pump(connection) {
            case .finished: return finishAnswer(connection)
            case .blocked: return false
            case .turnIsOver:
                queue(connection)
                return false
            case .failed:
                close(connection)
                return false
            }
        case .lingering(let octets):
            return linger(connection, octets)
        }
    }

    // MARK: Reading

    private func readHead(_ connection: Connection) -> Bool {
        let started = connection.parser.hasStarted
        if !window.isEmpty {
            countActive(connection)
            switch connection.parser.parse(window.octets.span, into: &head) {
            case .complete:
                connection.isHEAD = head.method == .head
                if head.framing == .none {
                    answer(connection, length: head.length, unread: false)
                } else {
                    beginBody(connection)
                }
                return true
            case .refused(let refusal):
                connection.isHEAD = head.method == .head
                reject(connection, .malformed(refusal))
                return true
            case .needsMore:
                break
            }
        }
        // The first octet of a head starts its deadline, whether it came alone or behind another request; later ones do
        // not move it.
        if !started, connection.parser.hasStarted { setDeadline(of: connection, in: limits.headTime) }
        return receive(connection)
    }

    private func beginBody(_ connection: Connection) {
        let limit = handlers[connection.handler].contentLimit(for: head, window.octets.span)
        if head.expectation == .continue, window.count == head.length {
            // RFC 9110 10.1.1: the client waits for a word before it sends content. Where content has no meaning the
            // final answer comes at once instead, and it is spared sending it.
            if limit == 0 || !connection.socket.sendContinue() {
                return answer(connection, length: head.length, unread: true)
            }
        }
        setDeadline(of: connection, in: limits.headTime)
        connection.phase = .readingBody(BodyReader(headLength: head.length, framing: head.framing, limit: limit))
    }

    private func readBody(_ connection: Connection, _ reader: BodyReader) -> Bool {
        var reader = reader
        switch reader.advance(window.octets.span, limit: limits.discardedBody) {
        case .finished(let length):
            parseAgain(connection)
            let content = reader.limit > 0 ? reader.content(window.octets.span) : []
            let isTooLong = content.count > reader.limit
            answer(connection, length: length, unread: false, isTooLong ? [] : content, tooLong: isTooLong)
        case .tooLong:
            parseAgain(connection)
            answer(connection, length: window.count, unread: true, tooLong: true)
        case .invalid:
            reject(connection, .malformedBody)
        case .needsMore:
            connection.phase = .readingBody(reader)
            return receive(connection)
        }
        return true
    }

    /// Fills `head` once more for the request at the window's start: in the meantime the loop has served others.
    private func parseAgain(_ connection: Connection) {
        connection.parser.reset()
        let progress = connection.parser.parse(window.octets.span, into: &head)
        precondition(progress == .complete, "a head that was complete stays so")
    }

    /// Receives what is there; false when there is nothing, or the connection has ended.
    private func receive(_ connection: Connection) -> Bool {
        guard connection.readable else { return false }
        let room = window.room(atMost: Self.largestReceipt)
        guard !room.isEmpty else { return false }
        switch connection.socket.receive(into: room) {
        case .octets(let count):
            // epoll(7): on a stream a short read means that the socket is empty, and new octets bring a new event;
            // but the peer's end is not announced twice.
            if count < room.count, !connection.peerFinished { connection.readable = false }
            window.received(count)
            return true
        case .wouldBlock:
            connection.readable = false
            return false
        case .end:
            connection.peerFinished = true
            connection.readable = false
            if case .readingBody = connection.phase {
                reject(connection, .malformedBody)
                return true
            }
            // Between requests this is the ordinary end; within a head there is nobody to whom an answer matters.
            close(connection)
            return false
        case .failed:
            close(connection)
            return false
        }
    }

    // MARK: Answering

    /// Asks the handler for the answer to the request in `head`, whose octets are the first `length` of the window.
    private func answer(
        _ connection: Connection,
        length: Int,
        unread: Bool,
        _ content: [UInt8] = [],
        tooLong: Bool = false
    ) {
        let persistent = head.persistent && !unread && !isDraining
        connection.closesAfter = !persistent
        connection.isBodyUnread = unread
        let reply = handlers[connection.handler].respond(
            to: head,
            window.octets.span,
            RequestContext(
                persistent: persistent,
                peer: connection.peer,
                content: content,
                isContentTooLong: tooLong
            ),
            into: &out
        )
        switch reply {
        case .send(let body, let receipt):
            window.consume(length)
            send(connection, body, receipt)
        case .sendThenClose(let body, let receipt):
            connection.closesAfter = true
            window.consume(length)
            send(connection, body, receipt)
        case .offload(let job):
            offload(connection, job)
        }
    }

    /// Answers with a rejection and ends the connection: where the next request would begin is not known.
    func reject(_ connection: Connection, _ rejection: Rejection) {
        connection.closesAfter = true
        window.clear()
        send(connection, handlers[connection.handler].reject(rejection, toHEAD: connection.isHEAD, into: &out))
    }

    private func offload(_ connection: Connection, _ job: @escaping Job) {
        let token = connection.token
        let ticket = JobTicket()
        let accepted = shared.workers.submit(for: ticket) { [mailbox] in
            mailbox.post(.found(token, job()))
        }
        guard accepted else { return reject(connection, .overCapacity) }
        connection.job = ticket
        connection.phase = .waiting
        setDeadline(of: connection, in: limits.jobTime)
    }

    /// A job has ended: the request is answered with what it found.
    func resume(_ connection: Connection, with found: any Sendable) {
        guard case .waiting = connection.phase else { return }
        connection.job = nil
        window.load(connection.stash)
        connection.stash = []
        parseAgain(connection)
        // A body, where there was one, was in the stash as a whole; it goes with the head.
        var length = head.length
        if head.framing != .none, !connection.isBodyUnread {
            var reader = BodyReader(headLength: head.length, framing: head.framing)
            if case .finished(let end) = reader.advance(window.octets.span, limit: limits.discardedBody) {
                length = end
            }
        }
        let reply = handlers[connection.handler].resume(
            head,
            window.octets.span,
            with: found,
            RequestContext(persistent: !connection.closesAfter, peer: connection.peer),
            into: &out
        )
        window.consume(length)
        switch reply {
        case .send(let body, let receipt):
            send(connection, body, receipt)
        case .sendThenClose(let body, let receipt):
            connection.closesAfter = true
            send(connection, body, receipt)
        case .offload:
            reject(connection, .overCapacity)
        }
        if connections[connection.token] != nil {
            connection.stash = Array(window.octets)
            window.clear()
            serve(connection)
        }
    }

    /// The answer is out: on to the next request, or to the end.
    func finishAnswer(_ connection: Connection) -> Bool {
        watchTail(of: connection)
        connection.output = []
        connection.outputOffset = 0
        connection.body = .none
        connection.rest = nil
        guard !connection.closesAfter, !isDraining else { return endAfterAnswer(connection) }
        connection.phase = .readingHead
        connection.isHEAD = false
        setDeadline(of: connection, in: limits.idleTime)
        return true
    }
}
