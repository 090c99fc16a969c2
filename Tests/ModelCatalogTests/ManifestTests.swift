import Testing

@testable import ModelCatalog

/// A small release in the canonical form, written by hand.
private let zeros = String(repeating: "0", count: 62)
private let canonical =
    #"{"architectures":["h18p"],"assets":["#
    + #"{"architecture":null,"archive":{"digest":"sha256:\#(zeros)a1","name":"SAM3.aimodel.tar","size":3584},"#
    + #""base":"SAM3","digest":"sha256:\#(zeros)a0","fileCount":2,"files":["#
    + #"{"digest":"sha256:\#(zeros)00","path":"main.mlirb","size":1000},"#
    + #"{"digest":"sha256:\#(zeros)00","path":"metadata.json","size":10}],"#
    + #""kind":"portable","name":"SAM3.aimodel","requiredFreeBytes":536873942,"size":1010},"#
    + #"{"architecture":"h18p","archive":{"digest":"sha256:\#(zeros)a1","name":"SAM3.h18p.aimodelc.tar","size":2048},"#
    + #""base":"SAM3","compile":{"expectFrequentReshapes":false,"platform":"iOS","preferredCompute":"gpu"},"#
    + #""digest":"sha256:\#(zeros)a0","fileCount":1,"files":["#
    + #"{"digest":"sha256:\#(zeros)07","path":"a/b.bin","size":7}],"#
    + #""kind":"compiled","name":"SAM3.h18p.aimodelc","requiredFreeBytes":536870933,"size":7}],"#
    + #""companions":[{"digest":"sha256:\#(zeros)03","path":"tokenizer/tokenizer.json","size":3}],"#
    + #""createdAt":"2026-12-01T09:30:00Z","minDeploymentVersion":"27.0","model":"SAM3","schemaVersion":1,"version":"1.4.0"}"#
    + "\n"

private func sample() throws -> Manifest {
    try Manifest(
        model: model("SAM3"),
        version: version("1.4.0"),
        createdAt: try #require(Instant("2026-12-01T09:30:00Z")),
        minDeploymentVersion: OSVersion("27.0"),
        assets: [
            asset(
                "SAM3.h18p.aimodelc",
                [file("a/b.bin", 7, 7)],
                compile: CompileFacts(platform: "iOS", preferredCompute: "gpu", expectFrequentReshapes: false)
            ),
            asset("SAM3.aimodel"),
        ],
        companions: [file("tokenizer/tokenizer.json", 3, 3)]
    )
}

private func decode(_ text: String) throws -> Manifest {
    try Manifest.decode(Array(text.utf8), model: model("SAM3"), version: version("1.4.0"))
}

@Suite("Manifests")
struct ManifestTests {
    @Test("one canonical form: sorted keys, assets and files; nothing escaped that need not be; one line feed")
    func encoded() throws {
        #expect(String(decoding: try sample().encoded(), as: UTF8.self) == canonical)
    }

    @Test("what was written is read back equal, and written the same again")
    func roundTrip() throws {
        let manifest = try sample()
        let back = try decode(canonical)
        #expect(back == manifest)
        #expect(try back.encoded() == manifest.encoded())
        #expect(back.minDeploymentVersion?.text == "27.0")
        #expect(back.createdAt.unixSeconds == 1_796_117_400)
    }

