import ModelCatalog
import ModelStore
import TestSupport
import Testing

@Suite("Publishing: findings that come up while a plan is carried out", .waits)
struct PublishAllowedTests {
    private static let program = ReleaseContent.pattern(200_000, seed: 7)
    private static let path = "Sam3.aimodel/main.mlirb"

    private static let release = ReleaseFixture(version: "1.0.0", assets: ["Sam3.aimodel": ["main.mlirb": program]])

    private static func plan(_ bench: PublishBench, allowed: Bool) throws -> ReleasePlan {
        let wrong = ContentDigest.sha256(of: [1])
        let programs = ["Sam3.aimodel": (path: "main.mlirb", wrong)]
        return try bench.plan(release, programs: programs, allowingHashMismatch: allowed)
    }

    @Test("A hash that does not speak true is a finding of that name")
    func finding() throws {
        let bench = try PublishBench()
        let findings = try bench.failure(Self.plan(bench, allowed: false)).findings()
        let finding = try #require(findings.count == 1 ? findings.first : nil)
        #expect(finding.id == .hashMismatch && finding.isError && finding.path == Self.path)
        #expect(finding.message.contains(Self.program.digest.hex))
    }

    @Test("All programs of the release that are not what is said of them are named at once", arguments: [false, true])
    func all(_ dryRun: Bool) throws {
        let bench = try PublishBench()
        let wrong = ContentDigest.sha256(of: [1])
        var release = Self.release
        var programs = ["Sam3.aimodel": (path: "main.mlirb", wrong)]
        for architecture in ["h16p", "h17p", "h18p"] {
            // The first is of several pieces, and the last speaks true.
            let size = architecture == "h16p" ? 2_500_000 : 1000
            let program = ReleaseContent.pattern(size, seed: UInt64(size))
            let name = "main-\(architecture).mlirb"
            release.assets["Sam3.\(architecture).aimodelc"] = [name: program, "more": .pattern(3_000_000, seed: 4)]
            programs["Sam3.\(architecture).aimodelc"] = (name, architecture == "h18p" ? program.digest : wrong)
        }
        let findings = try bench.failure(bench.plan(release, programs: programs), dryRun: dryRun).findings()
        #expect(
            findings.map(\.path) == [
                Self.path, "Sam3.h16p.aimodelc/main-h16p.mlirb", "Sam3.h17p.aimodelc/main-h17p.mlirb",
            ]
        )
        #expect(findings.allSatisfy { $0.id == .hashMismatch && $0.isError })
        #expect(try bench.allFiles() == (dryRun ? [] : ["manifests/.lock"]))
    }

    @Test("Allowed, it is published and told as a warning", arguments: [false, true])
    func allowed(_ dryRun: Bool) throws {
        let bench = try PublishBench()
        let publisher = try ReleasePublisher(root: bench.root)
        let plan = try Self.plan(bench, allowed: true)
        let createdAt = try #require(Instant(PublishBench.createdAt))
        _ = try publisher.publish(plan, createdAt: createdAt, dryRun: dryRun, progress: { _ in })
        #expect(publisher.allowedFindings.map(\.path) == [Self.path])
        #expect(publisher.allowedFindings.allSatisfy { $0.id == .hashMismatch && !$0.isError })
    }

    @Test("A lack of space that is allowed is told, and copying begins")
    func space() throws {
        let bench = try PublishBench()
        var release = Self.release
        release.assets["Sam3.h17p.aimodelc"] = ["resources.bin": .sparse(size: 8 << 40, tail: [1])]
        let found = try bench.plan(release)
        let plan = ReleasePlan(
            folder: found.folder,
            model: found.model,
            version: found.version,
            minDeploymentVersion: nil,
            assets: found.assets,
            companions: found.companions,
            hashMismatchAllowed: false,
            notEnoughSpaceAllowed: true
        )
        let publisher = try ReleasePublisher(root: bench.root)
        let createdAt = try #require(Instant(PublishBench.createdAt))
        let error = try #require(throws: PublishError.self) {
            // Nobody reads 8 TiB to the end.
            try publisher.publish(plan, createdAt: createdAt, dryRun: true) { _ in publisher.interrupt() }
        }
        guard case .interrupted = error else {
            Issue.record("\(error)")
            return
        }
        #expect(publisher.allowedFindings.map(\.id) == [.notEnoughSpace])
    }

    @Test("Other failures are no findings")
    func failures() {
        #expect(PublishError.interrupted.findings() == [])
        #expect(PublishError.diskFull(path: "a").findings() == [])
    }
}
