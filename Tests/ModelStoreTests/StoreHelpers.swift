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
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
        if try condition() { return true }
        poll(nil, 0, 5)
    }
    return try condition()
}

/// Runs `body` with permissions counting even for root: the thread's file system user is nobody meanwhile, which takes
/// the capability to pass over them; setfsuid(2). For anybody else nothing changes.
func withPermissionsCounting<Result>(_ body: () throws -> Result) throws -> Result {
    if geteuid() != 0 { return try body() }
    // The overlay does not import <sys/fsuid.h>; seteuid(2) would change the user of all threads, other tests' too.
    typealias SetUser = @convention(c) (uid_t) -> CInt
    let symbol = try #require(dlsym(nil, "setfsuid"))
    let setUser = unsafeBitCast(symbol, to: SetUser.self)
    _ = setUser(65534)
    defer { _ = setUser(0) }
    return try body()
}
