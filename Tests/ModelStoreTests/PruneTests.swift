import Glibc
import HostSystem
import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("prune: old versions go, and their room comes back", .waits)
struct PruneTests {
    private let bench: PublishBench
    private static let model = ChangedStore.model

    /// Three versions that share one file; each has one of its own.
    init() throws {
        bench = try PublishBench()
        for version in ["1.0.0", "1.1.0", "1.2.0"] { try bench.publish(Self.release(version)) }
    }

    private static func release(_ version: String) -> ReleaseFixture {
        ReleaseFixture(
            version: version,
            assets: [
                "Sam3.aimodel": [
                    "main.mlirb": .pattern(100_000, seed: UInt64(version.utf8.reduce(0) { $0 &* 31 &+ Int($1) })),
                    "weights/shared.bin": .pattern(200_000, seed: 99),
                ]
            ],
            companions: ["tokenizer/\(version).json": .pattern(5_000, seed: 5)]
        )
    }

    private func pruner(_ passes: @escaping @Sendable (PruneStep) -> Bool = { _ in true }) throws -> StorePruner {
        try StorePruner(root: bench.root, passes: passes)
    }

    private func prune(_ keep: Int = 1) throws -> PrunePlan { try pruner().prune(Self.model, keep: keep) }

    private func findings() throws -> [String] {
        try StoreVerifier(root: bench.root).verify().findings.map { "\($0.kind) \($0.path)" }
    }

    private func published() throws -> [String] {
        bench.names("manifests/Sam3").filter { $0.hasSuffix(".json") && $0 != "model.json" }
    }

    /// Octets on the disk, each file once.
    private func onDisk() throws -> UInt64 {
        var seen: [UInt64: UInt64] = [:]
        for path in try bench.allFiles("Public") {
            let status = try bench.status(path)
            seen[status.inode] = UInt64(status.allocated)
        }
        return seen.values.reduce(0, +)
    }

    @Test("what goes is gone with its manifest, tree and contents; what stays is whole; the room is what was announced")
    func prunes() throws {
        let alone = try PublishBench()
        try alone.publish(Self.release("1.2.0"))
        let before = try onDisk()
        let plan = try pruner().plan(Self.model, keep: 1)
        #expect(plan.removed.map(\.text) == ["1.1.0", "1.0.0"])
        #expect(plan.kept == [KeptVersion(version: ChangedStore.version("1.2.0"), reason: .newest)])
        let done = try prune()
        #expect(done == plan)
        #expect(try before - onDisk() == done.freed)
        #expect(done.freed >= 200_000)
        #expect(try findings().isEmpty)
        // As if the others had never been there.
        #expect(try bench.allFiles().sorted() == alone.allFiles().sorted())
        #expect(bench.names("Public/models/Sam3") == ["1.2.0"])
    }

    @Test("a dry run changes nothing")
    func dryRun() throws {
        let before = try bench.allFiles()
        let plan = try pruner().plan(Self.model, keep: 1)
        #expect(plan.removed.count == 2)
        #expect(try bench.allFiles() == before)
    }

    @Test("a second time there is nothing to do")
    func again() throws {
        _ = try prune()
        let before = try bench.allFiles()
        let done = try prune()
        #expect(done.removed.isEmpty)
        #expect(done.freed == 0)
        #expect(try bench.allFiles() == before)
    }

    @Test("other models keep what they share")
    func otherModels() throws {
        var other = Self.release("1.0.0")
        other.model = "Other"
        try bench.publish(other)
        let plan = try pruner().plan(Self.model, keep: 1)
        let before = try onDisk()
        #expect(try prune().freed == plan.freed)
        #expect(try before - onDisk() == plan.freed)
        #expect(try findings().isEmpty)
        #expect(bench.exists("manifests/Other/1.0.0.json"))
    }

