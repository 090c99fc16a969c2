/// Walks the elements of a comma-separated list (RFC 9110, section 5.6.1) that holds no quoted strings.
///
/// Empty elements are yielded as empty ranges: most fields skip them, framing refuses them.
struct ListElements {
    private var position: Int
    private let end: Int

    init(_ value: Range<Int>) {
        position = value.lowerBound
        end = value.upperBound
    }

    /// The next element without the white space around it; nil after the last.
    mutating func next(_ octets: Span<UInt8>) -> Range<Int>? {
        guard position <= end else { return nil }
        let comma = Octets.position(of: UInt8(ascii: ","), in: octets, position..<end)
        let element = Octets.trimmed(octets, position..<comma)
        position = comma &+ 1
        return element
    }
}
