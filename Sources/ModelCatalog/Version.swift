/// The version of a release: `[0-9][A-Za-z0-9.+-]{0,63}`.
///
/// Equality is that of the text, for the text is what the folder is named. The order is total (see `VersionOrder`):
/// Semantic Versioning 2.0 precedence where both parse, every such version above every other one, numbers in the
/// others compared as numbers, and whatever is still even (build metadata, leading zeros) told apart by its bytes.
package struct Version: Hashable, Comparable, CustomStringConvertible, Sendable {
    package let text: String
    private let cuts: VersionCuts

    /// - Returns: nil where `text` breaks the rule.
    package init?(_ text: String) {
        guard
            text.isName(
                upTo: 64,
                first: \.isASCIIDigit,
                others: {
                    $0.isASCIIAlphanumeric || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "+")
                        || $0 == UInt8(ascii: "-")
                }
            )
        else { return nil }
        self.text = text
        cuts = VersionCuts(text)
    }

    package var description: String { text }

    /// Whether `latest` passes this version over: a prerelease in the sense of SemVer 2.0, section 9.
    ///
    /// A version that is no SemVer has one where a hyphen is followed by a letter: `1.5-beta` has, the date
    /// `2026-12-01` has not. To hold a version back is noticed at once; to serve a beta to everybody is not.
    package var isPrerelease: Bool { cuts.prereleaseStart != 0 }

    package static func == (left: Version, right: Version) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    package static func < (left: Version, right: Version) -> Bool {
        switch VersionOrder.compare(VersionOrder(left.text, left.cuts), VersionOrder(right.text, right.cuts)) {
        case .less: true
        case .greater: false
        case .even: precedesByBytes(left.text, right.text)
        }
    }
}
