/// Octets of a representation from `first` to `last`, both included (RFC 9110, section 14.1.2). Never empty, never outside.
package struct ByteRange: Equatable, Sendable {
    /// Offset of the first octet.
    package let first: UInt64
    /// Offset of the last octet; not below `first`.
    package let last: UInt64

    /// The range inside a representation of `length` octets; nil if any part of it would be outside, or `last` before `first`.
    package init?(first: UInt64, last: UInt64, within length: UInt64) {
        guard first <= last, last < length else { return nil }
        self.first = first
        self.last = last
    }

    /// How many octets: 1 at least. It cannot overflow, since `last` is below some length.
    package var count: UInt64 { last - first + 1 }
}

/// The ranges of one `multipart/byteranges` answer: two to sixteen, none of which touches another.
package struct ByteRangeList: Sendable {
    /// The most ranges.
    package static let capacity = 16

    private var ranges: InlineArray<16, ByteRange?> = InlineArray(repeating: nil)
    package private(set) var count = 0

    init() {}

    /// The range at `index`, which is below `count`.
    package subscript(index: Int) -> ByteRange {
        guard index < count, let range = ranges[index] else { preconditionFailure("range \(index) of \(count)") }
        return range
    }
}
