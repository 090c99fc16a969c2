import Glibc
import HostSystem
import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("CatalogScanner: a snapshot of what is published")
struct CatalogScannerTests {
    private let open: OpenStore

    init() throws {
        open = try OpenStore()
    }

    private var disk: ReleaseStore { open.disk }

    private func publish(_ model: String, _ versions: String...) throws {
        for version in versions { try disk.publish(.minimal(model: model, version: version)) }
    }

    private func put(_ text: String, _ path: String) throws {
        try TemporaryFolder.write(Array(text.utf8), to: disk.path(path))
    }

    @Test("an empty store is an empty snapshot, the very one there was")
    func empty() throws {
        let snapshot = try open.scanner.scan()
        #expect(snapshot.models.isEmpty)
        #expect(snapshot.generation == CatalogSnapshot.empty.generation)
        #expect(open.foundPaths.isEmpty)
    }

    @Test("each manifest is a version, newest first; models are sorted")
    func scans() throws {
        try publish("Sam3", "1.4.0", "1.10.0", "1.9.0", "2.0.0-beta.1")
        try publish("Qwen3-0.6B", "2026-12-01")
        let snapshot = try open.scanner.scan()
        #expect(OpenStore.outline(snapshot) == ["Qwen3-0.6B 2026-12-01", "Sam3 2.0.0-beta.1 1.10.0 1.9.0 1.4.0"])
        #expect(snapshot.model("Sam3")?.latest?.text == "1.10.0")
        #expect(open.foundPaths.isEmpty)
    }

    @Test("a version whose manifest is broken is in the snapshot all the same: it is the manifest's reader who tells")
    func notRead() throws {
        try put("{", "manifests/Sam3/1.0.0.json")
        #expect(OpenStore.outline(try open.scanner.scan()) == ["Sam3 1.0.0"])
        #expect(open.foundPaths.isEmpty)
    }

    @Test("trees without a manifest are not published")
    func treesOnly() throws {
        try publish("Sam3", "1.0.0")
        try disk.removeManifest(model: "Sam3", version: "1.0.0")
        #expect(try open.scanner.scan().models.isEmpty)
    }

