import Glibc
import HostSystem
import ModelCatalog
import Synchronization
import TestSupport
import Testing

@testable import ModelStore

/// A store that is watched, and whoever watches it; ends with the test.
private final class Watched: Sendable {
    let disk: ReleaseStore
    let findings: CatalogFindings
    let publisher: CatalogPublisher
    private let watcher: CatalogWatcher

    init(
        _ means: CatalogWatcher.Means,
        watchLimit: Int = .max,
        prepare: (ReleaseStore) throws -> Void = { _ in }
    ) throws {
        let open = try OpenStore()
        disk = open.disk
        findings = open.findings
        try prepare(disk)
        publisher = CatalogPublisher()
        var timing = CatalogWatcher.Timing()
        if means == .polling || watchLimit < .max { timing.interval = .milliseconds(20) }
        watcher = try CatalogWatcher(
            store: open.store,
            scanner: open.scanner,
            publisher: publisher,
            findings: open.findings,
            means: means,
            timing: timing,
            watchLimit: watchLimit
        )
    }

    deinit {
        watcher.stop()
    }

    func reload() { watcher.reload() }

    /// Whether the snapshot comes to this; one line for each model, newest version first.
    func comes(to lines: String...) -> Bool {
        eventually { OpenStore.outline(publisher.current()) == lines }
    }
}

@Suite("CatalogWatcher: the snapshot follows the folders", .waits)
struct CatalogWatcherTests {
    static let means: [CatalogWatcher.Means] = [.automatic, .polling]

    private func put(_ text: String, _ path: String, _ watched: Watched) throws {
        try TemporaryFolder.write(Array(text.utf8), to: watched.disk.path(path))
    }

    @Test("what is there at the start is published", arguments: means)
    func start(_ means: CatalogWatcher.Means) throws {
        let watched = try Watched(means) { try $0.publish(.minimal(version: "1.0.0")) }
        #expect(watched.comes(to: "Sam3 1.0.0"))
        #expect(watched.publisher.generation == watched.publisher.current().generation)
    }

    @Test("new models and new versions are seen, and generations grow", arguments: means)
    func publishing(_ means: CatalogWatcher.Means) throws {
        let watched = try Watched(means)
        try watched.disk.publish(.minimal(version: "1.0.0"))
        #expect(watched.comes(to: "Sam3 1.0.0"))
        let first = watched.publisher.generation
        try watched.disk.publish(.minimal(version: "1.1.0"))
        #expect(watched.comes(to: "Sam3 1.1.0 1.0.0"))
        try watched.disk.publish(.minimal(model: "Another", version: "1.0.0"))
        #expect(watched.comes(to: "Another 1.0.0", "Sam3 1.1.0 1.0.0"))
        #expect(watched.publisher.generation >= first + 2)
    }

    @Test("a removed version, a removed model and a renamed one are seen", arguments: means)
    func removing(_ means: CatalogWatcher.Means) throws {
        let watched = try Watched(means) { disk in
            for version in ["1.0.0", "1.1.0"] { try disk.publish(.minimal(version: version)) }
            try disk.publish(.minimal(model: "Gone", version: "1.0.0"))
        }
        #expect(watched.comes(to: "Gone 1.0.0", "Sam3 1.1.0 1.0.0"))
        try watched.disk.removeManifest(model: "Sam3", version: "1.1.0")
        #expect(watched.comes(to: "Gone 1.0.0", "Sam3 1.0.0"))
        try TemporaryFolder.remove(watched.disk.path("manifests/Gone"))
        #expect(watched.comes(to: "Sam3 1.0.0"))
        try #require(rename(watched.disk.path("manifests/Sam3"), watched.disk.path("manifests/Sam4")) == 0)
        #expect(watched.comes(to: "Sam4 1.0.0"))
        // The renamed folder is watched under its new name, and one under the old name is another.
        try put("{}", "manifests/Sam4/1.2.0.json", watched)
        #expect(watched.comes(to: "Sam4 1.2.0 1.0.0"))
        try put("{}", "manifests/Sam3/9.0.0.json", watched)
        #expect(watched.comes(to: "Sam3 9.0.0", "Sam4 1.2.0 1.0.0"))
        try put("{}", "manifests/Sam3/9.1.0.json", watched)
        #expect(watched.comes(to: "Sam3 9.1.0 9.0.0", "Sam4 1.2.0 1.0.0"))
    }

