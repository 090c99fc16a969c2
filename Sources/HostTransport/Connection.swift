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
    /// How the loop's tally counts it.
    var isCountedActive = false
    var isCountedSending = false
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
    /// The handler's number for the answer under way, or for the one that is out and not acknowledged yet.
    var receipt = Receipt.none
    /// Milliseconds of the loop's clock when the answer's last octet was handed to the kernel; nil before.
    var handedOverAt: Int64?
    /// Whether the loop's list of answers that wait for their acknowledgement holds it.
    var isTailListed = false
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

    /// An answer, or a part of it, has to wait for the peer or for its turn.
    var isSending: Bool {
        if case .sending = phase { return true }
        return false
    }

    /// Nothing of a request has arrived.
    var isIdle: Bool {
        if case .readingHead = phase { return stash.isEmpty }
        return false
    }
}
