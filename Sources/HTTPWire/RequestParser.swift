/// Finds and reads request heads (RFC 9112, sections 2 to 6). Resumable: a few words of state, one a connection.
///
/// Two passes, so that the outcome never depends on how the octets were cut into reads:
///
///     pass 1, octet by octet as they come        pass 2, once, over the complete head
///     CR LF pairs, controls, limits, the end     request line, fields, host, framing
///
/// What is wrong in pass 1 is refused at the first octet that shows it, without waiting for the head's end.
package struct RequestParser: Sendable {
    /// How far a head has come.
    package enum Progress: Equatable, Sendable {
        /// The head has not ended yet.
        case needsMore
        /// The head is filled; the parser is ready for the next request.
        case complete
        /// The head is not to be served; the connection is to be closed after the answer. Stays so until `reset`.
        case refused(Refusal)
    }

    /// Room in the request line for a method, two spaces and the version, beside the target.
    private static let requestLineSlack = 300

    private let limits: RequestLimits
    /// Octets looked at so far. Pass 1 never looks at one twice.
    private var scanned = 0
    /// Where the line under way begins.
    private var lineStart = 0
    /// Lines that have ended, without the empty ones before the request line.
    private var lines = 0
    private var emptyLines = 0
    private var refusal: Refusal?
    /// True once an octet was seen that is not part of an empty line before the request.
    package private(set) var hasStarted = false

    /// A parser that waits for its first request.
    package init(limits: RequestLimits = RequestLimits()) {
        self.limits = limits
    }

    /// Goes on with a head.
    /// - Parameters:
    ///   - bytes: all that came since the request's first octet. Each call gives at least what the one before gave.
    ///   - head: filled on `complete`. After a refusal it holds no more than what was read before the fault: its
    ///     method, if the request line was good, or where it is HEAD in any case.
    package mutating func parse(_ bytes: Span<UInt8>, into head: inout RequestHead) -> Progress {
        if let refusal { return .refused(refusal) }
        while scanned < bytes.count {
            skipText(bytes)
            guard scanned < bytes.count else { break }
            switch scan(bytes) {
            case .goesOn:
                scanned &+= 1
            case .ends:
                let end = scanned &+ 1
                let fault = head.read(bytes, end: end, limits: limits)
                reset()
                refusal = fault
                return fault.map(Progress.refused) ?? .complete
            case .fault(let fault):
                head.clear()
                // An answer to HEAD has no body, a refusal included (RFC 9110, section 9.3.2).
                if beginsWithHEAD(bytes) { head.method = .head }
                refusal = fault
                return .refused(fault)
            }
        }
        return .needsMore
    }

    /// Forgets a head under way, and a refusal.
    package mutating func reset() {
        self = RequestParser(limits: limits)
    }

    /// Whether the request line, behind the empty lines that may stand before it, begins with the method HEAD.
    private func beginsWithHEAD(_ bytes: Span<UInt8>) -> Bool {
        // Pass 1 has seen to it that such lines are CR LF and nothing else.
        let start = 2 &* emptyLines
        guard bytes.count &- start >= 5 else { return false }
        return Octets.equal(bytes.extracting(start..<start &+ 5), "HEAD ")
    }

    private enum Scan {
        case goesOn
        case ends
        case fault(Refusal)
    }

    /// Passes over octets inside a line that `scan` would only pass over: most of a head, in a loop of its own.
    private mutating func skipText(_ bytes: Span<UInt8>) {
        guard scanned > lineStart, bytes[scanned &- 1] != Octets.cr else { return }
        var end = min(bytes.count, limits.head)
        if lines == 0 { end = min(end, lineStart &+ limits.target &+ Self.requestLineSlack) }
        var index = scanned
        while index < end, bytes[index] >= Octets.space, bytes[index] != 0x7F { index &+= 1 }
        scanned = index
    }

    /// Looks at the octet at `scanned`.
    private mutating func scan(_ bytes: Span<UInt8>) -> Scan {
        // Limits come first: whatever the octet is, it is one too many.
        if lines == 0, scanned &- lineStart >= limits.target &+ Self.requestLineSlack { return .fault(.uriTooLong) }
        if scanned >= limits.head { return .fault(.headerFieldsTooLarge) }

        let octet = bytes[scanned]
        let afterCR = scanned > lineStart && bytes[scanned &- 1] == Octets.cr
        if octet == Octets.lf {
            // RFC 9112, section 2.2 lets a server take a lone LF for a line's end; two servers that differ in this
            // can be played against each other, so this one does not.
            return afterCR ? endOfLine() : .fault(.badRequest(.bareLF))
        }
        if afterCR { return .fault(.badRequest(.bareCR)) }
        if octet == Octets.cr { return .goesOn }
        hasStarted = true
        if octet > Octets.space && octet != 0x7F { return .goesOn }
        if Octets.isWhitespace(octet) {
            return scanned == lineStart && lines > 0 ? .fault(.badRequest(.obsFold)) : .goesOn
        }
        return .fault(.badRequest(control(bytes)))
    }

    private mutating func endOfLine() -> Scan {
        let isEmpty = scanned &- lineStart == 1
        lineStart = scanned &+ 1
        if !isEmpty {
            lines &+= 1
            return lines &- 1 > limits.fields ? .fault(.headerFieldsTooLarge) : .goesOn
        }
        if lines > 0 { return .ends }
        emptyLines &+= 1
        return emptyLines > limits.emptyLinesBefore ? .fault(.badRequest(.tooManyEmptyLines)) : .goesOn
    }

    /// What a control octet at `scanned` spoils.
    private func control(_ bytes: Span<UInt8>) -> BadRequest {
        guard lines > 0 else { return .invalidRequestLine }
        let colon = Octets.position(of: UInt8(ascii: ":"), in: bytes, lineStart..<scanned)
        return colon < scanned ? .invalidFieldValue : .invalidFieldName
    }
}
