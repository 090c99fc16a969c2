import Glibc
import HostSystem
import ModelCatalog
import ModelStore
import Synchronization
import TestSupport
import Testing

@Suite("Publishing: a release comes whole, once, and never changes", .waits)
struct PublishTests {
    /// A file of several pieces, larger than a buffer, and not a multiple of one.
    private static let large = ReleaseContent.pattern(3_000_001, seed: 7)

    private static func withLarge(_ version: String) -> ReleaseFixture {
        ReleaseFixture(
            version: version,
            assets: [
                "Sam3.aimodel": ["main.mlirb": large, "metadata.json": "{}"],
                "Sam3.h16p.aimodelc": ["main-h16p.mlirb": "program", "d/resources.bin": large],
                "Sam3.h18p.aimodelc": ["main-h18p.mlirb": "programm", "d/resources.bin": large],
            ],
            companions: ["tokenizer/tokenizer.json": "{}"]
        )
    }

    @Test("The manifest is the one that the release's files make, and the store holds just that")
    func wholeRelease() throws {
        let bench = try PublishBench()
        let release = ReleaseFixture.standard()
        let outcome = try bench.publish(release)
        guard case .published(let manifest, let stored, let linked) = outcome else {
            Issue.record("\(outcome.words)")
            return
        }
        #expect(manifest == (try release.manifest()))
        #expect(try bench.read("manifests/Sam3/1.4.0.json") == release.manifest().encoded())
        #expect(stored + linked == manifest.size)
        try bench.expectSound(published: ["1.4.0"])
    }

    @Test("What is published can be served: the catalog and the document root find it")
    func servable() throws {
        let bench = try PublishBench()
        try bench.publish(.standard())
        let store = try StoreFolder(root: bench.root)
        let findings = CatalogFindings(limit: 10)
        let snapshot = try CatalogScanner(store: store, findings: findings).scan()
        #expect(snapshot.model("Sam3")?.versions.map(\.version.text) == ["1.4.0"])
        #expect(findings.list().isEmpty)
        let file = try PublicTree(root: bench.root).open(
            "models/Sam3/1.4.0/Sam3.aimodel/odd/modèle é.bin",
            expectedSize: 102,
            wait: .allowed
        )
        #expect(try file.status().size == 102)
    }

