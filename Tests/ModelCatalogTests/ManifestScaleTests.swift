import Testing

@testable import ModelCatalog

@Suite("A release of ten thousand files")
struct ManifestScaleTests {
    private static func files(count: Int) throws -> [ManifestFile] {
        try (0..<count).map { try file("weights/part-\($0 % 97)/block-\($0).bin", UInt64($0), UInt8($0 % 251)) }
    }

    @Test("is sorted, read back equal, and every file of it is found")
    func tenThousand() throws {
        let files = try Self.files(count: 10_000)
        let manifest = try Manifest(
            model: model("SAM3"),
            version: version("1.4.0"),
            createdAt: try #require(Instant("2026-12-01T09:30:00Z")),
            assets: [asset("SAM3.aimodel", files)]
        )
        let bytes = try manifest.encoded()
        let back = try Manifest.decode(bytes, model: manifest.model, version: manifest.version)
        #expect(back == manifest)
        let asset = back.assets[0]
        #expect(asset.size == 49_995_000)
        #expect(zip(asset.files, asset.files.dropFirst()).allSatisfy { $0.path < $1.path })
        #expect(files.allSatisfy { asset.file(at: $0.path.text) == $0 })
        #expect(asset.file(at: "weights/part-0/block-1.bin") == nil)
        #expect(asset.folderEntries(in: "weights")?.count == 97)
    }

    @Test("of twenty thousand assets each is found by its name, and by base and kind, in a few steps")
    func manyAssets() throws {
        // Bases that sort another way than the names do: "a.aimodel" stands behind "a-b.aimodel" and before "a0.aimodel".
        let bases = (0..<7000).map { "part-\($0)" } + ["part", "part.1", "part-", "part0", "é", "e\u{301}"]
        var names = bases.flatMap { ["\($0).aimodel", "\($0).h16p.aimodelc", "\($0).h18p.aimodelc"] }
        names.removeAll { $0 == "part.1.h16p.aimodelc" || $0 == "part-.aimodel" }
        let manifest = try Manifest(
            model: model("Wide"),
            version: version("1.0.0"),
            createdAt: try #require(Instant("2026-12-01T09:30:00Z")),
            assets: try names.map { try asset($0, [file("main.mlirb")]) }
        )
        #expect(manifest.bases.count == bases.count)
        for name in names { #expect(manifest.asset(named: name)?.name == AssetName(name)) }
        for base in bases {
            let portable = manifest.asset(base: base, kind: .portable)
            #expect(portable?.name.text.utf8.elementsEqual("\(base).aimodel".utf8) ?? (base == "part-"))
            let compiled = manifest.asset(base: base, kind: .compiled(try architecture("h16p")))
            #expect(compiled?.name.text.utf8.elementsEqual("\(base).h16p.aimodelc".utf8) ?? (base == "part.1"))
        }
        for absent in ["", "a.aimodel", "part-.aimodel", "part.1.h16p.aimodelc", "zz.aimodel", "part-1"] {
            #expect(manifest.asset(named: absent) == nil)
        }
        #expect(manifest.asset(base: "part.1.h18p", kind: .portable) == nil)
    }

    @Test("a file's entry stays lean")
    func memory() {
        // Two words of text, one of size, 32 bytes of digest.
        #expect(MemoryLayout<ManifestFile>.stride == 56)
        #expect(MemoryLayout<VersionEntry>.stride == 48)
    }

    @Test(
        "a file that is a folder is found wherever it stands between its neighbours",
        arguments: ["a", "a/b", "a/b/c"]
    )
    func conflict(path: String) throws {
        let others = try ["a!", "a-", "a-b/c", "a.b", "a/b!", "a/b/c-", "a/b/c/d", "a0", "b"].map { try file($0) }
        #expect(others.sortedByPath().pathConflict() == nil)
        let found = try #require((others + [try file(path)]).sortedByPath().pathConflict())
        #expect(found.with.text == path)
        #expect(found.path.text.hasPrefix(path + "/"))
    }

    @Test("each path the beginning of the next is no conflict, and no quadratic work")
    func chain() throws {
        let files = try (1...255).map { try file(String(repeating: "a", count: $0)) }
        #expect(files.sortedByPath().pathConflict() == nil)
    }
}

@Suite("Folder listings")
struct FolderListingTests {
    private static let paths = ["b", "a/x", "a/y/1", "a/y/2", "a/y!", "a-b/z", "é/f"]

    private func listing(_ folder: String) throws -> [String]? {
        try asset("SAM3.aimodel", Self.paths.map { try file($0, 10) }).folderEntries(in: folder)?.map {
            switch $0.kind {
            case .file(let file): "\($0.name) \(file.size)"
            case .folder(let count, let size): "\($0.name)/ \(count) \(size)"
            }
        }
    }

    @Test(
        "files and folders by name, with what lies below",
        arguments: [
            ("", ["a/ 4 40", "a-b/ 1 10", "b 10", "é/ 1 10"]),
            ("a", ["x 10", "y/ 2 20", "y! 10"]),
            ("a/y", ["1 10", "2 10"]),
            ("é", ["f 10"]),
        ]
    )
    func folder(name: String, expected: [String]) throws {
        #expect(try listing(name) == expected)
        #expect(try asset("SAM3.aimodel", Self.paths.map { try file($0) }).hasFolder(name))
    }

    @Test(
        "no folder: a file, a beginning of a name, a slash too many",
        arguments: ["b", "a/x", "a/", "a-", "/", "c", "a//y", "e\u{301}"]
    )
    func none(name: String) throws {
        #expect(try listing(name) == nil)
        #expect(try !asset("SAM3.aimodel", Self.paths.map { try file($0) }).hasFolder(name))
    }

    @Test("the top of a release: assets as folders, companions beside them")
    func top() throws {
        let manifest = try manifest(
            ["SAM3.h18p.aimodelc", "SAM3.aimodel"],
            companions: [file("tokenizer/a", 1), file("tokenizer/b", 2), file("LICENSE", 3)]
        )
        #expect(manifest.topEntries.map(\.name) == ["LICENSE", "SAM3.aimodel", "SAM3.h18p.aimodelc", "tokenizer"])
        #expect(manifest.topEntries[1].kind == .folder(fileCount: 2, size: 1010))
        #expect(manifest.topEntries[3].kind == .folder(fileCount: 2, size: 3))
        #expect(manifest.companionEntries(in: "tokenizer")?.map(\.name) == ["a", "b"])
        #expect(manifest.companionEntries(in: "SAM3.aimodel") == nil)
    }
}
