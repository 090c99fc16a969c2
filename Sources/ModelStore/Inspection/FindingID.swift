/// What can be wrong with a build's folder; the raw values are what `--allow` takes and `--json` gives.
package enum FindingID: String, CaseIterable, Sendable {
    case missingPortable = "missing-portable"
    case missingArchitecture = "missing-architecture"
    case unlistedArchitecture = "unlisted-architecture"
    case noArchitectureInName = "no-architecture-in-name"
    case architectureMismatch = "architecture-mismatch"
    case unknownArchitecture = "unknown-architecture"
    case missingProgram = "missing-program"
    case notAProgram = "not-a-program"
    case hashMismatch = "hash-mismatch"
    case missingHash = "missing-hash"
    case unsupportedAssetVersion = "unsupported-asset-version"
    case missingDelegates = "missing-delegates"
    case unresolvedAsset = "unresolved-asset"
    case emptyAsset = "empty-asset"
    case notABundle = "not-a-bundle"
    case nestedAsset = "nested-asset"
    case unsafeEntry = "unsafe-entry"
    case unsafeName = "unsafe-name"
    case caseCollision = "case-collision"
    case emptyFile = "empty-file"
    case systemJunk = "system-junk"
    case notEnoughSpace = "not-enough-space"

    /// Whether it is said and stands in nobody's way.
    package var isWarning: Bool {
        switch self {
        case .unknownArchitecture, .emptyFile, .systemJunk: true
        default: false
        }
    }

    /// Whether `--allow` turns it into a warning. A manifest cannot even express what these two are about.
    package var mayBeAllowed: Bool {
        switch self {
        case .unsafeEntry, .unsafeName: false
        default: true
        }
    }
}
