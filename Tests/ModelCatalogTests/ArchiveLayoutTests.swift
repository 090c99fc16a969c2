import Testing

@testable import ModelCatalog

func name(_ text: String) throws -> AssetName { try #require(AssetName(text)) }

/// The archive's bytes, each file filled with its own letter. For small ones only.
func bytes(of layout: ArchiveLayout) -> [UInt8] {
    layout.spans().flatMap { placed -> [UInt8] in
        switch placed.span {
        case .bytes(let bytes): bytes
        case .file(let index, let size): [UInt8](repeating: UInt8(ascii: "a") + UInt8(index % 26), count: Int(size))
        case .zeros(let count): [UInt8](repeating: 0, count: count)
        }
    }
}

/// A block as a reader of ustar sees it.
private struct Block {
    let bytes: [UInt8]

    init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range].prefix { $0 != 0 }, as: UTF8.self)
    }
    var name: String { text(0..<100) }
    var size: String { text(124..<136) }
    var type: Character { Character(Unicode.Scalar(bytes[156])) }
    var prefix: String { text(345..<500) }
    /// POSIX: the sum of all bytes, its own field taken as spaces.
    var isChecksumRight: Bool {
        let sum = bytes.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element)) }
        return Array(bytes[148..<156]) == Array(
            (String(repeating: "0", count: 6 - String(sum, radix: 8).count) + String(sum, radix: 8)).utf8
        ) + [0, 32]
    }
}

@Suite("The layout of an archive (POSIX.1-2001, pax)")
struct ArchiveLayoutTests {
    @Test("one file, byte for byte")
    func literal() throws {
        let layout = try ArchiveLayout(name: name("SAM3.aimodel"), files: [file("main.hash", 32)])
        func field(_ text: String, _ width: Int) -> [UInt8] {
            Array(text.utf8) + [UInt8](repeating: 0, count: width - text.utf8.count)
        }
        let header =
            field("SAM3.aimodel/main.hash", 100) + field("0000644", 8) + field("0000000", 8) + field("0000000", 8)
            + field("00000000040", 12) + field("00000000000", 12) + field("013104", 7) + [32] + field("0", 1)
            + field("", 100)
            + field("ustar", 6) + field("00", 2) + field("", 32) + field("", 32) + field("0000000", 8)
            + field("0000000", 8)
            + field("", 155) + field("", 12)
        #expect(header.count == 512)
        let expected = header + [UInt8](repeating: 0x61, count: 32) + [UInt8](repeating: 0, count: 480 + 1024)
        let isSame = bytes(of: layout) == expected
        #expect(isSame)
        #expect(layout.size == 2048)
    }

