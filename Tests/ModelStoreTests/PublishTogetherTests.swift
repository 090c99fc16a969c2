import HostSystem
import ModelCatalog
import ModelStore
import Synchronization
import TestSupport
import Testing

@Suite("Publishing: several publishers at once", .waits)
struct PublishTogetherTests {
    private static let large = (1...2).map { ReleaseContent.pattern(1_500_000, seed: UInt64($0)) }

    private static func release(_ version: String, content: Int = 0) -> ReleaseFixture {
        ReleaseFixture(
            version: version,
            assets: ["Sam3.aimodel": ["main.mlirb": large[content], "small": "small"]]
        )
    }

    /// Publishes all at once: each waits at `step` until the others are there.
    private static func publish(
        _ releases: [ReleaseFixture],
        in bench: PublishBench,
        meetingAt step: PublishStep
    ) throws -> [Result<PublishOutcome, any Error>] {
        let plans = try releases.map { try bench.plan($0) }
        let arrived = Monitor(0)
        let seams = PublishSeams(passes: { passed in
            if passed == step {
                arrived.update { $0 += 1 }
                _ = arrived.await { $0 >= plans.count ? true : nil }
            }
            return true
        })
        let results = Mutex<[Int: Result<PublishOutcome, any Error>]>([:])
        func start(_ index: Int) throws {
            if index == plans.count { return }
            let thread = try OSThread(name: "publisher") {
                let result = Result { try bench.publish(plans[index], seams: seams) }
                results.withLock { $0[index] = result }
            }
            try start(index + 1)
            thread.join()
        }
        try start(0)
        return results.withLock { results in results.keys.sorted().compactMap { results[$0] } }
    }

    private static func words(_ results: [Result<PublishOutcome, any Error>]) throws -> [String] {
        try results.map { try $0.get().words }.sorted()
    }

    @Test("The same version with the same bytes: one publishes, the others hear that it is there")
    func sameBytes() throws {
        let bench = try PublishBench()
        let releases = [Self.release("1.0.0"), Self.release("1.0.0"), Self.release("1.0.0")]
        let words = try Self.words(Self.publish(releases, in: bench, meetingAt: .foldersSynced))
        #expect(words.dropLast() == ["already published", "already published"])
        #expect(words.last?.hasPrefix("published: ") == true)
        try bench.expectSound(published: ["1.0.0"])
    }

    @Test("The same version with other bytes: one publishes, the other hears in what it differs")
    func otherBytes() throws {
        let bench = try PublishBench()
        let releases = [Self.release("1.0.0", content: 0), Self.release("1.0.0", content: 1)]
        let results = try Self.publish(releases, in: bench, meetingAt: .foldersSynced)
        #expect(results.compactMap { try? $0.get() }.count == 1)
        let failures = results.compactMap { result -> PublishError? in
            if case .failure(let error) = result { return error as? PublishError }
            return nil
        }
        guard failures.count == 1, case .differs(_, _, let differences) = failures[0] else {
            Issue.record("\(failures)")
            return
        }
        #expect(differences.map(\.subject) == ["Sam3.aimodel/main.mlirb"])
        try bench.expectSound(published: ["1.0.0"])
    }

    @Test("Other versions with the same contents: all are published, and each content is stored once")
    func otherVersions() throws {
        let bench = try PublishBench()
        let releases = ["1.0.0", "1.0.1", "1.0.2"].map { Self.release($0) }
        let results = try Self.publish(releases, in: bench, meetingAt: .contentsSynced)
        var stored: UInt64 = 0
        for result in results {
            guard case .published(_, let octets, _) = try result.get() else {
                Issue.record("not published")
                continue
            }
            stored += octets
        }
        #expect(stored == 1_500_005)
        try bench.expectSound(published: ["1.0.0", "1.0.1", "1.0.2"])
        #expect(Set(try ["1.0.0", "1.0.1", "1.0.2"].map { try bench.inode($0, "Sam3.aimodel/main.mlirb") }).count == 1)
    }
}
