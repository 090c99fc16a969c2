import Glibc
import HostSystem
import ModelCatalog
import ModelStore
import TestSupport
import Testing

/// A store with everything that reads it.
struct OpenStore {
    let disk: ReleaseStore
    let store: StoreFolder
    let findings: CatalogFindings
    let scanner: CatalogScanner

    init(findingLimit: Int = 1000) throws {
        disk = try ReleaseStore()
        store = try StoreFolder(root: disk.root)
        findings = CatalogFindings(limit: findingLimit)
        scanner = CatalogScanner(store: store, findings: findings)
    }

    /// `model version...`, newest first, a line for each model.
    static func outline(_ snapshot: CatalogSnapshot) -> [String] {
        snapshot.sortedNames.map { name in
            ([name] + (snapshot.model(name)?.versions.map(\.version.text) ?? [])).joined(separator: " ")
        }
    }

    func entry(_ model: String, _ version: String, in snapshot: CatalogSnapshot) throws -> VersionEntry {
        let version = try #require(Version(version))
        return try #require(snapshot.model(model)?.version(version))
    }

    /// The paths that findings are about.
    var foundPaths: [String] { findings.list().map(\.path) }
}

extension ModelName {
    static func named(_ text: String) throws -> ModelName { try #require(ModelName(text)) }
}

/// Looks until `condition` holds, for as long as a slow machine may take; the outcome, not the time, is what is tested.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
        if try condition() { return true }
        poll(nil, 0, 5)
    }
    return try condition()
}

/// Whether permissions hold this process back; they do not hold root.
var permissionsCount: Bool { geteuid() != 0 }
