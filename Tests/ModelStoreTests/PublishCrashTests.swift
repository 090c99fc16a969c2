import Glibc
import HostSystem
import ModelCatalog
import ModelStore
import Synchronization
import TestSupport
import Testing

@Suite("Publishing: cut off at any instant, a version is whole or absent, and the next publisher clears up", .waits)
struct PublishCrashTests {
    /// Two contents that another version has too, one that comes twice, and one of several pieces; three folders deep.
    private static let large = ReleaseContent.pattern(1_100_000, seed: 5)

    private static func release(_ version: String) -> ReleaseFixture {
        ReleaseFixture(
            version: version,
            assets: [
                "Sam3.aimodel": ["main.mlirb": large, "metadata.json": "{}", "a/b/c": "deep"],
                "Sam3.h16p.aimodelc": ["main-h16p.mlirb": .bytes(Array(version.utf8)), "d/e": "deep"],
            ],
            companions: ["tokenizer.json": .bytes(Array("tokens of \(version)".utf8))]
        )
    }

    /// How many steps publishing that release has.
    private static func steps(_ prepare: (PublishBench) throws -> Void) throws -> Int {
        let bench = try PublishBench()
        try prepare(bench)
        let passed = Atomic(0)
        let counting = PublishSeams(passes: { _ in
            passed.add(1, ordering: .relaxed)
            return true
        })
        try bench.publish(bench.plan(release("1.1.0")), seams: counting)
        return passed.load(ordering: .relaxed)
    }

    /// Ends the publication of that release at its step number `step`, as a kill would.
    private static func cutOff(_ bench: PublishBench, _ version: String, at step: Int) throws {
        let countdown = Countdown(step)
        let seams = PublishSeams(passes: { _ in !countdown.hit() })
        _ = try? bench.publish(bench.plan(release(version)), seams: seams)
    }

    private static func committed(_ bench: PublishBench, _ version: String) -> Bool {
        bench.exists("manifests/Sam3/\(version).json")
    }

    @Test("Every step, in an empty store; the next publisher brings another version")
    func everyStepEmptyStore() throws {
        for step in 1...(try Self.steps { _ in }) {
            let bench = try PublishBench()
            try Self.cutOff(bench, "1.1.0", at: step)
            let whole = Self.committed(bench, "1.1.0") ? ["1.1.0"] : []
            try bench.publish(Self.release("2.0.0"))
            try bench.expectSound(published: whole + ["2.0.0"])
            #expect(whole.isEmpty == !Self.committed(bench, "1.1.0"), "step \(step)")
        }
    }

    @Test("Every step, beside a version with the same contents; the next publisher brings the same version")
    func everyStepBesideAnother() throws {
        let total = try Self.steps { try $0.publish(Self.release("1.0.0")) }
        var commits = 0
        for step in 1...total {
            let bench = try PublishBench()
            try bench.publish(Self.release("1.0.0"))
            try Self.cutOff(bench, "1.1.0", at: step)
            let committed = Self.committed(bench, "1.1.0")
            commits += committed ? 1 : 0
            let outcome = try bench.publish(Self.release("1.1.0"))
            #expect((outcome.words == "already published") == committed, "step \(step)")
            try bench.expectSound(published: ["1.0.0", "1.1.0"])
        }
        // The commit is a step, and so is what comes after it: both kinds of end were met.
        #expect(commits > 0 && commits < total)
    }

    @Test("The one that clears up is cut off as well, at each of its first steps")
    func clearingIsCutOff() throws {
        // The tree was moved, with no manifest: the most that there can be to clear.
        let total = try Self.steps { _ in }
        for step in 1...12 {
            let bench = try PublishBench()
            let dying = PublishSeams(passes: { $0 != .treeSealed })
            _ = try? bench.publish(bench.plan(Self.release("1.1.0")), seams: dying)
            #expect(bench.exists("Public/models/Sam3/1.1.0"))
            try Self.cutOff(bench, "1.1.0", at: step)
            try Self.cutOff(bench, "1.2.0", at: total / 2)
            try bench.publish(Self.release("2.0.0"))
            try bench.expectSound(published: ["2.0.0"])
        }
    }

