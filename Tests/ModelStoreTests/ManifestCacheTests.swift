import Glibc
import HostSystem
import ModelCatalog
import Synchronization
import TestSupport
import Testing

@testable import ModelStore

@Suite("ManifestCache: manifests on demand, bounded in memory")
struct ManifestCacheTests {
    private let open: OpenStore
    private let model: ModelName
    private var disk: ReleaseStore { open.disk }

    init() throws {
        open = try OpenStore()
        model = try .named("Sam3")
    }

    private func cache(limit: Int = ManifestCache.defaultLimit, summaryLimit: Int = ManifestCache.defaultSummaryLimit)
        -> ManifestCache
    {
        ManifestCache(store: open.store, findings: open.findings, limit: limit, summaryLimit: summaryLimit)
    }

    private func entry(_ version: String) throws -> VersionEntry {
        try open.entry("Sam3", version, in: try open.scanner.scan())
    }

    @Test("a manifest is read once; what is held is the octets on disk and their digest")
    func loads() throws {
        let published = try disk.publish(.standard())
        let entry = try entry("1.4.0")
        let cache = cache()
        #expect(cache.cached(model, entry) == nil)
        let loaded = try cache.load(model, entry).get()
        #expect(loaded.manifest == published)
        #expect(loaded.bytes == (try published.encoded()))
        #expect(loaded.digest == .sha256(of: loaded.bytes))
        try TemporaryFolder.remove(disk.root)
        #expect(try cache.cached(model, entry)?.get() === loaded)
        #expect(try cache.load(model, entry).get() === loaded)
    }

    @Test("the octets are sent as they are, though another program wrote them in another form")
    func octetsKept() throws {
        let canonical = try disk.publish(.minimal()).encoded()
        let bytes = Array(" \n".utf8) + canonical.dropLast() + Array("\n\n".utf8)
        try TemporaryFolder.write(bytes, to: disk.manifestPath("Sam3", "1.4.0"))
        #expect(try cache().load(model, entry("1.4.0")).get().bytes == bytes)
    }

    @Test("an entry of another stamp is read anew")
    func newStamp() throws {
        try disk.publish(.standard(seed: 1))
        let cache = cache()
        let first = try cache.load(model, entry("1.4.0")).get()
        let published = try disk.publish(.standard(seed: 2))
        let entry = try entry("1.4.0")
        #expect(cache.cached(model, entry) == nil)
        let second = try cache.load(model, entry).get()
        #expect(second.manifest == published)
        #expect(second.manifest != first.manifest)
    }

    @Test("a broken manifest is read once, is a finding, and is read again when it changed")
    func broken() throws {
        let good = try disk.publish(.minimal()).encoded()
        let path = disk.manifestPath("Sam3", "1.4.0")
        try TemporaryFolder.write(Array(good.prefix(good.count / 2)), to: path)
        let torn = try entry("1.4.0")
        let cache = cache()
        guard case .failure(.malformed) = cache.load(model, torn) else {
            Issue.record("loaded half a manifest"); return
        }
        #expect(open.foundPaths == ["manifests/Sam3/1.4.0.json"])
        guard case .failure(.malformed) = cache.cached(model, torn) else { Issue.record("not held"); return }
        guard case .failure(.malformed) = cache.cachedSummary(model, torn) else { Issue.record("not held"); return }
        // The finding stands while the file does.
        _ = try open.scanner.scan()
        #expect(open.foundPaths == ["manifests/Sam3/1.4.0.json"])

        try TemporaryFolder.write(good, to: path)
        let whole = try entry("1.4.0")
        #expect(open.foundPaths.isEmpty)
        #expect(try cache.load(model, whole).get().bytes == good)
    }

    @Test(
        "what says another thing than its place is broken",
        arguments: [("Sam3", "1.5.0"), ("Other", "1.4.0")]
    )
    func misplaced(_ model: String, _ version: String) throws {
        let bytes = try ReleaseFixture.minimal(model: model, version: version).manifest().encoded()
        try TemporaryFolder.write(bytes, to: disk.manifestPath("Sam3", "1.4.0"))
        guard case .failure(.malformed) = try cache().load(self.model, entry("1.4.0")) else {
            Issue.record("took a manifest of \(model) \(version)")
            return
        }
    }

    @Test("a manifest that is gone is missing: no finding, and not held against the next one")
    func missing() throws {
        try disk.publish(.minimal())
        let entry = try entry("1.4.0")
        try disk.removeManifest(model: "Sam3", version: "1.4.0")
        let cache = cache()
        guard case .failure(.missing) = cache.load(model, entry) else { Issue.record("not missing"); return }
        #expect(cache.cached(model, entry) == nil)
        #expect(open.foundPaths.isEmpty)
    }

    @Test("a link that took the manifest's place is not followed")
    func link() throws {
        try disk.publish(.minimal())
        let entry = try entry("1.4.0")
        let path = disk.manifestPath("Sam3", "1.4.0")
        try #require(rename(path, disk.path("aside.json")) == 0)
        try #require(symlink(disk.path("aside.json"), path) == 0)
        guard case .failure(.notRegular) = cache().load(model, entry) else { Issue.record("followed a link"); return }
    }

