/// A set of octet numbers as intervals that neither overlap nor touch: what is covered of a file, however many requests
/// covered it and in whatever order.
package struct IntervalSet: Equatable, Sendable {
    /// In order; none empty, and a gap between each two.
    package private(set) var intervals: [Range<UInt64>] = []
    /// How many octets are in the set.
    package private(set) var count: UInt64 = 0

    package init() {}

    /// Adds a range; an empty one changes nothing.
    ///
    /// - Parameter limit: the most intervals the set may have.
    /// - Returns: false where the range would have been one interval too many; the set is as it was.
    @discardableResult
    package mutating func insert(_ range: Range<UInt64>, limit: Int = .max) -> Bool {
        if range.isEmpty { return true }
        // The intervals that the range overlaps or touches are those from `first` up to `end`.
        let first = firstIndex { $0.upperBound >= range.lowerBound }
        let end = firstIndex { $0.lowerBound > range.upperBound }
        if first == end {
            guard intervals.count < limit else { return false }
            intervals.insert(range, at: first)
            count += range.upperBound - range.lowerBound
            return true
        }
        let lower = min(range.lowerBound, intervals[first].lowerBound)
        let upper = max(range.upperBound, intervals[end - 1].upperBound)
        for interval in intervals[first..<end] { count -= interval.upperBound - interval.lowerBound }
        count += upper - lower
        intervals[first] = lower..<upper
        intervals.removeSubrange((first + 1)..<end)
        return true
    }

    package func contains(_ octet: UInt64) -> Bool { interval(containing: octet) != nil }

    func interval(containing octet: UInt64) -> Range<UInt64>? {
        let index = firstIndex { $0.upperBound > octet }
        return index < intervals.count && intervals[index].contains(octet) ? intervals[index] : nil
    }

    /// The first octet of the first interval that begins behind `octet`.
    func firstStart(after octet: UInt64) -> UInt64? {
        let index = firstIndex { $0.lowerBound > octet }
        return index < intervals.count ? intervals[index].lowerBound : nil
    }

    /// The first index whose interval answers true; those before it answer false and those behind it true.
    private func firstIndex(where isBehind: (Range<UInt64>) -> Bool) -> Int {
        var low = 0
        var high = intervals.count
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(intervals[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension IntervalSet {
    /// The set as the ledger keeps it: for each interval the gap before it and its length, each as LEB128.
    var octets: [UInt8] {
        var octets: [UInt8] = []
        var position: UInt64 = 0
        for interval in intervals {
            Self.append(interval.lowerBound - position, to: &octets)
            Self.append(interval.upperBound - interval.lowerBound, to: &octets)
            position = interval.upperBound
        }
        return octets
    }

    /// - Returns: nil where the octets are not what `octets` makes.
    init?(octets: [UInt8]) {
        var rest = octets[...]
        var position: UInt64 = 0
        while !rest.isEmpty {
            guard
                let gap = Self.take(&rest), let length = Self.take(&rest), length > 0,
                gap > 0 || intervals.isEmpty
            else { return nil }
            let (lower, overflow) = position.addingReportingOverflow(gap)
            let (upper, overflowToo) = lower.addingReportingOverflow(length)
            if overflow || overflowToo { return nil }
            intervals.append(lower..<upper)
            count += length
            position = upper
        }
    }

    private static func append(_ value: UInt64, to octets: inout [UInt8]) {
        var value = value
        while value >= 0x80 {
            octets.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        octets.append(UInt8(value))
    }

    private static func take(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let octet = rest.popFirst() {
            let bits = UInt64(octet & 0x7F)
            // Of the tenth octet one bit fits.
            guard shift < 63 || (shift == 63 && bits <= 1) else { return nil }
            value |= bits << shift
            if octet < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
