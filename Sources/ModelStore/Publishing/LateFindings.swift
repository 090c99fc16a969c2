internal import ModelCatalog
internal import Synchronization

/// Findings that no look at the folder makes: they come up while the plan is carried out.
extension PublishError {
    /// The finding that this failure is; nil for what is none.
    ///
    /// - Parameter isError: false for one that the operator allowed.
    package func finding(isError: Bool = true) -> PublishFinding? {
        switch self {
        case .hashMismatch(let path, let expected, let found):
            PublishFinding(
                id: .hashMismatch,
                isError: isError,
                path: PrintableText.of(path),
                message: Self.hashMismatch(expected, found)
            )
        case .notEnoughSpace(let needed, let available):
            PublishFinding(
                id: .notEnoughSpace,
                isError: isError,
                path: ".",
                message: Self.notEnoughSpace(needed, available)
            )
        default: nil
        }
    }

    static func hashMismatch(_ expected: ContentDigest, _ found: ContentDigest) -> String {
        "has the SHA-256 \(found.hex), but main.hash beside it says \(expected.hex): a device refuses such a model; "
            + "build it again, or copy it again from where it was built"
    }

    static func notEnoughSpace(_ needed: UInt64, _ available: UInt64) -> String {
        "the release needs about \(needed) octets on the store's disk and \(available) are free: free some "
            + "(aimodel-host prune), or move the store"
    }
}

/// What came up and was allowed. Any thread may use it.
final class AllowedFindings: Sendable {
    private let findings = Mutex<[PublishFinding]>([])

    /// Sorted by path.
    var all: [PublishFinding] {
        findings.withLock { $0 }.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Keeps the finding that a failure is; throws the failure where it is none, or not allowed.
    func add(_ error: PublishError, if isAllowed: Bool) throws(PublishError) {
        guard isAllowed, let finding = error.finding(isError: false) else { throw error }
        findings.withLock { $0.append(finding) }
    }
}