    @Test("a manifest that cannot be read is tried again: a change of permissions leaves the stamp alone")
    func unreadable() throws {
        try #require(chmod(disk.root, 0o755) == 0)
        try disk.publish(.minimal())
        let entry = try entry("1.4.0")
        let cache = cache()
        try #require(chmod(disk.manifestPath("Sam3", "1.4.0"), 0) == 0)
        guard case .failure(.io(.accessDenied)) = try withPermissionsCounting({ cache.load(model, entry) }) else {
            Issue.record("read what it may not")
            return
        }
        #expect(open.foundPaths == ["manifests/Sam3/1.4.0.json"])
        try #require(chmod(disk.manifestPath("Sam3", "1.4.0"), 0o644) == 0)
        #expect(throws: Never.self) { try withPermissionsCounting { try cache.load(model, entry).get() } }
        #expect(open.foundPaths.isEmpty)
    }

    @Test("a file that no manifest can be is refused unread, and held so")
    func tooLarge() throws {
        try TemporaryFolder.makeFolder(disk.path("manifests/Sam3"))
        let size = UInt64(ManifestReader.maximumSize) + 1
        try TemporaryFolder.writeSparse(size: size, tail: [], to: disk.manifestPath("Sam3", "1.4.0"))
        let entry = try entry("1.4.0")
        let cache = cache()
        guard case .failure(.tooLarge) = cache.load(model, entry) else { Issue.record("read it"); return }
        guard case .failure(.tooLarge) = cache.cached(model, entry) else { Issue.record("not held"); return }
    }

    @Test("a file that is being written is not held against the whole one")
    func stale() throws {
        try TemporaryFolder.write(Array("{".utf8), to: disk.manifestPath("Sam3", "1.4.0"))
        let stale = try entry("1.4.0")
        try TemporaryFolder.write(Array("{\"".utf8), to: disk.manifestPath("Sam3", "1.4.0"))
        let cache = cache()
        guard case .failure(.malformed) = cache.load(model, stale) else { Issue.record("loaded it"); return }
        #expect(cache.cached(model, stale) == nil)
    }

    @Test("memory is bounded: the manifests not used for longest go, and are read again when asked for")
    func evicts() throws {
        let versions = (0..<20).map { "1.\($0).0" }
        for version in versions { try disk.publish(.standard(version: version)) }
        let snapshot = try open.scanner.scan()
        let one = try cache().load(model, open.entry("Sam3", "1.0.0", in: snapshot)).get().cost
        let cache = cache(limit: 5 * one + one / 2)
        for version in versions {
            _ = try cache.load(model, open.entry("Sam3", version, in: snapshot)).get()
            // Asked for between all others, so it stays.
            _ = try cache.load(model, open.entry("Sam3", "1.0.0", in: snapshot)).get()
            #expect(cache.use.octets <= 5 * one + one / 2)
        }
        let held = try versions.filter { try cache.cached(model, open.entry("Sam3", $0, in: snapshot)) != nil }
        #expect(held == ["1.0.0", "1.16.0", "1.17.0", "1.18.0", "1.19.0"])
        #expect(try cache.load(model, open.entry("Sam3", "1.5.0", in: snapshot)).get().manifest.version.text == "1.5.0")
    }

    @Test("a listing of many versions reads their manifests and keeps only the summaries")
    func summaries() throws {
        let versions = (0..<20).map { "1.\($0).0" }
        for version in versions { try disk.publish(.standard(version: version)) }
        let snapshot = try open.scanner.scan()
        let cache = cache()
        let busy = try open.entry("Sam3", "1.3.0", in: snapshot)
        _ = try cache.load(model, busy).get()
        for version in versions {
            let summary = try cache.summary(model, open.entry("Sam3", version, in: snapshot)).get()
            #expect(summary.architectures.map(\.text) == ["h16p", "h18p"])
            #expect(summary.createdAt.text == "2025-12-01T09:30:00Z")
            #expect(summary.minDeploymentVersion?.text == "27.0")
            #expect(summary.size == (try ReleaseFixture.standard().manifest().size))
        }
        #expect(cache.use.manifests == 1)
        #expect(cache.use.summaries == 20)
        #expect(cache.cached(model, busy) != nil)
        try TemporaryFolder.remove(disk.root)
        for version in versions {
            #expect(try cache.cachedSummary(model, open.entry("Sam3", version, in: snapshot)) != nil)
        }
    }

    @Test("summaries are bounded too")
    func summariesBounded() throws {
        for minor in 0..<20 { try disk.publish(.minimal(version: "1.\(minor).0")) }
        let cache = cache(summaryLimit: 2000)
        for entry in try open.scanner.scan().model("Sam3")?.versions ?? [] { _ = try cache.summary(model, entry).get() }
        #expect((1..<20).contains(cache.use.summaries))
    }

    @Test("many threads at once: each gets the whole manifest of what it asked for")
    func concurrent() async throws {
        let versions = (0..<8).map { "1.\($0).0" }
        for version in versions {
            try disk.publish(.standard(version: version, seed: UInt64(version.utf8.reduce(0) { $0 + Int($1) })))
        }
        let snapshot = try open.scanner.scan()
        let entries = try #require(snapshot.model("Sam3")).versions
        // Room for two, so that they push each other out all the time.
        let cache = cache(limit: 2 * (try cache().load(model, entries[0]).get().cost))
        let model = model
        await withTaskGroup(of: Int.self) { group in
            for task in 0..<4 {
                group.addTask {
                    (0..<50).count { turn in
                        let entry = entries[(turn * 7 + task) % entries.count]
                        guard let loaded = try? cache.load(model, entry).get() else { return false }
                        return loaded.manifest.version == entry.version && loaded.digest == .sha256(of: loaded.bytes)
                    }
                }
            }
            for await right in group { #expect(right == 50) }
        }
    }
}
