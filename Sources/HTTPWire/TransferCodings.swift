/// Reads the list of Transfer-Encoding (RFC 9112, section 6.1; RFC 9110, section 10.1.4).
///
///     transfer-coding    = token *( OWS ";" OWS transfer-parameter )
///     transfer-parameter = token BWS "=" BWS ( token / quoted-string )
struct TransferCodings {
    private(set) var isPresent = false
    /// True if there are codings beside `chunked`.
    private(set) var hasOthers = false
    private var isMalformed = false
    private var chunkedCount = 0
    private var lastIsChunked = false

    /// True if the list is well formed, `chunked` stands in it once, and last.
    var endWithOneChunked: Bool { !isMalformed && chunkedCount == 1 && lastIsChunked }

    /// Reads one line's value. Empty elements are refused, although lists in general allow them.
    mutating func take(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        isPresent = true
        var cursor = Cursor(position: value.lowerBound, end: value.upperBound)
        repeat {
            guard let coding = cursor.token(bytes) else {
                isMalformed = true
                return
            }
            let hasParameters: Bool
            switch cursor.parameters(bytes) {
            case .none: hasParameters = false
            case .some: hasParameters = true
            case .malformed:
                isMalformed = true
                return
            }
            lastIsChunked = Octets.equalIgnoringCase(bytes.extracting(coding), "chunked")
            if lastIsChunked {
                chunkedCount &+= 1
                // Section 7.1: chunked has no parameters, and a recipient should treat them as an error.
                if hasParameters { isMalformed = true }
            } else {
                hasOthers = true
            }
        } while cursor.comma(bytes)
        if !cursor.isAtEnd { isMalformed = true }
    }

    private enum Parameters {
        case none
        case some
        case malformed
    }

    private struct Cursor {
        var position: Int
        let end: Int

        var isAtEnd: Bool { position == end }

        mutating func token(_ bytes: Span<UInt8>) -> Range<Int>? {
            let start = position
            while position < end, OctetSet.token.contains(bytes[position]) { position &+= 1 }
            return position > start ? start..<position : nil
        }

        mutating func comma(_ bytes: Span<UInt8>) -> Bool { separator(UInt8(ascii: ","), bytes) }

        mutating func parameters(_ bytes: Span<UInt8>) -> Parameters {
            var found = Parameters.none
            while separator(UInt8(ascii: ";"), bytes) {
                guard token(bytes) != nil, separator(UInt8(ascii: "="), bytes),
                    quotedString(bytes) || token(bytes) != nil
                else { return .malformed }
                found = .some
            }
            return found
        }

        /// Takes OWS, `octet`, OWS; or the white space alone.
        private mutating func separator(_ octet: UInt8, _ bytes: Span<UInt8>) -> Bool {
            skipWhitespace(bytes)
            guard position < end, bytes[position] == octet else { return false }
            position &+= 1
            skipWhitespace(bytes)
            return true
        }

        private mutating func skipWhitespace(_ bytes: Span<UInt8>) {
            while position < end, Octets.isWhitespace(bytes[position]) { position &+= 1 }
        }

        /// `quoted-string` of RFC 9110, section 5.6.4. Control octets are not among a field's octets.
        private mutating func quotedString(_ bytes: Span<UInt8>) -> Bool {
            guard position < end, bytes[position] == UInt8(ascii: "\"") else { return false }
            var index = position &+ 1
            while index < end, bytes[index] != UInt8(ascii: "\"") {
                index &+= bytes[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            guard index < end else { return false }
            position = index &+ 1
            return true
        }
    }
}
