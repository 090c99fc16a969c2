/// Decimal numbers of fields: digits and nothing else.
enum Decimal {
    /// The value of `range`; nil if it is empty, holds another octet than a digit or does not fit.
    static func parse(_ octets: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        guard !range.isEmpty else { return nil }
        var value: UInt64 = 0
        for index in range {
            guard Octets.isDigit(octets[index]) else { return nil }
            let (tens, overflowed) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) = tens.addingReportingOverflow(UInt64(octets[index] &- 0x30))
            guard !overflowed, !carried else { return nil }
            value = sum
        }
        return value
    }

    /// The value of `range`, which holds digits alone; the largest there is if it does not fit.
    static func saturating(_ octets: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        range.isEmpty ? 0 : parse(octets, range) ?? .max
    }

    /// True if the number that `left` writes is less than the one of `right`, however long both are.
    static func isLess(_ octets: Span<UInt8>, _ left: Range<Int>, than right: Range<Int>) -> Bool {
        let left = significant(octets, left)
        let right = significant(octets, right)
        if left.count != right.count { return left.count < right.count }
        for offset in 0..<left.count {
            let leftDigit = octets[left.lowerBound &+ offset]
            let rightDigit = octets[right.lowerBound &+ offset]
            if leftDigit != rightDigit { return leftDigit < rightDigit }
        }
        return false
    }

    /// Appends `value` in decimal to `output`; nothing else is allocated.
    static func append(_ value: UInt64, to output: inout [UInt8]) {
        var digits: InlineArray<20, UInt8> = InlineArray(repeating: 0)
        var start = digits.count
        var rest = value
        repeat {
            start &-= 1
            digits[start] = 0x30 | UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        for index in start..<digits.count { output.append(digits[index]) }
    }

    /// Appends `value` in decimal with leading zeros, `width` digits; digits beyond that are left out.
    static func append(_ value: Int, width: Int, to output: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<max(width, 1) { divisor &*= 10 }
        while divisor > 0 {
            output.append(0x30 | UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }

    private static func significant(_ octets: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        while start < range.upperBound, octets[start] == UInt8(ascii: "0") { start &+= 1 }
        return start..<range.upperBound
    }
}
