import Glibc
import HostSystem
import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("verify: what publishers left, and the pool of contents", .waits)
struct VerifyLeftoversTests {
    private let disk: ReleaseStore

    init() throws {
        disk = try ReleaseStore()
        try disk.publish(.minimal())
    }

    private func found() throws -> [String] {
        try StoreVerifier(root: disk.root).verify().findings.map { "\($0.kind) \($0.path)" }
    }

    @Test("a staging folder whose lock nobody holds is surplus, and a publisher's at work is not")
    func staging() throws {
        for name in ["alive", "dead"] {
            try TemporaryFolder.write([], to: disk.path("Public/.staging/\(name)/lock"))
        }
        try TemporaryFolder.makeFolder(disk.path("Public/.staging/without"))
        try TemporaryFolder.write([], to: disk.path("Public/.staging/file"))
        let lock = try FileDescriptor.openFolder(disk.path("Public/.staging/alive")).openLockFile("lock")
        try lock.lock()
        let dead = ["surplus Public/.staging/dead", "surplus Public/.staging/file", "surplus Public/.staging/without"]
        #expect(try found() == dead)
        // Not by closing it: a process that another test starts has a copy until its program begins.
        try lock.unlock()
        #expect(try found() == ["surplus Public/.staging/alive"] + dead)
        // Looking does not take the lock away, nor keep it.
        let free = try FileDescriptor.openFolder(disk.path("Public/.staging/dead")).openLockFile("lock").lockIfFree()
        #expect(free)
    }

    @Test("a manifest or record that somebody began to write is surplus, and another dotted file is not ours")
    func drafts() throws {
        for name in [".1.5.0.json.x7", ".model.json.draft", ".gitkeep"] {
            try TemporaryFolder.write([], to: disk.path("manifests/Sam3/\(name)"))
        }
        #expect(
            try found() == [
                "surplus manifests/Sam3/.1.5.0.json.x7", "surplus manifests/Sam3/.model.json.draft",
            ]
        )
    }

    private func pool(_ digest: ContentDigest) -> String { "Public/.pool/\(digest.hex.prefix(2))/\(digest.hex)" }

    @Test("a content that a version holds is one file with it")
    func held() throws {
        let path = pool(.sha256(of: Array("abc".utf8)))
        try TemporaryFolder.makeFolder(disk.path(String(path.dropLast(65))))
        try #require(link(disk.publicPath("Sam3", "1.4.0", "Sam3.aimodel/main.mlirb"), disk.path(path)) == 0)
        let report = try StoreVerifier(root: disk.root).verify()
        #expect(report.findings.isEmpty)
        #expect(report.size == 3)
        try TemporaryFolder.writeInPlace(Array("abd".utf8), to: disk.path(path))
        #expect(try found() == ["damaged \(path)", "damaged Public/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb"])
    }

    @Test("a content that nothing holds is surplus; one that is not what its name says is damaged")
    func unused() throws {
        let unused = pool(.sha256(of: [1]))
        let wrong = pool(.sha256(of: [2]))
        try TemporaryFolder.write([1], to: disk.path(unused))
        try TemporaryFolder.write([3], to: disk.path(wrong))
        try TemporaryFolder.write([3], to: disk.path("Public/.pool/zz/notes"))
        let expected = ["surplus \(unused)", "damaged \(wrong)", "surplus \(wrong)", "surplus Public/.pool/zz/notes"]
        #expect(try found().sorted() == expected.sorted())
    }
}
