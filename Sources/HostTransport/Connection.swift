internal import HTTPWire
internal import HostSystem

/// One client's connection: its socket, what it is doing, and what that needs. Touched on its loop's thread only.
final class Connection {
    enum Phase {
        /// Between requests, or with part of a head received.
        case readingHead
        /// The head is complete; its body is read and dropped before the answer.
        case readingBody(BodyReader)
        /// A job looks for the answer. The request stands at the start of the stash.
        case waiting
        /// `output`, then `body`, then `rest` are written.
        case sending
        /// The answer is out and our side is shut; so many octets are still read and dropped.
        case lingering(octets: Int)
    }

    let socket: FileDescriptor
    /// Which of the loop's handlers serves it.
    let handler: Int
    let peer: PeerAddress
    /// Where it stands in the table, and its epoll token.
    let token: UInt64

    var phase = Phase.readingHead
    var parser: RequestParser

    /// Octets received but not used yet; empty while a connection is idle.
    var stash: [UInt8] = []

    // Edge-triggered readiness: true until the kernel says EAGAIN.
    var readable = false
    /// The peer has sent FIN: a short read does not mean that there is nothing more, the end is still to be read.
    var peerFinished = false
    /// Whether the loop's queue of those that go on in the next round holds it.
    var isQueued = false

    /// The method of the request under way is HEAD, so that no answer to it has a body, a rejection included
    /// (RFC 9110 9.3.2).
    var isHEAD = false
    var closesAfter = false
    /// The request under way has a body that was not read to its end; the connection ends after the answer.
    var isBodyUnread = false

    /// The job that looks for the answer, while one does.
    var job: JobTicket?

    /// Octets that the socket did not take at once.
    var output: [UInt8] = []
    var outputOffset = 0
    var body = Body.none
    /// The handler's number for the answer under way.
    var receipt = Receipt.none
    /// Octets of the answer's head, and of head and content what the kernel has taken.
    var headLength: UInt64 = 0
    var handedOver: UInt64 = 0
    var rest: (any BodyPieces)?

    /// Milliseconds of the loop's clock.
    var deadline: Int64 = .max
    /// The wheel's second in which it is looked at next; 0 for none.
    var wheelTick: Int64 = 0
    /// What the peer had not acknowledged when its progress was last looked at; `.max` when more was sent since.
    var unacknowledged = Int.max

    init(socket: consuming FileDescriptor, peer: PeerAddress, handler: Int, token: UInt64, limits: RequestLimits) {
        self.socket = socket
        self.peer = peer
        self.handler = handler
        self.token = token
        parser = RequestParser(limits: limits)
    }

    /// Nothing of a request has arrived.
    var isIdle: Bool {
        if case .readingHead = phase { return stash.isEmpty }
        return false
    }
}

/// Follows the body of a request that is read only to be dropped.
struct BodyReader {
    enum Step { case needsMore, finished(length: Int), invalid, tooLong }

    /// Octets of the head before it.
    let headLength: Int
    private let framing: BodyFraming
    /// Octets of content that the handler takes; 0: they are dropped.
    let limit: Int
    private var decoder = ChunkedDecoder()
    /// Octets, from the start of the head, that have been looked at.
    private var position: Int

    init(headLength: Int, framing: BodyFraming, limit: Int = 0) {
        self.headLength = headLength
        self.framing = framing
        self.limit = limit
        position = headLength
    }

    /// Looks at the request's octets, which begin at its head.
    mutating func advance(_ bytes: Span<UInt8>, limit: UInt64) -> Step {
        switch framing {
        case .none:
            return .finished(length: headLength)
        case .length(let length):
            guard length <= limit else { return .tooLong }
            let end = headLength + Int(length)
            return bytes.count >= end ? .finished(length: end) : .needsMore
        case .chunked:
            while true {
                switch decoder.next(bytes, from: &position) {
                case .data: continue
                case .finished: return .finished(length: position)
                case .invalid: return .invalid
                case .needsMore: return UInt64(bytes.count - headLength) > limit ? .tooLong : .needsMore
                }
            }
        }
    }

    /// The content of a request that has arrived whole, without its framing.
    func content(_ bytes: Span<UInt8>) -> [UInt8] {
        var content: [UInt8] = []
        var position = headLength
        switch framing {
        case .none: return []
        case .length(let length):
            for index in headLength..<headLength + Int(length) { content.append(bytes[index]) }
            return content
        case .chunked:
            var decoder = ChunkedDecoder()
            while case .data(let range) = decoder.next(bytes, from: &position) {
                for index in range { content.append(bytes[index]) }
            }
            return content
        }
    }
}
