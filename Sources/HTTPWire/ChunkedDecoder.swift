/// Takes the chunked coding off a body (RFC 9112, section 7.1), a piece at a time.
///
///     5;name=value CR LF      size in hexadecimal, extensions (ignored)
///     abcde CR LF             so many octets of body
///     0 CR LF                 the last chunk
///     Name: value CR LF       trailers (checked and ignored: RFC 9110, section 6.5.1)
///     CR LF
///
/// Line ends are CR LF alone, in extensions too: a decoder that takes less sees other chunks than its neighbour.
package struct ChunkedDecoder: Sendable {
    /// What one step yields.
    package enum Step: Equatable, Sendable {
        /// All bytes are consumed; the body goes on.
        case needsMore
        /// Octets of the body: a range of the bytes given, never empty. Call again for what follows.
        case data(Range<Int>)
        /// The body has ended, trailers included; `position` is at the first octet after it.
        case finished
        /// The body is not well formed: the connection is to be closed.
        case invalid
    }

    private enum State {
        case sizeStart, size, beforeSemicolon, `extension`, sizeLF
        case data, dataCR, dataLF
        case trailerStart, trailerName, trailerValue, trailerLF, endLF
        case finished, invalid
    }

    /// Digits of a size, leading zeros included: 16 make 64 bits, some senders pad a little.
    private static let sizeDigitLimit = 32

    private let extensionLimit: Int
    private let trailerLimit: Int
    private let trailerFields: Int
    private var state = State.sizeStart
    /// The chunk's size while it is read, then what is left of it.
    private var remaining: UInt64 = 0
    private var digits = 0
    /// Octets of this chunk's extensions, or of the trailer section.
    private var octets = 0
    private var fields = 0

    /// - Parameters:
    ///   - extensionLimit: the most octets of extensions on one chunk.
    ///   - trailerLimit: the most octets of trailer section.
    ///   - trailerFields: the most trailer lines.
    package init(extensionLimit: Int = 1024, trailerLimit: Int = 8192, trailerFields: Int = 100) {
        self.extensionLimit = extensionLimit
        self.trailerLimit = trailerLimit
        self.trailerFields = trailerFields
    }

    /// Consumes `bytes` from `position` on, and moves it behind what was consumed.
    ///
    /// After `finished` and `invalid` every further call says the same and consumes nothing.
    package mutating func next(_ bytes: Span<UInt8>, from position: inout Int) -> Step {
        while position < bytes.count, state != .finished, state != .invalid {
            if state == .data {
                let start = position
                let count = Int(min(remaining, UInt64(bytes.count &- start)))
                position = start &+ count
                remaining &-= UInt64(count)
                if remaining == 0 { state = .dataCR }
                return .data(start..<position)
            }
            state = advance(bytes[position])
            // The offending octet is left where it is.
            if state == .invalid { return .invalid }
            position &+= 1
        }
        switch state {
        case .finished: return .finished
        case .invalid: return .invalid
        default: return .needsMore
        }
    }

    private mutating func advance(_ octet: UInt8) -> State {
        switch state {
        case .sizeStart, .size: size(octet)
        case .beforeSemicolon, .extension: chunkExtension(octet)
        case .sizeLF: octet == Octets.lf ? endOfSize() : .invalid
        case .dataCR: octet == Octets.cr ? .dataLF : .invalid
        case .dataLF: octet == Octets.lf ? startChunk() : .invalid
        case .trailerStart, .trailerName, .trailerValue, .trailerLF: trailer(octet)
        case .endLF: octet == Octets.lf ? .finished : .invalid
        case .data, .finished, .invalid: state
        }
    }

    private mutating func startChunk() -> State {
        remaining = 0
        digits = 0
        octets = 0
        return .sizeStart
    }

    private mutating func endOfSize() -> State {
        guard remaining == 0 else { return .data }
        octets = 0
        return .trailerStart
    }

    /// `chunk-size = 1*HEXDIG`.
    private mutating func size(_ octet: UInt8) -> State {
        if let digit = Octets.hexValue(octet) {
            digits &+= 1
            guard digits <= Self.sizeDigitLimit, remaining >> 60 == 0 else { return .invalid }
            remaining = remaining << 4 | UInt64(digit)
            return .size
        }
        guard state == .size else { return .invalid }
        if octet == Octets.cr { return .sizeLF }
        return chunkExtension(octet)
    }

    /// `chunk-ext = *( BWS ";" BWS name [ BWS "=" BWS value ] )`. What is after the semicolon is not looked into,
    /// but for control octets.
    private mutating func chunkExtension(_ octet: UInt8) -> State {
        octets &+= 1
        guard octets <= extensionLimit else { return .invalid }
        if state == .extension {
            if octet == Octets.cr { return .sizeLF }
            return isText(octet) ? .extension : .invalid
        }
        if octet == UInt8(ascii: ";") { return .extension }
        return Octets.isWhitespace(octet) ? .beforeSemicolon : .invalid
    }

    /// `trailer-section = *( field-line CRLF )`, and the empty line after it.
    private mutating func trailer(_ octet: UInt8) -> State {
        octets &+= 1
        // The final CR of an empty section is no trailer, and always allowed.
        guard octets <= trailerLimit || (state == .trailerStart && octet == Octets.cr) else { return .invalid }
        switch state {
        case .trailerStart where octet == Octets.cr:
            return .endLF
        case .trailerStart:
            fields &+= 1
            guard fields <= trailerFields, OctetSet.token.contains(octet) else { return .invalid }
            return .trailerName
        case .trailerName:
            if octet == UInt8(ascii: ":") { return .trailerValue }
            return OctetSet.token.contains(octet) ? .trailerName : .invalid
        case .trailerValue:
            if octet == Octets.cr { return .trailerLF }
            return isText(octet) ? .trailerValue : .invalid
        default:
            return octet == Octets.lf ? .trailerStart : .invalid
        }
    }

    private func isText(_ octet: UInt8) -> Bool {
        (octet >= Octets.space && octet != 0x7F) || octet == Octets.tab
    }
}
