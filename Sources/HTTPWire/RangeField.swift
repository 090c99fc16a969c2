/// What a Range field asks of a representation.
package enum RangeSelection: Sendable {
    /// All of it: the field is of an unknown unit, invalid or asks for too many ranges, and is ignored.
    case whole
    /// 416: nothing that it asks for is there.
    case unsatisfiable
    case single(ByteRange)
    case several(ByteRangeList)
}

/// Reads a Range field (RFC 9110, sections 14.1 and 14.2).
///
///     Range           = "bytes" "=" OWS range-set         erratum 7306 for the OWS
///     range-set       = 1#( int-range / suffix-range )    empty elements are ignored (5.6.1)
///     int-range       = first-pos "-" [ last-pos ]
///     suffix-range    = "-" suffix-length
///
/// One member that is not of this grammar spoils the field, and a spoilt field is ignored (14.2), so that the
/// answer is the same 200 for HEAD, for GET and behind a cache. Members that lie outside are left out.
package enum RangeField {
    /// What `value`, the field's octets, selects of a representation of `length` octets.
    ///
    /// No numeral is too large: beyond 64 bits it counts as 2^64 - 1 (14.1.2: no conversion overflow).
    package static func select(_ value: Span<UInt8>, length: UInt64) -> RangeSelection {
        let equals = Octets.position(of: UInt8(ascii: "="), in: value, 0..<value.count)
        guard equals < value.count, Octets.equalIgnoringCase(value.extracting(0..<equals), "bytes") else {
            return .whole
        }

        var ranges = ByteRangeList()
        var hasMember = false
        var hasEmptySuffix = false
        var elements = ListElements((equals &+ 1)..<value.count)
        while let element = elements.next(value) {
            if element.isEmpty { continue }
            hasMember = true
            switch member(value, element, length: length) {
            case .range(let range):
                guard ranges.append(range) else { return .whole }
            case .outside:
                break
            case .emptySuffix:
                hasEmptySuffix = true
            case .invalid:
                return .whole
            }
        }
        // A suffix of an empty representation is satisfiable, and all of it: a 206 could not say so, a 200 can.
        if !hasMember || hasEmptySuffix { return .whole }
        let merged = ranges.coalesced()
        switch merged.count {
        case 0: return .unsatisfiable
        case 1: return .single(merged[0])
        default: return .several(merged)
        }
    }

    private enum Member {
        case range(ByteRange)
        case outside
        case emptySuffix
        case invalid
    }

    private static func member(_ value: Span<UInt8>, _ element: Range<Int>, length: UInt64) -> Member {
        let dash = Octets.position(of: UInt8(ascii: "-"), in: value, element)
        guard dash < element.upperBound else { return .invalid }
        let firstDigits = element.lowerBound..<dash
        let lastDigits = (dash &+ 1)..<element.upperBound
        guard areDigits(value, firstDigits), areDigits(value, lastDigits) else { return .invalid }

        if firstDigits.isEmpty {
            guard !lastDigits.isEmpty else { return .invalid }
            let count = Decimal.saturating(value, lastDigits)
            if count == 0 { return .outside }
            if length == 0 { return .emptySuffix }
            return clamped(first: length &- min(count, length), last: length &- 1, length)
        }
        if lastDigits.isEmpty { return clamped(first: Decimal.saturating(value, firstDigits), last: .max, length) }
        // Digits are compared, not values: two numerals beyond 64 bits would look equal.
        if Decimal.isLess(value, lastDigits, than: firstDigits) { return .invalid }
        return clamped(
            first: Decimal.saturating(value, firstDigits),
            last: Decimal.saturating(value, lastDigits),
            length
        )
    }

    /// A last position at or behind the end means the rest (14.1.2); a first one there means nothing.
    private static func clamped(first: UInt64, last: UInt64, _ length: UInt64) -> Member {
        guard length > 0, let range = ByteRange(first: first, last: min(last, length &- 1), within: length) else {
            return .outside
        }
        return .range(range)
    }

    private static func areDigits(_ octets: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range where !Octets.isDigit(octets[index]) { return false }
        return true
    }
}
