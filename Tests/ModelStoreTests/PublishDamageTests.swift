import Glibc
import HostSystem
import ModelCatalog
import ModelStore
import TestSupport
import Testing

@Suite("Publishing: what a disk lost is neither handed on nor passed over", .waits)
struct PublishDamageTests {
    /// A file of several pieces, and one of a single piece.
    private static let contents: [String: ReleaseContent] = [
        "main.mlirb": .pattern(3_000_001, seed: 7), "small": "small",
    ]

    private static func release(_ version: String) -> ReleaseFixture {
        ReleaseFixture(version: version, assets: ["Sam3.aimodel": contents], companions: ["tokenizer.json": "{}"])
    }

    private static func path(_ file: String, _ version: String = "1.0.0") -> String {
        "Public/models/Sam3/\(version)/\(file)"
    }

    /// Another last octet, and nothing else that could be seen: neither size, nor time, nor permissions.
    private static func rot(_ path: String, in bench: PublishBench) throws {
        let whole = bench.path(path)
        var before = stat()
        try #require(stat(whole, &before) == 0)
        chmod(whole, 0o644)
        let file = open(whole, O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var octet: UInt8 = 0
        try #require(pread(file, &octet, 1, before.st_size - 1) == 1)
        octet ^= 1
        try #require(pwrite(file, &octet, 1, before.st_size - 1) == 1)
        futimens(file, [before.st_atim, before.st_mtim])
        chmod(whole, 0o444)
    }

    @Test(
        "A stored content that lost an octet is not linked; a whole one takes its place",
        arguments: ["main.mlirb", "small"]
    )
    func damagedContent(_ name: String) throws {
        let bench = try PublishBench()
        try bench.publish(Self.release("1.0.0"))
        let damaged = try bench.inode("1.0.0", "Sam3.aimodel/\(name)")
        try Self.rot(Self.path("Sam3.aimodel/\(name)"), in: bench)
        let size = try bench.status(Self.path("Sam3.aimodel/\(name)")).size
        #expect(
            try bench.publish(Self.release("1.0.1")).words == "published: \(size) stored, \(3_000_008 - size) linked"
        )
        let whole = try bench.inode("1.0.1", "Sam3.aimodel/\(name)")
        #expect(whole != damaged)
        // What comes later shares the whole one.
        #expect(try bench.publish(Self.release("1.0.2")).words == "published: 0 stored, 3000008 linked")
        #expect(try bench.inode("1.0.2", "Sam3.aimodel/\(name)") == whole)
        try TemporaryFolder.remove(bench.path("manifests/Sam3/1.0.0.json"))
        try TemporaryFolder.remove(bench.path("Public/models/Sam3/1.0.0"))
        try bench.expectSound(published: ["1.0.1", "1.0.2"])
    }

    enum Loss: CaseIterable, Sendable { case removed, cut, folderRemoved, folder }

    @Test(
        "Publishing again does not say that all is well where a file is gone or cut",
        arguments: Loss.allCases,
        [false, true]
    )
    func damagedVersion(_ loss: Loss, _ dryRun: Bool) throws {
        let bench = try PublishBench()
        try bench.publish(Self.release("1.0.0"))
        let small = bench.path(Self.path("Sam3.aimodel/small"))
        let asset = bench.path(Self.path("Sam3.aimodel"))
        chmod(asset, 0o755)
        chmod(bench.path("Public/models/Sam3/1.0.0"), 0o755)
        switch loss {
        case .removed: unlink(small)
        case .cut:
            chmod(small, 0o644)
            truncate(small, 3)
        case .folderRemoved: try TemporaryFolder.remove(asset)
        case .folder:
            unlink(small)
            mkdir(small, 0o755)
        }
        let error = try bench.failure(bench.plan(Self.release("1.0.0")), dryRun: dryRun)
        guard case .damaged(_, _, let files) = error else {
            Issue.record("\(error)")
            return
        }
        let told = files.map { "\($0.path) \($0.fault)" }
        let path = Self.path("Sam3.aimodel/small")
        switch loss {
        case .removed: #expect(told == ["\(path) is missing"])
        case .cut: #expect(told == ["\(path) has 3 octets instead of 5"])
        case .folderRemoved:
            #expect(told == ["\(Self.path("Sam3.aimodel/main.mlirb")) is missing", "\(path) is missing"])
        case .folder: #expect(told == ["\(path) is no regular file"])
        }
        #expect(error.description.contains("damaged on disk; run aimodel-host verify"))
    }
}