    @Test("unknown keys are kept out of the way, order and white space do not count, companions may be left out")
    func lenient() throws {
        let pretty =
            canonical
            .replacing(#""model":"#, with: #""futureKey": {"x": [1, null]}, "model": "#)
            .replacing(#""fileCount":2"#, with: #""mood":"good","fileCount" : 2"#)
            .replacing(
                #"{"digest":"sha256:\#(zeros)00","path":"main.mlirb","size":1000},{"digest":"sha256:\#(zeros)00","path":"metadata.json","size":10}"#,
                with:
                    #"{"digest":"sha256:\#(zeros)00","path":"metadata.json","size":10},{"digest":"sha256:\#(zeros)00","path":"main.mlirb","size":1000}"#
            )
            .replacing(#""architecture":null,"#, with: "")
        #expect(try decode(pretty) == sample())
        let bare = canonical.replacing(
            #""companions":[{"digest":"sha256:\#(zeros)03","path":"tokenizer/tokenizer.json","size":3}],"#,
            with: ""
        )
        #expect(try decode(bare).companions.isEmpty)
    }

    @Test("look-ups")
    func lookUps() throws {
        let manifest = try sample()
        #expect(manifest.bases == ["SAM3"])
        #expect(manifest.architectures == [try architecture("h18p")])
        #expect(manifest.size == 1020)
        #expect(manifest.asset(named: "SAM3.aimodel")?.size == 1010)
        #expect(manifest.asset(named: "SAM3.h16p.aimodelc") == nil)
        #expect(manifest.asset(base: "SAM3", kind: .portable)?.fileCount == 2)
        #expect(manifest.asset(base: "SAM3", kind: .compiled(try architecture("h18p")))?.architecture?.text == "h18p")
        #expect(manifest.asset(base: "SAM4", kind: .portable) == nil)
        #expect(manifest.companion(at: "tokenizer/tokenizer.json")?.size == 3)
        #expect(manifest.companion(atUTF8: Array("tokenizer/tokenizer.json".utf8))?.size == 3)
        #expect(manifest.companion(at: "tokenizer") == nil)
        #expect(manifest.asset(named: "SAM3.h18p.aimodelc")?.file(at: "a/b.bin")?.size == 7)
        #expect(manifest.asset(named: "SAM3.h18p.aimodelc")?.file(at: "a/b.bi") == nil)
        #expect(manifest.asset(named: "SAM3.h18p.aimodelc")?.file(at: "") == nil)
    }

    @Test("the same bytes: createdAt is no difference, a digest is")
    func sameContent() throws {
        let manifest = try sample()
        #expect(try manifest.hasSameContent(as: decode(canonical.replacing("09:30", with: "10:30"))))
        #expect(try !manifest.hasSameContent(as: decode(canonical.replacing("\(zeros)07", with: "\(zeros)08"))))
    }

    @Test("manifest.md: an asset's digest is over one line a file, sorted by the bytes of the path")
    func digestInput() throws {
        let files = try [file("b", 20, 2), file("a/x", 5_368_709_120, 1), file("a-x", 0, 3)]
        let expected =
            "\(zeros)03  0  a-x\n" + "\(zeros)01  5368709120  a/x\n" + "\(zeros)02  20  b\n"
        #expect(String(decoding: Asset.digestInput(files), as: UTF8.self) == expected)
    }

    @Test("requiredFreeBytes: 3 x size + 512 MiB, and never more than can be counted")
    func requiredFreeBytes() {
        #expect(Asset.defaultRequiredFreeBytes(size: 3_600_000_000) == 11_336_870_912)
        #expect(Asset.defaultRequiredFreeBytes(size: UInt64.max) == UInt64(Int64.max))
        #expect(Asset.defaultRequiredFreeBytes(size: UInt64(Int64.max) / 3) == UInt64(Int64.max))
    }

    @Test("sizes beyond 32 bits go through JSON whole")
    func largeSizes() throws {
        let large = try Manifest(
            model: model("SAM3"),
            version: version("1.4.0"),
            createdAt: try #require(Instant("2026-12-01T09:30:00Z")),
            assets: [asset("SAM3.aimodel", [file("x", 5_368_709_120), file("y", 1 << 60)])]
        )
        let back = try Manifest.decode(large.encoded(), model: large.model, version: large.version)
        #expect(back == large)
        #expect(back.assets[0].files.map(\.size) == [5_368_709_120, 1 << 60])
    }

    @Test("é composed and é decomposed go through JSON as the bytes they are, and both may be there")
    func normalization() throws {
        let composed = "mod\u{E8}le"
        let decomposed = "mode\u{300}le"
        let manifest = try Manifest(
            model: model("SAM3"),
            version: version("1.4.0"),
            createdAt: try #require(Instant("2026-12-01T09:30:00Z")),
            assets: [asset("SAM3.aimodel", [file(composed, 1), file(decomposed, 2)])]
        )
        let back = try Manifest.decode(manifest.encoded(), model: manifest.model, version: manifest.version)
        #expect(back == manifest)
        #expect(
            back.assets[0].files.map { Array($0.path.text.utf8) } == [Array(decomposed.utf8), Array(composed.utf8)]
        )
        #expect(back.assets[0].file(at: composed)?.size == 1)
        #expect(back.assets[0].file(at: decomposed)?.size == 2)
    }
}