    @Test("sorted by the bytes of the paths, no folder entries, two zero blocks at the end and no more")
    func order() throws {
        let layout = try ArchiveLayout(
            name: name("SAM3.aimodel"),
            files: [file("b", 0), file("a/x", 512), file("a-x", 1)]
        )
        let all = bytes(of: layout)
        #expect(all.count == 512 + 512 + 512 + 512 + 512 + 1024)
        #expect(
            [0, 1024, 2048].map { Block(all[$0..<$0 + 512]).name } == [
                "SAM3.aimodel/a-x", "SAM3.aimodel/a/x", "SAM3.aimodel/b",
            ]
        )
        #expect(all.suffix(1024).allSatisfy { $0 == 0 })
        #expect(layout.files.map(\.path.text) == ["a-x", "a/x", "b"])
    }

    @Test(
        "names: 100 bytes as they are, up to 256 cut at a slash, beyond that a pax record",
        arguments: [
            // "m.aimodel/" is 10 bytes.
            (String(repeating: "n", count: 90), false, ""),
            (String(repeating: "n", count: 91), false, "m.aimodel"),
            (String(repeating: "n", count: 100), false, "m.aimodel"),
            (String(repeating: "n", count: 101), true, ""),
            (
                String(repeating: "d", count: 145) + "/" + String(repeating: "n", count: 100), false,
                "m.aimodel/" + String(repeating: "d", count: 145)
            ),
            (String(repeating: "d", count: 146) + "/" + String(repeating: "n", count: 100), true, ""),
            (String(repeating: "d", count: 145) + "/" + String(repeating: "n", count: 101), true, ""),
            (String(repeating: "d/", count: 122) + "n", false, "m.aimodel/" + String(repeating: "d/", count: 72) + "d"),
            ("é", true, ""),
        ]
    )
    func names(path: String, isExtended: Bool, prefix: String) throws {
        let layout = try ArchiveLayout(name: name("m.aimodel"), files: [file(path, 3)])
        let all = bytes(of: layout)
        let first = Block(all.prefix(512))
        #expect(first.isChecksumRight)
        #expect(UInt64(all.count) == layout.size)
        guard isExtended else {
            #expect(first.type == "0")
            #expect(first.prefix == prefix)
            #expect((prefix.isEmpty ? "" : prefix + "/") + first.name == "m.aimodel/" + path)
            return
        }
        #expect(first.type == "x")
        #expect(first.name == "PaxHeaders")
        let count = try #require(Int(first.size, radix: 8))
        let record = String(decoding: all[512..<512 + count], as: UTF8.self)
        #expect(record == "\(count) path=m.aimodel/\(path)\n")
        let second = Block(all[1024..<1536])
        #expect(second.type == "0")
        #expect(second.isChecksumRight)
        #expect(second.size == "00000000003")
        #expect(second.bytes.prefix(100).allSatisfy { $0 < 0x80 })
    }

    @Test(
        "a name and its bytes: é composed and decomposed stay what they are",
        arguments: ["mod\u{E8}le", "mode\u{300}le"]
    )
    func normalization(path: String) throws {
        let all = bytes(of: try ArchiveLayout(name: name("m.aimodel"), files: [file(path)]))
        let record = Array(" path=m.aimodel/\(path)\n".utf8)
        #expect(all[512..<1024].firstRange(of: record) != nil)
    }

    @Test("a record's length counts its own digits, at 99, 100 and 101 bytes too", arguments: 75...95)
    func recordLength(count: Int) throws {
        let path = "é" + String(repeating: "n", count: count - 12)
        let all = bytes(of: try ArchiveLayout(name: name("m.aimodel"), files: [file(path)]))
        let length = try #require(Int(Block(all.prefix(512)).size, radix: 8))
        #expect(all[512..<512 + length].last == 10)
        #expect(String(decoding: all[512..<512 + length], as: UTF8.self) == "\(length) path=m.aimodel/\(path)\n")
        #expect(all[(512 + length)..<1024].allSatisfy { $0 == 0 })
    }

    @Test(
        "sizes: eleven octal digits, from 8 GiB on a pax record and 0",
        arguments: [
            (0, "00000000000", nil), (5_368_709_120, "50000000000", nil), (8_589_934_591, "77777777777", nil),
            (8_589_934_592, "00000000000", "19 size=8589934592\n"),
            (9_663_676_416, "00000000000", "19 size=9663676416\n"),
            (1 << 60, "00000000000", "28 size=1152921504606846976\n"),
        ] as [(UInt64, String, String?)]
    )
    func sizes(size: UInt64, octal: String, record: String?) throws {
        let layout = try ArchiveLayout(name: name("m.aimodel"), files: [file("x", size)])
        guard case .bytes(let header)? = layout.span(containing: 0)?.span else {
            Issue.record("the archive does not begin with a header")
            return
        }
        #expect(Block(header.suffix(512)).size == octal)
        #expect(Block(header.suffix(512)).isChecksumRight)
        #expect(header.count == (record == nil ? 512 : 1536))
        if let record { #expect(String(decoding: header[512..<512 + record.utf8.count], as: UTF8.self) == record) }
        #expect(layout.size == UInt64(header.count) + (size + 511) / 512 * 512 + 1024)
    }

    @Test("from every offset the same span is found as by walking there")
    func spans() throws {
        let layout = try ArchiveLayout(
            name: name("m.aimodel"),
            files: [file("a", 0), file("b", 1), file("é", 512), file("c", 513), file("d", 0)]
        )
        var walked = layout.spans().makeIterator()
        let first = walked.next()
        var current = try #require(first)
        #expect(current.offset == 0)
        for offset in 0..<layout.size {
            if offset == current.end {
                let next = walked.next()
                current = try #require(next)
                #expect(current.offset == offset && current.span.length > 0)
            }
            guard layout.span(containing: offset) == current else {
                Issue.record("at \(offset): \(String(describing: layout.span(containing: offset))), not \(current)")
                return
            }
        }
        #expect(current.end == layout.size)
        let beyond = walked.next()
        #expect(beyond == nil)
        #expect(layout.span(containing: layout.size) == nil)
        #expect(layout.span(containing: .max) == nil)
        #expect(Array(layout.spans(from: layout.size)).isEmpty)
    }

    @Test("a byte 5 EiB into the archive is found as quickly as the first")
    func far() throws {
        let layout = try ArchiveLayout(name: name("m.aimodel"), files: [file("a", 5 << 60), file("b", 100)])
        let second = UInt64(1536 + 5 << 60)
        #expect(layout.span(containing: second - 1)?.span == .file(index: 0, size: 5 << 60))
        #expect(layout.span(containing: second + 512)?.span == .file(index: 1, size: 100))
        #expect(layout.span(containing: second + 612) == .init(offset: second + 612, span: .zeros(412)))
        #expect(layout.size == second + 512 + 512 + 1024)
    }

    @Test("ten thousand files: sizes add up, and the last entry is where it should be")
    func many() throws {
        let layout = try ArchiveLayout(name: name("m.aimodel"), files: (0..<10_000).map { try file("f\($0)", 1) })
        #expect(layout.size == 10_000 * 1024 + 1024)
        #expect(layout.span(containing: 9_999 * 1024 + 512)?.span == .file(index: 9_999, size: 1))
        #expect(layout.span(containing: layout.size - 1)?.span == .zeros(1024))
    }

    @Test("an asset's archive has the size that its layout has")
    func asset() throws {
        let asset = try ModelCatalogTests.asset("SAM3.aimodel")
        #expect(asset.archive.size == ArchiveLayout(asset: asset).size)
        #expect(asset.archive.name == "SAM3.aimodel.tar")
        #expect(throws: ManifestError.tooLarge(at: "asset SAM3.aimodel")) {
            try ModelCatalogTests.asset("SAM3.aimodel", [file("x", UInt64(Int64.max) - 512)])
        }
    }
}