    @Test("a model's folder that is exchanged for another is followed", arguments: means)
    func exchangedFolder(_ means: CatalogWatcher.Means) throws {
        let watched = try Watched(means) { try $0.publish(.minimal(version: "1.0.0")) }
        #expect(watched.comes(to: "Sam3 1.0.0"))
        try put("{}", "new/2.0.0.json", watched)
        try #require(rename(watched.disk.path("manifests/Sam3"), watched.disk.path("old")) == 0)
        try #require(rename(watched.disk.path("new"), watched.disk.path("manifests/Sam3")) == 0)
        #expect(watched.comes(to: "Sam3 2.0.0"))
        // What happens in the old folder is nobody's business any more.
        try put("{}", "old/3.0.0.json", watched)
        try put("{}", "manifests/Sam3/2.1.0.json", watched)
        #expect(watched.comes(to: "Sam3 2.1.0 2.0.0"))
    }

    @Test("a changed record is seen, also when it was written in place", arguments: means)
    func record(_ means: CatalogWatcher.Means) throws {
        let stable = try #require(ChannelName("stable"))
        let watched = try Watched(means) { disk in
            for version in ["1.0.0", "1.1.0"] { try disk.publish(.minimal(version: version)) }
            try disk.writeRecord(model: "Sam3", channels: ["stable": "1.0.0"])
        }
        func leads(to version: String) -> Bool {
            eventually {
                watched.publisher.current().model("Sam3")?.record.channels[stable]?.version.text == version
            }
        }
        #expect(leads(to: "1.0.0"))
        try watched.disk.writeRecord(model: "Sam3", channels: ["stable": "1.1.0"])
        #expect(leads(to: "1.1.0"))
        let record = ModelRecord(channels: [stable: Channel(version: try #require(Version("1.0.0")))], withdrawals: [])
        try TemporaryFolder.writeInPlace(record.encoded(), to: watched.disk.recordPath("Sam3"))
        #expect(leads(to: "1.0.0"))
        try put("{", "manifests/Sam3/model.json", watched)
        #expect(eventually { watched.findings.list().map(\.path) == ["manifests/Sam3/model.json"] })
        #expect(leads(to: "1.0.0"))
    }

    @Test("a manifest that is copied in place is broken at first, and whole in the end")
    func torn() throws {
        let watched = try Watched(.automatic) { try TemporaryFolder.makeFolder($0.path("manifests/Sam3")) }
        let store = try StoreFolder(root: watched.disk.root)
        let cache = ManifestCache(store: store, findings: watched.findings)
        let bytes = try ReleaseFixture.minimal().manifest().encoded()
        let path = watched.disk.manifestPath("Sam3", "1.4.0")
        func load() throws -> Result<LoadedManifest, ManifestFailure>? {
            guard let model = watched.publisher.current().model("Sam3") else { return nil }
            return cache.load(model.name, try #require(model.versions.first))
        }
        try TemporaryFolder.writeInPlace(Array(bytes.prefix(100)), to: path)
        #expect(try eventually { if case .failure(.malformed) = try load() { true } else { false } })
        #expect(watched.findings.list().map(\.path) == ["manifests/Sam3/1.4.0.json"])
        try TemporaryFolder.writeInPlace(bytes, to: path)
        #expect(eventually { (try? load()?.get().bytes) == bytes })
        #expect(eventually { watched.findings.list().isEmpty })
    }

    @Test("manifests/ that is removed and made anew is picked up, and so is one that comes late", arguments: means)
    func replacedManifests(_ means: CatalogWatcher.Means) throws {
        let watched = try Watched(means) { try TemporaryFolder.remove($0.path("manifests")) }
        #expect(eventually { watched.findings.list().map(\.path) == ["manifests"] })
        try watched.disk.publish(.minimal(version: "1.0.0"))
        #expect(watched.comes(to: "Sam3 1.0.0"))
        #expect(watched.findings.list().isEmpty)
        try TemporaryFolder.remove(watched.disk.path("manifests"))
        #expect(watched.comes())
        try watched.disk.publish(.minimal(version: "2.0.0"))
        #expect(watched.comes(to: "Sam3 2.0.0"))
        try put("{}", "other/Sam3/3.0.0.json", watched)
        try #require(rename(watched.disk.path("manifests"), watched.disk.path("before")) == 0)
        try #require(rename(watched.disk.path("other"), watched.disk.path("manifests")) == 0)
        #expect(watched.comes(to: "Sam3 3.0.0"))
        try put("{}", "manifests/Sam3/3.1.0.json", watched)
        #expect(watched.comes(to: "Sam3 3.1.0 3.0.0"))
        try put("{}", "manifests/Late/1.0.0.json", watched)
        #expect(watched.comes(to: "Late 1.0.0", "Sam3 3.1.0 3.0.0"))
    }

    @Test("a burst of releases ends with all of them", arguments: means)
    func burst(_ means: CatalogWatcher.Means) throws {
        let watched = try Watched(means)
        for model in 0..<20 {
            for version in 0..<20 { try put("{}", "manifests/M\(model)/1.\(version).0.json", watched) }
        }
        #expect(
            eventually {
                let models = watched.publisher.current().models
                return models.count == 20 && models.values.allSatisfy { $0.versions.count == 20 }
            }
        )
    }

    @Test(
        "where inotify gives no more watches (ENOSPC) a finding says so, and polling goes on",
        arguments: [0, 1, 2, 3]
    )
    func watchLimit(_ limit: Int) throws {
        let watched = try Watched(.automatic, watchLimit: limit) { disk in
            try disk.publish(.minimal(model: "A", version: "1.0.0"))
        }
        #expect(watched.comes(to: "A 1.0.0"))
        try watched.disk.publish(.minimal(model: "B", version: "1.0.0"))
        #expect(watched.comes(to: "A 1.0.0", "B 1.0.0"))
        try watched.disk.publish(.minimal(model: "A", version: "1.1.0"))
        #expect(watched.comes(to: "A 1.1.0 1.0.0", "B 1.0.0"))
        #expect(eventually { watched.findings.list().map(\.path) == ["inotify"] })
    }

    @Test("reload opens the store's folder anew: another one may stand in its place")
    func reload() throws {
        let outer = try TemporaryFolder()
        let first = try ReleaseStore("\(outer.path)/store")
        try first.publish(.minimal(version: "1.0.0"))
        let second = try ReleaseStore("\(outer.path)/next")
        try second.publish(.minimal(version: "2.0.0"))
        let findings = CatalogFindings()
        let store = try StoreFolder(root: first.root)
        let publisher = CatalogPublisher()
        let watcher = try CatalogWatcher(
            store: store,
            scanner: CatalogScanner(store: store, findings: findings),
            publisher: publisher,
            findings: findings
        )
        defer { watcher.stop() }
        func comes(to line: String) -> Bool { eventually { OpenStore.outline(publisher.current()) == [line] } }
        #expect(comes(to: "Sam3 1.0.0"))
        try #require(rename(first.root, "\(outer.path)/old") == 0)
        watcher.reload()
        // Nothing stands there for now: what was open is read on.
        #expect(eventually { findings.list().map(\.path).contains(".") })
        #expect(comes(to: "Sam3 1.0.0"))
        try #require(rename(second.root, first.root) == 0)
        watcher.reload()
        #expect(comes(to: "Sam3 2.0.0"))
        #expect(eventually { findings.list().isEmpty })
        try second.publish(.minimal(version: "1.0.0"))
        try TemporaryFolder.write(Array("{}".utf8), to: "\(first.root)/manifests/Sam3/2.1.0.json")
        #expect(comes(to: "Sam3 2.1.0 2.0.0"))
    }

    @Test("after stop nothing is published, and a second stop does nothing")
    func stop() throws {
        let open = try OpenStore()
        let publisher = CatalogPublisher()
        let watcher = try CatalogWatcher(
            store: open.store,
            scanner: open.scanner,
            publisher: publisher,
            findings: open.findings
        )
        watcher.stop()
        try open.disk.publish(.minimal())
        watcher.stop()
        watcher.reload()
        #expect(publisher.current().models.isEmpty)
    }
}