    @Test("without a pool the last name of a file is what counts")
    func withoutPool() throws {
        try TemporaryFolder.remove(bench.path("Public/.pool"))
        let before = try onDisk()
        let plan = try pruner().plan(Self.model, keep: 2)
        #expect(try prune(2).freed == plan.freed)
        #expect(try before - onDisk() == plan.freed)
        #expect(plan.freed >= 100_000)
        #expect(try findings().isEmpty)
    }

    @Test("what a channel leads to stays, and what the caller protects")
    func protected() throws {
        let editor = try RecordEditor(root: bench.root)
        _ = try editor.promote(
            Self.model,
            ChangedStore.version("1.0.0"),
            to: ChangedStore.stable,
            at: ChangedStore.moment
        )
        let plan = try pruner().prune(Self.model, keep: 1, protecting: [ChangedStore.version("1.1.0")])
        #expect(plan.removed.isEmpty)
        #expect(plan.kept.map(\.reason) == [.newest, .protected, .channel(ChangedStore.stable)])
        #expect(try prune().removed.map(\.text) == ["1.1.0"])
        #expect(try published() == ["1.0.0.json", "1.2.0.json"])
    }

    @Test("the record outlives the versions that it speaks of")
    func record() throws {
        let editor = try RecordEditor(root: bench.root)
        _ = try editor.withdraw(Self.model, ChangedStore.version("1.0.0"), reason: "wrong", at: ChangedStore.moment)
        _ = try prune()
        #expect(bench.names("manifests/Sam3") == ["1.2.0.json", "model.json"])
        #expect(try findings().isEmpty)
    }

    /// Each step, and at which of its passings the process ends.
    static let ends: [(PruneStep, Int)] = PruneStep.allCases.flatMap { step in
        (step == .poolSwept ? [1] : [1, 2]).map { (step, $0) }
    }

    @Test(
        "killed anywhere, each version is whole or absent, and the next prune or publish leaves nothing behind",
        arguments: ends,
        [true, false]
    )
    func killed(_ end: (step: PruneStep, passing: Int), _ prunesNext: Bool) throws {
        let passed = Monitor(0)
        let pruner = try pruner { step in
            guard step == end.step else { return true }
            return passed.update { count in
                count += 1
                return count < end.passing
            }
        }
        #expect(refusal { _ = try pruner.prune(Self.model, keep: 1) } == "interrupted")
        #expect(passed.update { $0 } == end.passing)
        // Whatever is published is whole; all else is surplus, and nothing of it is in the way.
        #expect(try findings().allSatisfy { $0.hasPrefix("surplus ") })
        #expect(try published().last == "1.2.0.json")
        #expect(!bench.names("Public/.staging").isEmpty)

        if prunesNext {
            _ = try prune()
            #expect(try published() == ["1.2.0.json"])
        } else {
            // The very version that may have been on its way out.
            try bench.publish(Self.release("1.0.0"))
            #expect(try published().first == "1.0.0.json")
        }
        #expect(try findings().isEmpty)
        #expect(bench.names("Public/.staging").isEmpty)
    }

    @Test("a download under way ends with the right octets")
    func download() throws {
        let path = "Public/models/Sam3/1.0.0/Sam3.aimodel/main.mlirb"
        let file = try FileDescriptor.openFolder(bench.root).openFile(path)
        let whole = try #require(Self.release("1.0.0").assets["Sam3.aimodel"]?["main.mlirb"])
        var octets = try file.readPiece(upTo: 1_000)
        #expect(try prune().removed.count == 2)
        #expect(!bench.exists(path))
        octets += try file.readPiece(upTo: 200_000)
        #expect(ContentDigest.sha256(of: octets) == whole.digest)
    }

    @Test("a publisher at work is left alone")
    func publisherAtWork() throws {
        try TemporaryFolder.write([1], to: bench.path("Public/.staging/alive/tree/file"))
        let lock = try FileDescriptor.openFolder(bench.path("Public/.staging/alive")).openLockFile("lock")
        try lock.lock()
        _ = try prune()
        #expect(bench.exists("Public/.staging/alive/tree/file"))
        withExtendedLifetime(lock) {}
    }

