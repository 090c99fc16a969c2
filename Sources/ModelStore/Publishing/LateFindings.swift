package import ModelCatalog
internal import Synchronization

/// A program that is not what `main.hash` beside it says.
package struct HashMismatch: Equatable, Sendable {
    /// Relative to the release's folder.
    package let path: String
    package let expected: ContentDigest
    package let found: ContentDigest

    var message: String {
        "has the SHA-256 \(found.hex), but main.hash beside it says \(expected.hex): a device refuses such a model; "
            + "build it again, or copy it again from where it was built"
    }
}

/// Findings that no look at the folder makes: they come up while the plan is carried out.
extension PublishError {
    /// The findings that this failure stands for; none for what is another kind of failure.
    ///
    /// - Parameter isError: false for what the operator allowed.
    package func findings(isError: Bool = true) -> [PublishFinding] {
        switch self {
        case .hashMismatch(let mismatches):
            mismatches.map {
                PublishFinding(
                    id: .hashMismatch,
                    isError: isError,
                    path: PrintableText.of($0.path),
                    message: $0.message
                )
            }
        case .notEnoughSpace(let needed, let available):
            [
                PublishFinding(
                    id: .notEnoughSpace,
                    isError: isError,
                    path: ".",
                    message: Self.notEnoughSpace(needed, available)
                )
            ]
        default: []
        }
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

    /// Keeps the findings that a failure stands for; throws the failure where there are none, or they are not allowed.
    func add(_ error: PublishError, if isAllowed: Bool) throws(PublishError) {
        let found = error.findings(isError: false)
        guard isAllowed, !found.isEmpty else { throw error }
        findings.withLock { $0 += found }
    }
}
