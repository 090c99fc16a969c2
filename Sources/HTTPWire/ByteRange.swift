/// Octets of a representation from `first` to `last`, both included (RFC 9110, section 14.1.2).
///
/// Never empty and never outside of the representation that it was made for.
package struct ByteRange: Equatable, Sendable {
    /// Offset of the first octet.
    package let first: UInt64
    /// Offset of the last octet; not below `first`.
    package let last: UInt64

    /// The range inside a representation of `length` octets; nil if a part of it were outside, or `last` before `first`.
    package init?(first: UInt64, last: UInt64, within length: UInt64) {
        guard first <= last, last < length else { return nil }
        self.first = first
        self.last = last
    }

    private init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }

    /// How many octets: 1 at least. It cannot overflow, since `last` is below some length.
    package var count: UInt64 { last &- first &+ 1 }

    /// True if the two share an octet or one ends where the other begins.
    func touches(_ other: ByteRange) -> Bool {
        first <= other.last &+ 1 && other.first <= last &+ 1
    }

    /// The range from the lower of both starts to the higher of both ends.
    func union(_ other: ByteRange) -> ByteRange {
        ByteRange(first: min(first, other.first), last: max(last, other.last))
    }
}

/// Ranges of one representation. As `RangeSelection.several`: two to sixteen, none of which touches another.
package struct ByteRangeList: Sendable {
    /// The most ranges.
    package static let capacity = 16

    private var ranges: InlineArray<16, ByteRange?> = InlineArray(repeating: nil)
    /// How many ranges there are.
    package private(set) var count = 0

    init() {}

    /// The range at `index`, which is below `count`.
    package subscript(index: Int) -> ByteRange {
        guard index < count, let range = ranges[index] else { preconditionFailure("range \(index) of \(count)") }
        return range
    }

    /// Adds a range at the end; false if there is no room.
    mutating func append(_ range: ByteRange) -> Bool {
        guard count < Self.capacity else { return false }
        ranges[count] = range
        count &+= 1
        return true
    }

    /// The same octets without a range that touches another (RFC 9110, section 15.3.7.2 allows to coalesce).
    ///
    /// Where nothing touches, the order of the request is kept, as that section recommends; otherwise ranges ascend.
    func coalesced() -> ByteRangeList {
        var sorted = self
        sorted.sort()
        var merged = ByteRangeList()
        for index in 0..<sorted.count {
            let range = sorted[index]
            if merged.count > 0, merged[merged.count &- 1].touches(range) {
                merged.ranges[merged.count &- 1] = merged[merged.count &- 1].union(range)
            } else {
                // Never full: no more ranges go in than came out of a list of the same size.
                _ = merged.append(range)
            }
        }
        return merged.count == count ? self : merged
    }

    /// By first octet. Insertion sort: sixteen at most, mostly in order already, and nothing to allocate.
    private mutating func sort() {
        var index = 1
        while index < count {
            let range = self[index]
            var hole = index
            while hole > 0, self[hole &- 1].first > range.first {
                ranges[hole] = ranges[hole &- 1]
                hole &-= 1
            }
            ranges[hole] = range
            index &+= 1
        }
    }
}
