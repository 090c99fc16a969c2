/// The version of an operating system: one to three numbers, as in `27`, `27.1` or `27.1.2`.
///
/// A missing number is 0, so `27` and `27.0` are equal; the text stays as it was written.
package struct OSVersion: Hashable, Comparable, CustomStringConvertible, Sendable {
    package let text: String
    package let major: UInt32
    package let minor: UInt32
    package let patch: UInt32

    /// - Returns: nil where `text` is no such version: a number of more than nine digits is none.
    package init?(_ text: String) {
        var numbers: [UInt32] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard numbers.count < 3, !part.isEmpty, part.count <= 9, part.allSatisfy(\.isASCIIDigit) else { return nil }
            numbers.append(part.reduce(0) { $0 * 10 + UInt32($1 - UInt8(ascii: "0")) })
        }
        guard let first = numbers.first else { return nil }
        self.text = text
        major = first
        minor = numbers.count > 1 ? numbers[1] : 0
        patch = numbers.count > 2 ? numbers[2] : 0
    }

    package var description: String { text }

    package static func == (left: OSVersion, right: OSVersion) -> Bool {
        (left.major, left.minor, left.patch) == (right.major, right.minor, right.patch)
    }

    package static func < (left: OSVersion, right: OSVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(major)
        hasher.combine(minor)
        hasher.combine(patch)
    }
}