    @Test("names that break the rules are findings, and the rest is served; drafts are passed over in silence")
    func badNames() throws {
        try publish("Sam3", "1.0.0")
        try put("{}", "manifests/Sam3/.1.1.0.json.draft")
        try put("{}", "manifests/Sam3/.hidden")
        try put("{}", "manifests/Sam3/1.1.0.json~")
        try put("{}", "manifests/Sam3/v1.json")
        try put("{}", "manifests/Sam3/.json")
        try put("{}", "manifests/Sam3/README")
        try put("{}", "manifests/not a model/1.0.0.json")
        try put("{}", "manifests/Sam3.aimodel/1.0.0.json")
        try put("{}", "manifests/file.json")
        try put("{}", "manifests/.git/1.0.0.json")
        #expect(OpenStore.outline(try open.scanner.scan()) == ["Sam3 1.0.0"])
        #expect(
            open.foundPaths == [
                "manifests/Sam3.aimodel", "manifests/Sam3/1.1.0.json~", "manifests/Sam3/README",
                "manifests/Sam3/v1.json", "manifests/file.json", "manifests/not a model",
            ]
        )
    }

    @Test("links, folders and FIFOs are no manifests, a link is no model, and none holds the scan")
    func notRegular() throws {
        try publish("Sam3", "1.0.0")
        let manifest = disk.manifestPath("Sam3", "1.0.0")
        try #require(symlink(manifest, disk.manifestPath("Sam3", "1.1.0")) == 0)
        try TemporaryFolder.makeFolder(disk.manifestPath("Sam3", "1.2.0"))
        try #require(mkfifo(disk.manifestPath("Sam3", "1.3.0"), 0o644) == 0)
        try #require(symlink("Sam3", disk.path("manifests/Alias")) == 0)
        #expect(OpenStore.outline(try open.scanner.scan()) == ["Sam3 1.0.0"])
        #expect(
            open.foundPaths == [
                "manifests/Alias", "manifests/Sam3/1.1.0.json", "manifests/Sam3/1.2.0.json",
                "manifests/Sam3/1.3.0.json",
            ]
        )
        try TemporaryFolder.remove(disk.path("manifests/Alias"))
        for version in ["1.1.0", "1.2.0", "1.3.0"] { try disk.removeManifest(model: "Sam3", version: version) }
        _ = try open.scanner.scan()
        #expect(open.foundPaths.isEmpty)
    }

    @Test("a folder without a version is no model")
    func noVersions() throws {
        try disk.writeRecord(model: "Sam3", channels: ["stable": "1.0.0"])
        #expect(try open.scanner.scan().models.isEmpty)
        #expect(open.foundPaths.isEmpty)
    }

    @Test("without manifests/ nothing is published, and a finding says so")
    func noManifests() throws {
        try publish("Sam3", "1.0.0")
        let before = try open.scanner.scan()
        try TemporaryFolder.remove(disk.path("manifests"))
        let after = try open.scanner.scan(after: before)
        #expect(after.models.isEmpty)
        #expect(after.generation == before.generation + 1)
        #expect(open.foundPaths == ["manifests"])
        try publish("Sam3", "1.0.0")
        #expect(OpenStore.outline(try open.scanner.scan(after: after)) == ["Sam3 1.0.0"])
        #expect(open.foundPaths.isEmpty)
    }

    @Test("manifests/ may be a link of the operator's")
    func linkedManifests() throws {
        try publish("Sam3", "1.0.0")
        try #require(rename(disk.path("manifests"), disk.path("elsewhere")) == 0)
        try #require(symlink("elsewhere", disk.path("manifests")) == 0)
        #expect(OpenStore.outline(try open.scanner.scan()) == ["Sam3 1.0.0"])
    }

    @Test("what did not change is taken over: same entries, and the same snapshot when it is all")
    func takenOver() throws {
        try publish("A", "1.0.0")
        try publish("B", "1.0.0")
        let first = try open.scanner.scan()
        #expect(try open.scanner.scan(after: first).generation == first.generation)
        try publish("B", "1.1.0")
        let second = try open.scanner.scan(after: first)
        #expect(second.generation == first.generation + 1)
        #expect(second.model("A") === first.model("A"))
        #expect(OpenStore.outline(second) == ["A 1.0.0", "B 1.1.0 1.0.0"])
        #expect(OpenStore.outline(first) == ["A 1.0.0", "B 1.0.0"])
    }

    @Test("a manifest that is put anew is another entry, even at the same size")
    func newStamp() throws {
        try publish("A", "1.0.0")
        let first = try open.scanner.scan()
        try publish("A", "1.0.0")
        let second = try open.scanner.scan(after: first)
        let before = try open.entry("A", "1.0.0", in: first)
        let after = try open.entry("A", "1.0.0", in: second)
        #expect(before.stamp != after.stamp)
        #expect(before.stamp.size == after.stamp.size)
    }

    @Test("a rescan of one model leaves all others alone")
    func rescan() throws {
        try publish("A", "1.0.0")
        try publish("B", "1.0.0")
        let first = try open.scanner.scan()
        try publish("A", "1.1.0")
        try publish("B", "1.1.0")
        let second = open.scanner.rescan(model: try .named("A"), in: first)
        #expect(OpenStore.outline(second) == ["A 1.1.0 1.0.0", "B 1.0.0"])
        try TemporaryFolder.remove(disk.path("manifests/A"))
        let third = open.scanner.rescan(model: try .named("A"), in: second)
        #expect(OpenStore.outline(third) == ["B 1.0.0"])
        #expect(open.scanner.rescan(model: try .named("A"), in: third).generation == third.generation)
    }

    @Test("a rescan clears the findings of the folder, and of one that is gone")
    func rescanFindings() throws {
        try publish("A", "1.0.0")
        try put("", "manifests/A/README")
        try put("", "manifests/B")
        let first = try open.scanner.scan()
        #expect(open.foundPaths == ["manifests/A/README", "manifests/B"])
        try TemporaryFolder.remove(disk.path("manifests/A"))
        try TemporaryFolder.remove(disk.path("manifests/B"))
        let second = open.scanner.rescan(model: try .named("A"), in: first)
        _ = open.scanner.rescan(model: try .named("B"), in: second)
        #expect(open.foundPaths.isEmpty)
    }

    @Test("a folder that cannot be read now is not a folder that is gone")
    func unreadable() throws {
        try #require(chmod(disk.root, 0o755) == 0)
        try publish("A", "1.0.0")
        try publish("B", "1.0.0")
        let first = try open.scanner.scan()
        try #require(chmod(disk.path("manifests/A"), 0) == 0)
        let second = try withPermissionsCounting { try open.scanner.scan(after: first) }
        #expect(second.generation == first.generation)
        #expect(open.foundPaths == ["manifests/A"])
        let outcome = try withPermissionsCounting { open.scanner.look(at: [first.models["A"]!.name], after: first) }
        #expect(outcome.snapshot.generation == first.generation)
        #expect(outcome.unread.map(\.text) == ["A"])
        try #require(chmod(disk.path("manifests"), 0) == 0)
        #expect(throws: StoreError.cannotList(folder: disk.path("manifests"), .accessDenied)) {
            try withPermissionsCounting { try open.scanner.scan(after: first) }
        }
        try #require(chmod(disk.path("manifests"), 0o755) == 0)
        try #require(chmod(disk.path("manifests/A"), 0o755) == 0)
        _ = try withPermissionsCounting { try open.scanner.scan(after: second) }
        #expect(open.foundPaths.isEmpty)
    }

    @Test("findings are bounded, however much is wrong")
    func boundedFindings() throws {
        let open = try OpenStore(findingLimit: 10)
        for number in 0..<25 { try TemporaryFolder.write([], to: open.disk.path("manifests/Sam3/draft\(number)")) }
        _ = try open.scanner.scan()
        #expect(open.findings.list().count == 10)
        #expect(open.findings.omittedCount == 15)
        try TemporaryFolder.remove(open.disk.path("manifests/Sam3"))
        _ = try open.scanner.scan()
        #expect(open.findings.count == 0)
    }
}