    @Test("A tree that was moved is taken back, and not one that stands there by then")
    func takesBackItsOwnOnly() throws {
        let bench = try PublishBench()
        let dying = PublishSeams(passes: { $0 != .intentWritten })
        _ = try? bench.publish(bench.plan(Self.release("1.1.0")), seams: dying)
        try TemporaryFolder.write(Array("mine".utf8), to: bench.path("Public/models/Sam3/1.1.0/notes"))
        try bench.publish(Self.release("2.0.0"))
        #expect(try bench.read("Public/models/Sam3/1.1.0/notes") == Array("mine".utf8))
    }

    @Test("A publisher that dies while another waits for the lock is in nobody's way")
    func diesBesideAnother() throws {
        let bench = try PublishBench()
        let plan = try bench.plan(Self.release("1.1.0"))
        // The second begins first, so that it has cleared up before the other dies.
        let seams = PublishSeams(passes: { step in
            if step == .foldersSynced {
                let dying = PublishSeams(passes: { $0 != .treeMoved })
                _ = try? bench.publish(plan, seams: dying)
            }
            return true
        })
        try bench.publish(plan, seams: seams)
        // The other's staging folder is the next one's to remove, unless it was in the way, which it was.
        try bench.expectSound(published: ["1.1.0"])
    }

    @Test("A living publisher's staging folder is left alone by one that clears up")
    func sparesTheLiving() throws {
        let bench = try PublishBench()
        let dying = PublishSeams(passes: { $0 != .contentsSynced })
        _ = try? bench.publish(bench.plan(Self.release("0.9.0")), seams: dying)
        let seams = PublishSeams(passes: { step in
            if step == .pooled || step == .foldersSynced {
                _ = try? bench.publish(bench.plan(Self.release("1.0.\(step.rawValue.utf8.count)")), seams: dying)
                _ = try? bench.publish(Self.release("2.0.0"))
            }
            return true
        })
        try bench.publish(bench.plan(Self.release("1.1.0")), seams: seams)
        try bench.publish(Self.release("2.1.0"))
        try bench.expectSound(published: ["1.1.0", "2.0.0", "2.1.0"])
    }

    @Test("All of it without root's rights")
    func withoutPrivileges() throws {
        let bench = try PublishBench()
        bench.admitEverybody()
        let plans = try ["1.0.0", "1.1.0", "2.0.0"].map { try bench.plan(Self.release($0)) }
        try withPermissionsCounting {
            for step in [PublishStep.fileStaged, .foldersSynced, .treeMoved, .treeSealed, .committed] {
                let dying = PublishSeams(passes: { $0 != step })
                _ = try? bench.publish(plans[0], seams: dying)
            }
            try bench.publish(plans[1])
            try bench.publish(plans[2])
            try bench.expectSound(published: ["1.0.0", "1.1.0", "2.0.0"])
        }
    }

    @Test("A tree deeper than a process may have files open is published, and cleared away")
    func deepTree() throws {
        let bench = try PublishBench()
        let path = String(repeating: "a/", count: 1200) + "file"
        let deep = ReleaseFixture(assets: ["Sam3.aimodel": ["main.mlirb": "abc", path: "deep"]])
        let plan = try bench.plan(deep)
        let dying = PublishSeams(passes: { $0 != .treeMoved })
        _ = try? bench.publish(plan, seams: dying)
        try bench.publish(Self.release("2.0.0"))
        try bench.expectSound(published: ["2.0.0"])
        try bench.publish(plan)
        #expect(try bench.read("Public/models/Sam3/1.4.0/Sam3.aimodel/\(path)") == Array("deep".utf8))
    }
}
