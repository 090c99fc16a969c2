internal import ModelCatalog
internal import ModelStore

/// The store as a command sees it that only looks; what is wrong in it is told on standard error.
struct PublishedStore {
    let snapshot: CatalogSnapshot
    let manifests: ManifestCache
    private let root: String
    private let findings: CatalogFindings

    /// Throws `StoreError` where there is none.
    init(root: String) throws {
        self.root = root
        findings = CatalogFindings(onFinding: { Output.errorText("\(Terminal.yellow("finding:")) \($0)\n") })
        let store = try StoreFolder(root: root)
        snapshot = try CatalogScanner(store: store, findings: findings).scan()
        manifests = ManifestCache(store: store, findings: findings)
    }

    /// The model of this name. Throws where it is not published, with one that may have been meant.
    func entry(_ name: String) throws -> ModelEntry {
        guard let entry = snapshot.model(name) else { throw UnknownModel(name: name, known: snapshot.sortedNames) }
        return entry
    }

    /// Throws where nothing is published and something was found: perhaps the wrong folder, and "nothing" must not look
    /// like an answer then.
    func requireAnything() throws {
        if snapshot.sortedNames.isEmpty, findings.count > 0 { throw NothingFound(root: root) }
    }

    private struct UnknownModel: Error, CustomStringConvertible {
        let name: String
        let known: [String]

        var description: String {
            let close = SpellingSuggestions.close(to: name, among: known, limit: 1).first
            return "no model \(name) is published" + (close.map { "; did you mean \($0)?" } ?? "")
        }
    }

    private struct NothingFound: Error, CustomStringConvertible {
        let root: String
        var description: String {
            "nothing is published below \(root), and what was found is named above; is it the folder?"
        }
    }
}