    @Test("names that are not UTF-8 and links in a tree go with it; what a link leads to stays")
    func oddNames() throws {
        let folder = bench.path("Public/models/Sam3/1.0.0/")
        let name = folder.utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xFF), 0]
        let file = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
        try #require(file >= 0)
        close(file)
        try TemporaryFolder.write([1], to: bench.path("outside"))
        try #require(symlink("../../../../outside", folder + "link") == 0)
        _ = try prune()
        #expect(bench.names("Public/models/Sam3") == ["1.2.0"])
        #expect(bench.names("Public/.staging").isEmpty)
        #expect(bench.exists("outside"))
    }

    @Test("a version whose tree or manifest is not what it should be goes as well")
    func damaged() throws {
        try TemporaryFolder.remove(bench.path("Public/models/Sam3/1.0.0"))
        try TemporaryFolder.write(Array("{".utf8), to: bench.path("manifests/Sam3/1.1.0.json"))
        #expect(try prune().removed.map(\.text) == ["1.1.0", "1.0.0"])
        #expect(try findings().isEmpty)
    }

    @Test("what cannot be is refused in words")
    func refusals() throws {
        let pruner = try pruner()
        for keep in [0, -1] {
            let words = "cannot keep \(keep) versions; it is a number from 1 on"
            #expect(refusal { _ = try pruner.plan(Self.model, keep: keep) } == words)
            #expect(refusal { _ = try pruner.prune(Self.model, keep: keep) } == words)
        }
        let unknown = refusal { _ = try pruner.prune(ChangedStore.named("Sam4", ModelName.init), keep: 1) }
        #expect(unknown == "no model Sam4 is published; did you mean Sam3?")
        try TemporaryFolder.write(Array("{".utf8), to: bench.path("manifests/Sam3/model.json"))
        let broken = refusal { _ = try pruner.prune(Self.model, keep: 1) }
        #expect(broken?.hasPrefix("manifests/Sam3/model.json: ") == true)
        #expect(try published().count == 3)
        #expect(bench.names("Public/.staging").isEmpty)
    }

    @Test(
        "read-only trees are no obstacle for their owner, and a tree that is one is told, and removed by the next prune"
    )
    func permissions() throws {
        try bench.giveToNobody()
        let pruner = try pruner()
        // Manifests can be removed and this folder not be written: the version is down, its tree still there.
        try #require(chmod(bench.path("Public/models/Sam3"), 0o555) == 0)
        let words = try withPermissionsCounting { refusal { _ = try pruner.prune(Self.model, keep: 1) } }
        let tree = "Public/models/Sam3/1.0.0"
        #expect(
            words
                == "\(tree) is not published any more, but cannot be removed: Permission denied; mend that and prune again"
        )
        #expect(try published() == ["1.1.0.json", "1.2.0.json"])
        #expect(bench.exists(tree))

        try #require(chmod(bench.path("Public/models/Sam3"), 0o755) == 0)
        let plan = try withPermissionsCounting { try pruner.prune(Self.model, keep: 1) }
        #expect(plan.removed.map(\.text) == ["1.1.0"])
        #expect(bench.names("Public/models/Sam3") == ["1.2.0"])
        #expect(bench.names("Public/.staging").isEmpty)
        #expect(try findings().isEmpty)
    }
}

extension PublishBench {
    /// Makes the user nobody the owner of the store, where this one may: `withPermissionsCounting` makes calls as that.
    func giveToNobody() throws {
        guard geteuid() == 0 else { return }
        var pending = [root]
        while let path = pending.popLast() {
            try #require(lchown(path, 65534, 65534) == 0)
            let names = NamesOf(path).names
            pending += names.map { path + "/" + $0 }
        }
    }

    private struct NamesOf {
        var names: [String] = []

        /// None of what is no folder.
        init(_ path: String) {
            try? FileDescriptor.openFolder(path).forEachName { names.append($0) }
        }
    }
}
