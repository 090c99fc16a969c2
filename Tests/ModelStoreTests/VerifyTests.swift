import Glibc
import HostSystem
import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("verify: every octet again, held against the manifests", .waits)
struct VerifyTests {
    private let disk: ReleaseStore
    private static let tree = "Public/models/Sam3/1.4.0/"

    init() throws {
        disk = try ReleaseStore()
        try disk.publish(.standard())
    }

    private func verify(_ threads: Int = 2) throws -> VerifyReport {
        try StoreVerifier(root: disk.root).verify(threads: threads)
    }

    private func found(_ threads: Int = 2) throws -> [String] {
        try verify(threads).findings.map { "\($0.kind) \($0.path)" }
    }

    @Test("a store as it was published has no findings, whatever the number of threads", arguments: [1, 2, 3, 64])
    func whole(_ threads: Int) throws {
        try disk.publish(.standard(model: "Other", seed: 7))
        let report = try verify(threads)
        #expect(report.findings.isEmpty)
        #expect(report.versions == 2)
        let manifests = try [ReleaseFixture.standard(), .standard(model: "Other", seed: 7)].map { try $0.manifest() }
        #expect(
            report.files == manifests.reduce(0) { $0 + $1.assets.reduce($1.companions.count) { $0 + $1.fileCount } }
        )
        #expect(report.size == manifests.reduce(0) { $0 + $1.size })
    }

    @Test("nothing published is nothing wrong, but a folder without manifests is no store")
    func empty() throws {
        let empty = try ReleaseStore()
        #expect(try StoreVerifier(root: empty.root).verify().findings.isEmpty)
        try TemporaryFolder.remove(empty.path("Public"))
        #expect(try StoreVerifier(root: empty.root).verify().findings.isEmpty)
        try TemporaryFolder.remove(empty.path("manifests"))
        let words =
            "\(empty.root) is no store, for it has no folder manifests: name the folder of the store with --root, "
            + "or publish something first"
        #expect(refusal { _ = try StoreVerifier(root: empty.root).verify() } == words)
        #expect(refusal { _ = try StoreVerifier(root: empty.path("nowhere")) }?.contains("--root") == true)
    }

    @Test("progress begins at nothing, never goes back, and ends at all")
    func progress() throws {
        try disk.publish(model: "Big", version: "1", assets: ["Big.aimodel": ["main.mlirb": .pattern(30_000_000)]])
        for archives in [false, true] {
            let seen = Monitor<[VerifyProgress]>([])
            let report = try StoreVerifier(root: disk.root).verify(threads: 3, checkingArchives: archives) { progress in
                seen.update { $0.append(progress) }
            }
            let all = seen.update { $0 }
            #expect(report.findings.isEmpty)
            #expect(all.first?.done == 0)
            #expect(all.last.map(\.done) == all.last?.total)
            #expect(zip(all, all.dropFirst()).allSatisfy { $0.done < $1.done && $0.total == $1.total })
            #expect(all.count >= 4)
            #expect(archives == (all[0].total > report.size))
        }
    }

    /// What happens to a store.
    enum Mishap: Sendable {
        case write([UInt8], String)
        case remove(String)
        case folder(String)
        case link(String, to: String)
        case fifo(String)

        func happen(to disk: ReleaseStore) throws {
            switch self {
            case .write(let bytes, let path): try TemporaryFolder.write(bytes, to: disk.path(path))
            case .remove(let path): try TemporaryFolder.remove(disk.path(path))
            case .folder(let path): try TemporaryFolder.makeFolder(disk.path(path))
            case .link(let path, let target): try #require(symlink(target, disk.path(path)) == 0)
            case .fifo(let path): try #require(mkfifo(disk.path(path), 0o644) == 0)
            }
        }
    }

    @Test(
        "each file that is damaged, missing or surplus is named, and nothing else",
        arguments: [
            // Another content of the same size: only the hash can tell.
            (
                [.write(Array(#"{"assetVersion":"2.1"}"#.utf8), tree + "Sam3.h18p.aimodelc/metadata.json")],
                ["damaged \(tree)Sam3.h18p.aimodelc/metadata.json"]
            ),
            ([.write([], tree + "tokenizer/tokenizer.json")], ["damaged \(tree)tokenizer/tokenizer.json"]),
            ([.write([1], tree + "Sam3.aimodel/odd/empty")], ["damaged \(tree)Sam3.aimodel/odd/empty"]),
            ([.remove(tree + "metadata.json")], ["missing \(tree)metadata.json"]),
            ([.remove(tree + "Sam3.aimodel/odd/modèle é.bin")], ["missing \(tree)Sam3.aimodel/odd/modèle é.bin"]),
            (
                [.remove(tree + "tokenizer")],
                ["missing \(tree)tokenizer/tokenizer.json", "missing \(tree)tokenizer/vocab list.txt"]
            ),
            // Something else in a file's place.
            ([.remove(tree + "metadata.json"), .folder(tree + "metadata.json")], ["damaged \(tree)metadata.json"]),
            (
                [.remove(tree + "metadata.json"), .link(tree + "metadata.json", to: "/etc/passwd")],
                ["damaged \(tree)metadata.json"]
            ),
            ([.remove(tree + "metadata.json"), .fifo(tree + "metadata.json")], ["damaged \(tree)metadata.json"]),
            // Something else in a folder's place.
            (
                [.remove(tree + "tokenizer"), .write([1], tree + "tokenizer")],
                [
                    "surplus \(tree)tokenizer", "missing \(tree)tokenizer/tokenizer.json",
                    "missing \(tree)tokenizer/vocab list.txt",
                ]
            ),
            // What nobody listed.
            ([.write([1], tree + ".DS_Store")], ["surplus \(tree).DS_Store"]),
            ([.write([1], tree + "Sam3.aimodel/odd/empty2")], ["surplus \(tree)Sam3.aimodel/odd/empty2"]),
            ([.folder(tree + "Sam3.h19p.aimodelc")], ["surplus \(tree)Sam3.h19p.aimodelc"]),
            ([.write([1], tree + "extra/a/b"), .write([1], tree + "extra/c")], ["surplus \(tree)extra"]),
            ([.link(tree + "link", to: "metadata.json")], ["surplus \(tree)link"]),
            // To Swift's String the decomposed name equals the composed one that is listed.
            (
                [.write([1], tree + "Sam3.aimodel/odd/mode\u{300}le e\u{301}.bin")],
                ["surplus \(tree)Sam3.aimodel/odd/mode\u{300}le e\u{301}.bin"]
            ),
            ([.write([1], tree + "two\nlines")], ["surplus \(tree)two\\u{A}lines"]),
            // Beside the versions.
            ([.write([1], "Public/models/Sam3/1.3.0/x")], ["surplus Public/models/Sam3/1.3.0"]),
            ([.write([1], "Public/models/Sam3/notes.txt")], ["surplus Public/models/Sam3/notes.txt"]),
            ([.write([1], "Public/models/Gone/1.0/x")], ["surplus Public/models/Gone/1.0"]),
            ([.write([1], "Public/models/.DS_Store")], ["surplus Public/models/.DS_Store"]),
            // A version without a tree.
            (
                [
                    .remove("Public/models/Sam3/1.4.0/Sam3.aimodel"),
                    .remove("Public/models/Sam3/1.4.0/Sam3.h16p.aimodelc"),
                    .remove("Public/models/Sam3/1.4.0/Sam3.h18p.aimodelc"),
                    .remove("Public/models/Sam3/1.4.0/tokenizer"),
                ],
                VerifyTests.allButMetadata
            ),
            // Manifests.
            ([.write(Array("{".utf8), "manifests/Sam3/1.4.0.json")], ["brokenManifest manifests/Sam3/1.4.0.json"]),
            ([.write(Array("{".utf8), "manifests/Sam3/model.json")], ["brokenManifest manifests/Sam3/model.json"]),
            ([.write([1], "manifests/Sam3/notes.txt")], ["surplus manifests/Sam3/notes.txt"]),
            ([.write([1], "manifests/notes.aimodel")], ["surplus manifests/notes.aimodel"]),
        ] as [([Mishap], [String])]
    )
    func mishaps(_ mishaps: [Mishap], _ expected: [String]) throws {
        for mishap in mishaps { try mishap.happen(to: disk) }
        // The order of paths is that of their octets, which the table does not always keep.
        #expect(try found().sorted() == expected.sorted())
    }

    private static let allButMetadata: [String] = {
        let release = ReleaseFixture.standard()
        let files = release.assets.flatMap { name, files in files.keys.map { "\(name)/\($0)" } }
        let others = release.companions.keys.filter { $0 != "metadata.json" }
        return (files + others).map { "missing \(tree)\($0)" }
    }()

    @Test("findings stand in the order of their paths' octets")
    func order() throws {
        for name in ["z", "Z", "é", "a/b", "a-b"] { try TemporaryFolder.write([1], to: disk.path(Self.tree + name)) }
        #expect(
            try verify().findings.map { String($0.path.dropFirst(Self.tree.count)) } == ["Z", "a", "a-b", "z", "é"]
        )
    }

    @Test("a name that is not UTF-8 is surplus")
    func notUTF8() throws {
        let folder = disk.path("Public/models/Sam3/1.4.0/")
        let path = folder.utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xFF), 0]
        let file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
        try #require(file >= 0)
        close(file)
        #expect(try found() == ["surplus \(Self.tree)\u{FFFD}"])
    }

    @Test("a message says what the content is and what it should be, and what to do")
    func words() throws {
        let path = Self.tree + "metadata.json"
        let promised = try #require(ReleaseFixture.standard().manifest().companion(at: "metadata.json"))
        let other = [UInt8](repeating: 0x20, count: Int(promised.size))
        try TemporaryFolder.write(other, to: disk.path(path))
        let message = try #require(verify().findings.first?.message)
        #expect(message.contains(ContentDigest.sha256(of: other).prefixed))
        #expect(message.contains(promised.digest.prefixed))
        #expect(message.hasSuffix("put the file of the build back, or withdraw the version"))
    }

    @Test("one name of several leads to one read, and damage is told at each")
    func shared() throws {
        // The second version is made of further names of the first one's files.
        let second = try disk.publish(.standard(version: "1.4.1"))
        for asset in second.assets {
            for file in asset.files { try link("\(asset.name)/\(file.path)") }
        }
        for file in second.companions { try link(file.path.text) }
        let report = try verify()
        #expect(report.findings.isEmpty)
        #expect(report.size == second.size)
        #expect(report.files == 2 * (second.assets.reduce(second.companions.count) { $0 + $1.fileCount }))

        try TemporaryFolder.writeInPlace(
            Array(#"{"assetVersion":"9.9"}"#.utf8),
            to: disk.publicPath("Sam3", "1.4.0", "Sam3.h16p.aimodelc/metadata.json")
        )
        #expect(
            try found() == [
                "damaged Public/models/Sam3/1.4.0/Sam3.h16p.aimodelc/metadata.json",
                "damaged Public/models/Sam3/1.4.1/Sam3.h16p.aimodelc/metadata.json",
            ]
        )
    }

    private func link(_ path: String) throws {
        let target = disk.publicPath("Sam3", "1.4.1", path)
        try TemporaryFolder.remove(target)
        try #require(Glibc.link(disk.publicPath("Sam3", "1.4.0", path), target) == 0)
    }

    @Test(
        "a manifest that disagrees with its own files is told, by its digest of an asset or of an archive",
        arguments: ["digest", "archive"]
    )
    func ownDigests(_ which: String) throws {
        let path = disk.manifestPath("Sam3", "1.4.0")
        let text = try disk.text("manifests/Sam3/1.4.0.json")
        let asset = try #require(ReleaseFixture.standard().manifest().assets.first)
        let right = which == "digest" ? asset.digest : asset.archive.digest
        let wrong = ContentDigest.sha256(of: [])
        let changed = text.split(separator: right.hex, omittingEmptySubsequences: false).joined(separator: wrong.hex)
        try #require(changed != text)
        try TemporaryFolder.write(Array(changed.utf8), to: path)
        let findings = try verify().findings
        #expect(findings.map(\.kind) == [.brokenManifest])
        #expect(findings.map(\.path) == ["manifests/Sam3/1.4.0.json"])
        #expect(findings.first?.message.contains(which == "digest" ? "Sam3.aimodel is" : "Sam3.aimodel.tar is") == true)
        // Without archives, theirs goes unseen.
        let quick = try StoreVerifier(root: disk.root).verify(checkingArchives: false)
        #expect(quick.findings.count == (which == "digest" ? 1 : 0))
    }

    @Test("a model or a version alone, and the names that are not there")
    func parts() throws {
        try disk.publish(.standard(version: "1.5.0"))
        try disk.publish(.standard(model: "Other"))
        for path in ["Sam3/1.4.0/a", "Sam3/1.5.0/b", "Sam3/1.6.0/c", "Other/1.4.0/d", "Gone/1.0/e"] {
            try TemporaryFolder.write([1], to: disk.path("Public/models/\(path)"))
        }
        try TemporaryFolder.write([1], to: disk.path("manifests/Other/f"))
        try TemporaryFolder.write([1], to: disk.path("manifests/Sam3/g"))
        let verifier = try StoreVerifier(root: disk.root)
        let model = try #require(ModelName("Sam3"))
        func names(_ report: VerifyReport) -> [String] { report.findings.map { String($0.path.suffix(1)) } }
        #expect(try names(verifier.verify()) == ["1.0", "d", "a", "b", "1.6.0", "f", "g"].map { String($0.suffix(1)) })
        #expect(try names(verifier.verify(model: model)) == ["a", "b", "0", "g"])
        let version = try verifier.verify(model: model, version: Version("1.5.0"))
        #expect(names(version) == ["b"])
        #expect(version.versions == 1)
        #expect(try verifier.verify(version: Version("1.5.0")) == verifier.verify())
        let absent = refusal { _ = try verifier.verify(model: model, version: Version("1.4.9")) }
        #expect(absent?.hasPrefix("Sam3 1.4.9 is not published; did you mean 1.4.0") == true)
        let unknown = refusal { _ = try verifier.verify(model: ModelName("Sam4")) }
        #expect(unknown == "no model Sam4 is published; did you mean Sam3?")
    }

    @Test("a version that is pruned while it is read is no finding; one whose files go is")
    func meanwhile() throws {
        let disk = disk
        func verify(_ change: @escaping @Sendable () -> Void) throws -> [VerifyFinding.Kind] {
            try StoreVerifier(root: disk.root).verify { if $0.done == 0 { change() } }.findings.map(\.kind)
        }
        let path = disk.publicPath("Sam3", "1.4.0", "metadata.json")
        #expect(try verify { truncate(path, 3) } == [.damaged])
        try disk.publish(.standard())
        #expect(try verify { unlink(path) } == [.missing])
        let manifest = disk.manifestPath("Sam3", "1.4.0")
        #expect(try verify { unlink(manifest) } == [])
    }

    @Test("what nobody may read is told as such, and all else is read")
    func unreadable() throws {
        try #require(chmod(disk.root, 0o755) == 0)
        try #require(chmod(disk.path(Self.tree + "metadata.json"), 0) == 0)
        try #require(chmod(disk.path(Self.tree + "tokenizer"), 0) == 0)
        let verifier = try StoreVerifier(root: disk.root)
        let findings = try withPermissionsCounting { try verifier.verify(threads: 1).findings }
        #expect(findings.map(\.kind) == [.damaged, .damaged, .damaged, .damaged])
        #expect(findings.allSatisfy { $0.message.contains("Permission denied") })
    }
}
