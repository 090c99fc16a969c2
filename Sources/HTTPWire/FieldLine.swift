/// `field-line = field-name ":" OWS field-value OWS` (RFC 9112, section 5).
enum FieldLineReader {
    struct Field {
        let name: FieldName
        /// The value's octets, without the white space around them.
        let value: Range<Int>
    }

    /// Reads one line, which is not empty and holds no control octet but HTAB.
    static func read(_ bytes: Span<UInt8>, _ line: Range<Int>) -> Result<Field, BadRequest> {
        var end = line.lowerBound
        while end < line.upperBound, OctetSet.token.contains(bytes[end]) { end &+= 1 }
        guard end < line.upperBound, bytes[end] == UInt8(ascii: ":") else {
            return .failure(
                isWhitespaceThenColon(bytes, end..<line.upperBound) ? .whitespaceBeforeColon : .invalidFieldName
            )
        }
        guard end > line.lowerBound else { return .failure(.invalidFieldName) }
        let name = FieldName(octets: bytes.extracting(line.lowerBound..<end))
        return .success(Field(name: name, value: Octets.trimmed(bytes, (end &+ 1)..<line.upperBound)))
    }

    /// Section 5.1: `Name :` must be refused with 400, since servers before this one may have read another name.
    private static func isWhitespaceThenColon(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let rest = Octets.trimmed(bytes, range)
        return rest.lowerBound > range.lowerBound && !rest.isEmpty && bytes[rest.lowerBound] == UInt8(ascii: ":")
    }
}

extension BadRequest: Error {}