    @Test("A store needs nothing but its folder; without that, the error names it")
    func needsARoot() throws {
        let error = #expect(throws: PublishError.self) { try ReleasePublisher(root: "/nowhere/at/all") }
        #expect(
            error?.description == "/nowhere/at/all is not there: name the folder of the store with --root, or make it"
        )
    }

    // MARK: Deduplication

    @Test("A content is stored once: in one release, across versions, and across models")
    func deduplication() throws {
        let bench = try PublishBench()
        #expect(try bench.publish(Self.withLarge("1.0.0")).words == "published: 3000018 stored, 6000004 linked")
        let main = try bench.inode("1.0.0", "Sam3.aimodel/main.mlirb")
        #expect(try bench.inode("1.0.0", "Sam3.h16p.aimodelc/d/resources.bin") == main)
        #expect(try bench.inode("1.0.0", "Sam3.h18p.aimodelc/d/resources.bin") == main)

        #expect(try bench.publish(Self.withLarge("1.1.0")).words == "published: 0 stored, 9000022 linked")
        #expect(try bench.inode("1.1.0", "Sam3.aimodel/main.mlirb") == main)

        var other = Self.withLarge("3.0.0")
        other.model = "Other"
        #expect(try bench.publish(other).words == "published: 0 stored, 9000022 linked")
        #expect(try bench.inode("3.0.0", "Sam3.aimodel/main.mlirb", model: "Other") == main)
        #expect(try bench.status("Public/models/Sam3/1.0.0/Sam3.aimodel/main.mlirb").links == 10)
    }

    @Test("Equal sizes and equal ends are no equal contents")
    func lookAlikes() throws {
        let bench = try PublishBench()
        var bytes = ReleaseContent.patternBytes(2_500_000, seed: 3)
        let first = ReleaseContent.bytes(bytes)
        bytes[1_250_000] ^= 1
        let second = ReleaseContent.bytes(bytes)
        bytes[1_250_001] ^= 1
        let third = ReleaseContent.bytes(bytes)
        let release = { (version: String, contents: [ReleaseContent]) in
            ReleaseFixture(
                version: version,
                assets: Dictionary(
                    uniqueKeysWithValues: contents.enumerated().map {
                        ("Part\($0.offset).aimodel", ["main.mlirb": $0.element])
                    }
                )
            )
        }
        #expect(
            try bench.publish(release("1.0.0", [first, second, first])).words
                == "published: 5000000 stored, 2500000 linked"
        )
        #expect(try bench.publish(release("1.0.1", [third])).words == "published: 2500000 stored, 0 linked")
        try bench.expectSound(published: ["1.0.0", "1.0.1"])
    }

    @Test(
        "Where a hard link is impossible a copy serves",
        arguments: [Errno.crossesBoundary, .notPermitted, .notSupported, .fileLinkLimit]
    )
    func withoutLinks(_ error: Errno) throws {
        let bench = try PublishBench()
        let seams = PublishSeams(failure: { call, _ in call == .link ? error : nil })
        #expect(
            try bench.publish(bench.plan(Self.withLarge("1.0.0")), seams: seams).words
                == "published: 9000022 stored, 0 linked"
        )
        #expect(bench.names("Public/.staging") == [])
        for path in try bench.allFiles() where path.hasPrefix("Public/models") {
            #expect(try bench.status(path).links == 1, "\(path)")
        }
        #expect(try bench.publish(bench.plan(Self.withLarge("1.0.0")), seams: seams).words == "already published")
    }

    @Test("A content that has all the names that it can is copied once, and the copy takes its place in the pool")
    func tooManyLinks() throws {
        let bench = try PublishBench()
        let release = { (version: String) in
            ReleaseFixture(version: version, assets: ["Sam3.aimodel": ["main.mlirb": Self.large, "a": "small"]])
        }
        try bench.publish(release("1.0.0"))
        // The pool's content is full for whoever links it in, until a fresh one lies there.
        let full = PublishSeams(failure: { call, path in
            call == .link && !path.hasPrefix("Sam3") && path.hasPrefix("swap") ? .fileLinkLimit : nil
        })
        let second = try bench.publish(bench.plan(release("1.0.1")), seams: full)
        #expect(second.words == "published: 3000006 stored, 0 linked")
        #expect(try bench.publish(release("1.0.2")).words == "published: 0 stored, 3000006 linked")
        try bench.expectSound(published: ["1.0.0", "1.0.1", "1.0.2"])
    }

    @Test("A stored content that somebody wrote to is not handed on")
    func damagedPool() throws {
        let bench = try PublishBench()
        let release = { (version: String) in
            ReleaseFixture(version: version, assets: ["Sam3.aimodel": ["main.mlirb": Self.large, "a": "small"]])
        }
        try bench.publish(release("1.0.0"))
        for file in ["main.mlirb", "a"] {
            let path = bench.path("Public/models/Sam3/1.0.0/Sam3.aimodel/\(file)")
            chmod(path, 0o644)
            var bytes = try bench.read("Public/models/Sam3/1.0.0/Sam3.aimodel/\(file)")
            bytes[0] ^= 1
            try TemporaryFolder.writeInPlace(bytes, to: path)
        }
        #expect(try bench.publish(release("1.0.1")).words == "published: 3000006 stored, 0 linked")
        #expect(try bench.publish(release("1.0.2")).words == "published: 0 stored, 3000006 linked")
        #expect(
            try bench.inode("1.0.2", "Sam3.aimodel/main.mlirb") == bench.inode("1.0.1", "Sam3.aimodel/main.mlirb")
        )
        try TemporaryFolder.remove(bench.path("manifests/Sam3/1.0.0.json"))
        try TemporaryFolder.remove(bench.path("Public/models/Sam3/1.0.0"))
        try bench.expectSound(published: ["1.0.1", "1.0.2"])
    }

    // MARK: Immutability

    @Test("The same bytes again: said so, and nothing is written")
    func again() throws {
        let bench = try PublishBench()
        try bench.publish(.standard())
        let before = try bench.status("manifests/Sam3/1.4.0.json")
        let seams = PublishSeams(passes: { _ in
            Issue.record("a step of writing")
            return true
        })
        let outcome = try bench.publish(bench.plan(.standard()), seams: seams)
        guard case .alreadyPublished(let manifest) = outcome else {
            Issue.record("\(outcome.words)")
            return
        }
        #expect(manifest == (try ReleaseFixture.standard().manifest()))
        #expect(try bench.status("manifests/Sam3/1.4.0.json") == before)
        try bench.expectSound(published: ["1.4.0"])
    }

    @Test("Other bytes under a published version: refused, with each file that differs")
    func differs() throws {
        let bench = try PublishBench()
        try bench.publish(.standard())
        var other = ReleaseFixture.standard()
        other.assets["Sam3.aimodel"]?["main.mlirb"] = .pattern(40_000, seed: 99)
        other.assets["Sam3.aimodel"]?["more"] = "new"
        other.assets["Sam3.aimodel"]?["odd/empty"] = nil
        other.companions["metadata.json"] = "{}"
        other.minDeploymentVersion = "28"
        guard case .differs(_, let version, let differences) = try bench.failure(bench.plan(other)) else {
            Issue.record("another error")
            return
        }
        #expect(version.text == "1.4.0")
        #expect(
            differences.map(\.description) == [
                "changed: Sam3.aimodel/main.mlirb (the same size, other bytes)",
                "added: Sam3.aimodel/more",
                "removed: Sam3.aimodel/odd/empty",
                "changed: metadata.json (41 octets published, 2 now)",
                "changed: minDeploymentVersion (27.0 published, 28 now)",
            ]
        )
        try bench.expectSound(published: ["1.4.0"])
    }

    @Test("A manifest that cannot be read stands for its version, and is named")
    func unreadableManifest() throws {
        let bench = try PublishBench()
        try bench.publish(.minimal())
        let path = bench.path("manifests/Sam3/1.4.0.json")
        chmod(path, 0o644)
        try TemporaryFolder.writeInPlace(Array("{".utf8), to: path)
        let error = try bench.failure(bench.plan(.minimal()))
        #expect(
            error.description.hasPrefix("manifests/Sam3/1.4.0.json stands for a published version and cannot be read")
        )
    }

    @Test("A tree without a manifest that no publisher left is in the way, and is left alone")
    func treeInTheWay() throws {
        let bench = try PublishBench()
        try TemporaryFolder.write(Array("mine".utf8), to: bench.path("Public/models/Sam3/1.4.0/notes"))
        let error = try bench.failure(bench.plan(.minimal()))
        #expect(error.description.hasPrefix("Public/models/Sam3/1.4.0 is there, but no manifest for it"))
        #expect(try bench.read("Public/models/Sam3/1.4.0/notes") == Array("mine".utf8))
        #expect(bench.names("Public/.staging") == [])
        #expect(!bench.exists("manifests/Sam3"))
    }

    // MARK: Rehearsal and progress

    @Test("A dry run says what would come of it and writes nothing")
    func dryRun() throws {
        let bench = try PublishBench()
        #expect(
            try bench.publish(bench.plan(Self.withLarge("1.0.0")), dryRun: true).words
                == "published: 3000018 stored, 6000004 linked"
        )
        #expect(try bench.allFiles() == [])
        try bench.publish(Self.withLarge("1.0.0"))
        let files = try bench.allFiles()
        #expect(
            try bench.publish(bench.plan(Self.withLarge("1.0.1")), dryRun: true).words
                == "published: 0 stored, 9000022 linked"
        )
        #expect(try bench.publish(bench.plan(Self.withLarge("1.0.0")), dryRun: true).words == "already published")
        #expect(try bench.allFiles() == files)
    }

    @Test("Progress never goes back, and ends at the whole", arguments: [false, true])
    func progress(_ dryRun: Bool) throws {
        let bench = try PublishBench()
        let plan = try bench.plan(Self.withLarge("1.0.0"))
        let told = Mutex<[PublishProgress]>([])
        try bench.publish(plan, dryRun: dryRun) { progress in told.withLock { $0.append(progress) } }
        let all = told.withLock { $0 }
        #expect(all.last == PublishProgress(done: plan.size, total: plan.size))
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.done <= $1.done && $1.total == plan.size })
    }
}
