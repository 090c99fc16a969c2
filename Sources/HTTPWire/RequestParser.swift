/// Finds and reads request heads (RFC 9112, sections 2 to 6). Resumable: a few words of state, one a connection.
package struct RequestParser: Sendable {
    /// How far a head has come.
    package enum Progress: Equatable, Sendable {
        /// The head has not ended yet.
        case needsMore
        /// The head is filled; the parser is ready for the next request.
        case complete
        /// The head is not to be served; the connection is to be closed after the answer.
        case refused(Refusal)
    }

    private let limits: RequestLimits

    package init(limits: RequestLimits = RequestLimits()) {
        self.limits = limits
    }

    /// Goes on with a head. `bytes` begins at the request's first octet each time and only grows.
    package mutating func parse(_ bytes: Span<UInt8>, into head: inout RequestHead) -> Progress {
        .needsMore
    }

    /// Forgets a head under way.
    package mutating func reset() {}

    /// True once an octet was seen that is not part of an empty line before the request.
    package var hasStarted: Bool { false }
}
