/// The name of a channel: `[a-z][a-z0-9-]{0,31}`. It starts with a letter, so it is never taken for a version.
package struct ChannelName: Hashable, Comparable, CustomStringConvertible, Sendable {
    package let text: String

    /// The channel that needs no pointer: the highest version that is neither a prerelease nor withdrawn.
    package static let latest = ChannelName(trusted: "latest")
    /// What the Hub's clients call `latest`.
    package static let main = ChannelName(trusted: "main")
    /// Not a channel: the last segment of a device's question.
    package static let resolve = ChannelName(trusted: "resolve")

    /// - Returns: nil where `text` breaks the rule. Reserved names are names: see `isReserved`.
    package init?(_ text: String) {
        guard
            text.isName(
                upTo: 32,
                first: \.isASCIILower,
                others: { $0.isASCIILower || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
            )
        else { return nil }
        self.text = text
    }

    private init(trusted text: String) { self.text = text }

    /// Whether nobody may point a channel of this name anywhere.
    package var isReserved: Bool { self == .latest || self == .main || self == .resolve }

    package var description: String { text }

    package static func < (left: ChannelName, right: ChannelName) -> Bool { precedesByBytes(left.text, right.text) }
}
