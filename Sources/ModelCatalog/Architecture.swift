/// What `AIModel.deviceArchitectureName` returns on a device: `[a-z][a-z0-9_]{0,31}`, as in `h18p`.
///
/// An open set: the hardware of next year has a name that nobody knows today. Never derived from a marketing name.
package struct Architecture: Hashable, Comparable, CustomStringConvertible, Sendable {
    package let text: String

    /// - Returns: nil where `text` breaks the rule.
    package init?(_ text: String) {
        guard
            text.isName(
                upTo: 32,
                first: \.isASCIILower,
                others: { $0.isASCIILower || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
            )
        else { return nil }
        self.text = text
    }

    package var description: String { text }

    package static func < (left: Architecture, right: Architecture) -> Bool { precedesByBytes(left.text, right.text) }
}
