/// Findings as they are made; the one place where `--allow` counts.
struct FindingList {
    private let allowed: Set<FindingID>
    private var findings: [PublishFinding] = []
    private var paths: Set<[UInt8]> = []

    init(allowed: Set<FindingID>) {
        self.allowed = allowed
    }

    /// - Parameters:
    ///   - path: from the release's folder on; empty for the folder itself.
    ///   - message: on one line, and printable but for what it says of names.
    mutating func add(_ id: FindingID, at path: [UInt8], _ message: String) {
        paths.insert(path)
        findings.append(
            PublishFinding(
                id: id,
                isError: !id.isWarning && !isAllowed(id),
                path: path.isEmpty ? "." : PrintableText.of(path),
                message: PrintableText.of(message)
            )
        )
    }

    /// Whether something was said of exactly this path.
    func isAbout(_ path: [UInt8]) -> Bool { paths.contains(path) }

    func isAllowed(_ id: FindingID) -> Bool { id.mayBeAllowed && allowed.contains(id) }

    var hasErrors: Bool { findings.contains(where: \.isError) }

    /// By the octets of the paths, then by the ids.
    var sorted: [PublishFinding] {
        findings.sorted { left, right in
            if left.path.utf8.elementsEqual(right.path.utf8) {
                return (left.id.rawValue, left.message) < (right.id.rawValue, right.message)
            }
            return left.path.utf8.lexicographicallyPrecedes(right.path.utf8)
        }
    }
}
