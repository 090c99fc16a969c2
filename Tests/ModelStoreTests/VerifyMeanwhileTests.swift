import Glibc
import HostSystem
import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("verify: what is published or pruned meanwhile is no finding", .waits)
struct VerifyMeanwhileTests {
    private let disk: ReleaseStore

    init() throws {
        disk = try ReleaseStore()
        try disk.publish(.minimal())
    }

    /// What is found when `change` happens after names and sizes were looked at.
    private func found(_ change: @escaping @Sendable () -> Void = {}) throws -> [String] {
        try StoreVerifier(root: disk.root).verify { if $0.done == 0 { change() } }
            .findings.map { "\($0.kind) \($0.path)" }
    }

    @Test("a tree whose manifest comes after it, and one that goes after its manifest")
    func trees() throws {
        try disk.publish(.minimal(version: "1.5.0"))
        let manifest = disk.manifestPath("Sam3", "1.5.0")
        let draft = disk.path("draft")
        try #require(rename(manifest, draft) == 0)
        #expect(try found() == ["surplus Public/models/Sam3/1.5.0"])
        #expect(try found { rename(draft, manifest) } == [])

        try #require(unlink(manifest) == 0)
        let tree = disk.path("Public/models/Sam3/1.5.0")
        let elsewhere = disk.path("elsewhere")
        #expect(try found { rename(tree, elsewhere) } == [])
    }

    @Test("a staging folder that gets its lock, and one that goes")
    func stagings() throws {
        try TemporaryFolder.makeFolder(disk.path("Public/.staging/new"))
        #expect(try found() == ["surplus Public/.staging/new"])
        let lock = try FileDescriptor.openFolder(disk.root).openLockFile("lock")
        try lock.lock()
        let (from, to) = (disk.path("lock"), disk.path("Public/.staging/new/lock"))
        #expect(try found { rename(from, to) } == [])
        // Not by closing it: a process that another test starts has a copy until its program begins.
        try lock.unlock()
        #expect(try found() == ["surplus Public/.staging/new"])
        let (folder, elsewhere) = (disk.path("Public/.staging/new"), disk.path("elsewhere"))
        #expect(try found { rename(folder, elsewhere) } == [])
    }

    @Test("a content of the pool that nothing uses, while somebody is at work or until it is swept")
    func pool() throws {
        let digest = ContentDigest.sha256(of: [1]).hex
        let path = "Public/.pool/\(digest.prefix(2))/\(digest)"
        try TemporaryFolder.write([1], to: disk.path(path))
        try TemporaryFolder.write([], to: disk.path("Public/.staging/alive/lock"))
        let lock = try FileDescriptor.openFolder(disk.path("Public/.staging/alive")).openLockFile("lock")
        try lock.lock()
        #expect(try found() == [])
        try lock.unlock()
        #expect(try found() == ["surplus \(path)", "surplus Public/.staging/alive"])
        let file = disk.path(path)
        #expect(try found { unlink(file) } == ["surplus Public/.staging/alive"])
    }

    @Test("a prune between its trees and the pool")
    func prune() throws {
        let bench = try PublishBench()
        for version in ["1.0.0", "1.1.0", "1.2.0"] {
            try bench.publish(
                ReleaseFixture(
                    version: version,
                    assets: ["Sam3.aimodel": ["main.mlirb": .bytes(Array(version.utf8))]]
                )
            )
        }
        let seen = Monitor<[[String]?]>([])
        let pruner = try StorePruner(
            root: bench.root,
            passes: { step in
                if step != .treeRemoved { return true }
                let report = try? StoreVerifier(root: bench.root).verify()
                seen.update { $0.append(report?.findings.map(\.description)) }
                return true
            }
        )
        #expect(try pruner.prune(ChangedStore.model, keep: 1).removed.count == 2)
        #expect(seen.update { $0 } == [[], []])
    }

    @Test("versions of a model whose manifests cannot be looked at are not known to be surplus", arguments: [0, 0o444])
    func unreadable(_ mode: mode_t) throws {
        try disk.publish(.minimal(model: "Other"))
        try TemporaryFolder.write([1], to: disk.path("Public/models/Sam3/notes.txt"))
        let name = try #require(disk.names("manifests/Sam3").first)
        try #require(chmod(disk.root, 0o755) == 0)
        try #require(chmod(disk.path("manifests/Sam3"), mode) == 0)
        let verifier = try StoreVerifier(root: disk.root)
        func found(_ model: ModelName?, _ version: Version? = nil) throws -> [String] {
            try withPermissionsCounting {
                try verifier.verify(model: model, version: version, threads: 1).findings.map { "\($0.kind) \($0.path)" }
            }
        }
        let expected = mode == 0 ? "unreadable manifests/Sam3" : "brokenManifest manifests/Sam3/\(name)"
        let beside = "surplus Public/models/Sam3/notes.txt"
        #expect(try found(nil) == [beside, expected])
        #expect(try found(ChangedStore.model) == [beside, expected])
        #expect(try found(ChangedStore.model, ChangedStore.version("1.4.0")) == [expected])
        let words = try withPermissionsCounting { try verifier.verify(threads: 1).findings.last?.message }
        #expect(words?.contains("Permission denied; ") == true)
        try #require(chmod(disk.path("manifests/Sam3"), 0o755) == 0)
    }
}
