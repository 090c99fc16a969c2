/// The name of a model: `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`, and no asset's or archive's ending.
///
/// Case counts. The order is that of the bytes.
package struct ModelName: Hashable, Comparable, CustomStringConvertible, Sendable {
    package let text: String

    /// - Returns: nil where `text` breaks the rule.
    package init?(_ text: String) {
        guard
            text.isName(
                upTo: 128,
                first: \.isASCIIAlphanumeric,
                others: {
                    $0.isASCIIAlphanumeric || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
                        || $0 == UInt8(ascii: "-")
                }
            )
        else { return nil }
        // Such a name would read as an asset or its archive one level up.
        for ending in [".aimodel", ".aimodelc", ".tar"] where text.hasSuffix(ending) { return nil }
        self.text = text
    }

    package var description: String { text }

    package static func < (left: ModelName, right: ModelName) -> Bool { precedesByBytes(left.text, right.text) }
}
