package import HTTPWire
package import HostSystem

/// What answers requests. Each loop makes its own and calls it on its own thread only, so a handler needs no lock.
///
/// The response's head is written into `out`, which arrives empty and keeps its capacity from request to request;
/// the body is named in the `Reply`. Nothing here may wait for a disk or a lock: what must is handed back as a `Job`.
package protocol RequestHandler: AnyObject {
    /// Answers a request whose head is complete.
    ///
    /// - Parameters:
    ///   - head: the parsed head; its ranges point into `bytes`.
    func respond(to head: RequestHead, _ bytes: Span<UInt8>, _ context: RequestContext, into out: inout ResponseHead)
        -> Reply

    /// Answers the same request again, with what the job that `respond` handed back has found.
    func resume(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        with found: any Sendable,
        _ context: RequestContext,
        into out: inout ResponseHead
    ) -> Reply

    /// Answers octets that are no request, or a request that cannot be served; the connection ends after it. `toHEAD`:
    /// the method was understood before, and is HEAD.
    func reject(_ rejection: Rejection, toHEAD: Bool, into out: inout ResponseHead) -> Body

    /// Octets of content that a request with this head may bring, at most `TransportLimits.discardedBody`; 0 where
    /// content has no meaning, which is then read and dropped. A longer one does not reach the handler.
    func contentLimit(for head: RequestHead, _ bytes: Span<UInt8>) -> Int

    /// The answer that was given with this receipt has ended, whole or cut. Told when that is known: when the peer has
    /// acknowledged all of it or has sent its next request, looked at about once a second, or when the connection ends.
    ///
    /// - Parameters:
    ///   - octets: content that the peer has acknowledged, heads not counted.
    ///   - unacknowledged: content beyond it that was handed to the kernel before the connection ended. The peer may have
    ///     some of it: a segment is acknowledged some time after it has come, and a reset tells nothing of it.
    ///   - milliseconds: by the loop's clock, when the last octet was handed to the kernel, or the connection ended.
    func finished(_ receipt: Receipt, octets: UInt64, unacknowledged: UInt64, at milliseconds: Int64)

    /// Called about once a second, and once more before the loop ends.
    func housekeeping()
}

/// Why a connection ends with an answer that no request asked for.
package enum Rejection: Equatable, Sendable {
    /// The parser refused the octets.
    case malformed(Refusal)
    /// The body's framing is broken (RFC 9112 7.1), or it ended early (RFC 9112 8).
    case malformedBody
    /// The head did not arrive within its deadline (RFC 9110 15.5.9).
    case timedOut
    /// The queue of jobs is full, or a job did not end in time.
    case overCapacity
    /// Plain HTTP came to a listener of TLS; the answer is plain too.
    case notSecure
}

/// What a handler may know of the connection that a request came on.
package struct RequestContext: Sendable {
    /// Whether the connection will be kept after this answer. The head has to say so.
    package let persistent: Bool
    package let peer: PeerAddress
    /// It came over TLS.
    package let isSecure: Bool
    /// The request's content, decoded; empty unless the handler's `contentLimit` asked for it.
    package let content: [UInt8]
    /// There is more content than the handler takes; it was not read.
    package let isContentTooLong: Bool

    package init(
        persistent: Bool,
        peer: PeerAddress,
        isSecure: Bool = false,
        content: [UInt8] = [],
        isContentTooLong: Bool = false
    ) {
        self.persistent = persistent
        self.peer = peer
        self.isSecure = isSecure
        self.content = content
        self.isContentTooLong = isContentTooLong
    }
}

/// A number by which a handler knows an answer again when it has ended.
package struct Receipt: Equatable, Sendable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    /// Nobody wants to know.
    package static let none = Receipt(-1)
}

/// How an answer goes on after its head.
package enum Reply {
    /// The head is written; this body follows. The connection is kept if the request was `persistent`.
    case send(Body, receipt: Receipt = .none)
    /// The head is written; the connection ends after this body.
    case sendThenClose(Body, receipt: Receipt = .none)
    /// Nothing is written yet: the job runs on another thread, and its result comes to `resume`.
    case offload(Job)
}

/// Work that may wait; it returns what it found. It is not begun when its client is gone before its turn.
package typealias Job = @Sendable () -> any Sendable

/// The octets after a head.
package enum Body: Sendable {
    case none
    /// A part of an array, which is kept until it is sent.
    case memory([UInt8], Range<Int>)
    /// `count` octets of an open file. If the file ends before, the connection is cut.
    case file(SharedFile, offset: UInt64, count: UInt64)
    /// Pieces made one after the other as they are sent.
    case pieces(any BodyPieces)
}

/// A body of many pieces, such as multipart/byteranges: a value that knows how far it is.
package protocol BodyPieces: Sendable {
    /// The next piece, nil after the last.
    mutating func next() -> BodyPiece?
}

package enum BodyPiece: Sendable {
    case memory([UInt8])
    case file(SharedFile, offset: UInt64, count: UInt64)
    /// The rest cannot be made: the connection is cut, so that the client sees an incomplete message.
    case unavailable
}

/// An open file that several answers send from at once; closed when the last one is done.
package final class SharedFile: Sendable {
    package let descriptor: FileDescriptor

    package init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }
}
