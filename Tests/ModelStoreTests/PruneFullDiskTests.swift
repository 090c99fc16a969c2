import Glibc
import HostSystem
import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("prune on a full disk: what brings room back needs none", .waits)
struct PruneFullDiskTests {
    private let bench: PublishBench
    private static let model = ChangedStore.model

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

    private static let noStaging: @Sendable (String) -> Errno? = { $0 == ".staging" ? .noSpace : nil }

    private func pruner(
        passes: @escaping @Sendable (PruneStep) -> Bool = { _ in true },
        failure: @escaping @Sendable (String) -> Errno?
    ) throws -> StorePruner {
        try StorePruner(
            root: bench.root,
            passes: passes,
            seams: PublishSeams(failure: { call, path in call == .write ? failure(path) : nil })
        )
    }

    private func expectOnlyNewest(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try bench.expectSound(published: ["1.2.0"], sourceLocation: sourceLocation)
        #expect(bench.names("Public/models/Sam3") == ["1.2.0"], sourceLocation: sourceLocation)
    }

    @Test(
        "without room for a staging folder or for an intent, the same goes, and the same comes back",
        arguments: [".staging", "commit"],
        [Errno.noSpace, .quotaExceeded]
    )
    func full(_ place: String, _ error: Errno) throws {
        let plan = try pruner { _ in nil }.plan(Self.model, keep: 1)
        let done = try pruner { $0 == place ? error : nil }.prune(Self.model, keep: 1)
        #expect(done == plan)
        #expect(done.removed.map(\.text) == ["1.1.0", "1.0.0"])
        #expect(done.freed >= 200_000)
        try expectOnlyNewest()
    }

    @Test("without room for a longer name either, the manifest is removed, and the same comes back")
    func fullFolder() throws {
        let plan = try pruner { _ in nil }.plan(Self.model, keep: 1)
        let asked = Monitor<[String]>([])
        let pruner = try pruner { path in
            asked.update { $0.append(path) }
            return .noSpace
        }
        #expect(try pruner.prune(Self.model, keep: 1) == plan)
        #expect(
            asked.update { $0 } == [
                ".staging", ".staging", ".pruned-1.0.0", ".staging", ".staging", ".pruned-1.1.0",
            ]
        )
        try expectOnlyNewest()
    }

    @Test("contents that nothing uses go first, and where that makes room it is a prune as any other")
    func poolFirst() throws {
        let unused = bench.path("Public/.pool/ab/" + String(repeating: "ab", count: 32))
        try TemporaryFolder.write([UInt8](repeating: 1, count: 300_000), to: unused)
        let steps = Monitor<[PruneStep]>([])
        let pruner = try pruner { step in
            steps.update { $0.append(step) }
            return true
        } failure: { path in
            path == ".staging" && access(unused, F_OK) == 0 ? .noSpace : nil
        }
        #expect(try pruner.prune(Self.model, keep: 2).freed >= 400_000)
        #expect(
            steps.update { $0 } == [.intentWritten, .manifestRemoved, .treeMoved, .treeRemoved, .poolSwept]
        )
        try bench.expectSound(published: ["1.1.0", "1.2.0"])
    }

    @Test("once a version has made room, the next goes out of sight as usual")
    func roomAgain() throws {
        let steps = Monitor<[PruneStep]>([])
        let tree = bench.path("Public/models/Sam3/1.0.0")
        let pruner = try pruner { step in
            steps.update { $0.append(step) }
            return true
        } failure: { path in
            path == "commit" && access(tree, F_OK) == 0 ? .noSpace : nil
        }
        #expect(try pruner.prune(Self.model, keep: 1).removed.count == 2)
        #expect(
            steps.update { $0 } == [
                .manifestRemoved, .treeRemoved,
                .intentWritten, .manifestRemoved, .treeMoved, .treeRemoved, .poolSwept,
            ]
        )
        try expectOnlyNewest()
    }

    @Test(
        "killed there, a version is whole or absent, and the next prune leaves nothing behind, with room or without",
        arguments: [PruneStep.manifestRemoved, .treeRemoved],
        [true, false]
    )
    func killed(_ end: PruneStep, _ hasRoom: Bool) throws {
        let tree = "Public/models/Sam3/1.0.0"
        #expect(
            refusal { _ = try pruner(passes: { $0 != end }, failure: Self.noStaging).prune(Self.model, keep: 1) }
                == "interrupted"
        )
        #expect(bench.exists(tree) == (end == .manifestRemoved))
        // As when it is killed halfway through the tree.
        if end == .manifestRemoved { try TemporaryFolder.remove(bench.path(tree + "/tokenizer")) }
        #expect(bench.names("manifests/Sam3") == [".pruned-1.0.0", "1.1.0.json", "1.2.0.json"])
        let findings = try StoreVerifier(root: bench.root).verify().findings
        #expect(findings.allSatisfy { $0.kind == .surplus })

        let plan = try pruner(failure: { hasRoom ? nil : Self.noStaging($0) }).prune(Self.model, keep: 1)
        #expect(plan.removed.map(\.text) == ["1.1.0"])
        try expectOnlyNewest()
    }

    @Test("what was published again since is not what the mark of a killed prune speaks of")
    func publishedAgain() throws {
        #expect(
            refusal {
                _ = try pruner(passes: { $0 != .treeRemoved }, failure: Self.noStaging).prune(Self.model, keep: 2)
            } == "interrupted"
        )
        try bench.publish(Self.release("1.0.0"))
        #expect(bench.names("manifests/Sam3").contains(".pruned-1.0.0"))
        #expect(try pruner(failure: { _ in nil }).prune(Self.model, keep: 3).removed.isEmpty)
        try bench.expectSound(published: ["1.0.0", "1.1.0", "1.2.0"])
    }

    @Test("a tree that cannot be removed is told, and keeps its mark until it can be")
    func permissions() throws {
        try bench.giveToNobody()
        let pruner = try pruner(failure: Self.noStaging)
        try #require(chmod(bench.path("Public/models/Sam3"), 0o555) == 0)
        let words = try withPermissionsCounting { refusal { _ = try pruner.prune(Self.model, keep: 2) } }
        #expect(
            words == "Public/models/Sam3/1.0.0 is not published any more, but cannot be removed: Permission denied; "
                + "mend that and prune again"
        )
        #expect(bench.names("manifests/Sam3") == [".pruned-1.0.0", "1.1.0.json", "1.2.0.json"])
        try #require(chmod(bench.path("Public/models/Sam3"), 0o755) == 0)
        _ = try withPermissionsCounting { try pruner.prune(Self.model, keep: 2) }
        try bench.expectSound(published: ["1.1.0", "1.2.0"])
    }

    @Test("an intent that fails for another reason than room is told, and nothing is unpublished")
    func otherErrors() throws {
        let words = refusal {
            _ = try pruner { $0 == "commit" ? Errno(rawValue: EIO) : nil }.prune(Self.model, keep: 1)
        }
        #expect(words?.hasPrefix("Public/.staging/") == true)
        #expect(bench.names("manifests/Sam3") == ["1.0.0.json", "1.1.0.json", "1.2.0.json"])
        _ = try pruner { _ in nil }.prune(Self.model, keep: 1)
        try expectOnlyNewest()
    }
}
