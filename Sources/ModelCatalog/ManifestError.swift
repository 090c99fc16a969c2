/// Why some bytes are not the manifest of a version, or why a release cannot be one. Each says what, and where.
package enum ManifestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are no JSON.
    case notJSON(String)
    /// A key that must be there is not, or its value is of another type.
    case malformed(at: String, String)
    /// A newer program wrote it.
    case unsupportedSchema(Int)
    /// What the manifest says of itself is not where it stands.
    case misplaced(key: String, found: String, expected: String)
    /// A text that breaks the rule of its kind.
    case invalid(at: String, String, rule: String)
    /// A figure or a name that does not follow from the rest.
    case disagreement(at: String, found: String, expected: String)
    case noAssets
    case noFiles(at: String)
    case duplicateAsset(AssetName)
    /// The same path twice, or one path that is also a folder of the other.
    case conflictingPaths(at: String, RelativePath, RelativePath)
    /// Beyond `Manifest.maximumSize`.
    case tooLarge(at: String)
    case reservedCompanion(RelativePath)
    case companionInPlaceOfAsset(RelativePath)

    package var description: String {
        switch self {
        case .notJSON(let detail):
            "the manifest is not JSON (\(detail)); it may be cut short: copy it again from where it was published"
        case .malformed(let place, let detail):
            "\(place): \(detail)"
        case .unsupportedSchema(let schema):
            "schemaVersion is \(schema), and this program reads \(Manifest.schemaVersion) only: "
                + "use the aimodel-host that wrote it, or a newer one"
        case .misplaced(let key, let found, let expected):
            "\(key) is \(quoted(found)), but the manifest stands where \(quoted(expected)) belongs"
        case .invalid(let place, let text, let rule):
            "\(place): \(quoted(text)) is not \(rule)"
        case .disagreement(let place, let found, let expected):
            "\(place) is \(onOneLine(found)), but the rest of the manifest makes it \(expected)"
        case .noAssets:
            "assets is empty: a release has at least one asset"
        case .noFiles(let place):
            "\(place) has no files"
        case .duplicateAsset(let name):
            "asset \(name) is there twice"
        case .conflictingPaths(let place, let one, let other):
            one == other
                ? "\(place): the path \(quoted(one.text)) is there twice"
                : "\(place): \(quoted(other.text)) is a file, and a folder of \(quoted(one.text)) too"
        case .tooLarge(let place):
            "\(place): the size passes \(Manifest.maximumSize) bytes, the most that a file offset can count"
        case .reservedCompanion(let path):
            "companion \(quoted(path.text)): \(Manifest.reservedNames.joined(separator: " and ")) are reserved at the top "
                + "of a release; rename it or put it into a folder"
        case .companionInPlaceOfAsset(let path):
            "companion \(quoted(path.text)) stands where an asset or its archive belongs; rename it"
        }
    }
}

/// The text in quotation marks, on one line whatever is in it, and cut where it is long.
func quoted(_ text: String) -> String {
    let limit = 256
    guard text.utf8.count > limit else { return text.debugDescription }
    return String(text.unicodeScalars.prefix(limit / 4)).debugDescription + " (cut)"
}

/// The text as it is; quoted where it would not stay on its line, or is long. For what is mostly a number or a key, and
/// may still be anything that somebody wrote.
func onOneLine(_ text: String) -> String {
    let isPlain = text.utf8.count <= 256 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    return isPlain ? text : quoted(text)
}
