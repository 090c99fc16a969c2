import Testing

@testable import ModelCatalog

@Suite("Model entries")
struct ModelEntryTests {
    @Test("versions stand newest first, each once, and each is found")
    func versions() throws {
        let texts = ["1.10.0", "1.2.0", "2.0.0-rc.1", "2026.1", "1.2.0", "1.2.0+b"]
        let entry = try entry(texts)
        #expect(entry.versions.map(\.version.text) == ["2.0.0-rc.1", "1.10.0", "1.2.0+b", "1.2.0", "2026.1"])
        #expect(try texts.allSatisfy { entry.version(try version($0))?.version.text == $0 })
        #expect(try ["1.2", "3.0.0", "0", "1.2.0+a"].allSatisfy { entry.version(try version($0)) == nil })
    }

    @Test("twenty thousand versions: each is found, and latest is the highest that was not withdrawn")
    func many() throws {
        let withdrawals = try (10_000..<20_000).map { try withdrawal("1.\($0).0") }
        let entry = try entry(
            (0..<20_000).map { "1.\($0).0" },
            record: ModelRecord(channels: [:], withdrawals: withdrawals)
        )
        #expect(entry.latest?.text == "1.9999.0")
        #expect(try (0..<20_000).allSatisfy { entry.version(try version("1.\($0).0")) != nil })
    }

    @Test(
        "latest: no prerelease, nothing withdrawn whole; one variant withdrawn is no matter",
        arguments: [
            (["1.0.0", "2.0.0-rc.1"], [], "1.0.0"), (["1.0.0", "2.0.0"], ["2.0.0"], "1.0.0"),
            (["1.0.0", "2.0.0"], ["2.0.0 h18p"], "2.0.0"),
            (["2.0.0-rc.1"], [], nil), (["1.0.0"], ["1.0.0"], nil), ([], [], nil), (["1.5", "1.6-beta"], [], "1.5"),
            (["2026.12", "0.1.0"], [], "0.1.0"), (["1.0.0"], ["3.0.0"], "1.0.0"),
        ] as [([String], [String], String?)]
    )
    func latest(versions: [String], withdrawn: [String], expected: String?) throws {
        let withdrawals = try withdrawn.map { text in
            let parts = text.split(separator: " ").map(String.init)
            return try withdrawal(parts[0], parts.count > 1 ? parts[1] : nil)
        }
        let entry = try entry(versions, record: ModelRecord(channels: [:], withdrawals: withdrawals))
        #expect(entry.latest?.text == expected)
        let lookup: ChannelLookup = try expected.map { .version(try version($0)) } ?? .unknown
        #expect(entry.lookUp(.latest) == lookup)
    }

    @Test("withdrawals of a version and of a variant are two things; the newest word counts")
    func withdrawals() throws {
        let record = ModelRecord(
            channels: [:],
            withdrawals: [
                try withdrawal("1.0.0", reason: "first"), try withdrawal("1.0.0", reason: "second"),
                try withdrawal("2.0.0", "h18p", reason: "variant"),
            ]
        )
        let entry = try entry(["1.0.0", "2.0.0"], record: record)
        let h18p = try architecture("h18p")
        #expect(entry.withdrawal(of: try version("1.0.0"))?.reason == "second")
        #expect(entry.withdrawal(of: try version("1.0.0"), architecture: h18p) == nil)
        #expect(entry.withdrawal(of: try version("2.0.0")) == nil)
        #expect(entry.withdrawal(of: try version("2.0.0"), architecture: h18p)?.reason == "variant")
        #expect(entry.withdrawal(of: try version("2.0.0"), architecture: try architecture("h16p")) == nil)
    }

    @Test("a channel leads where its record says, withdrawn or gone; latest is not among the names")
    func channels() throws {
        let record = ModelRecord(
            channels: [
                try channel("stable"): Channel(version: try version("1.0.0")),
                try channel("beta"): Channel(version: try version("9.9.9")),
            ],
            withdrawals: [try withdrawal("1.0.0")]
        )
        let entry = try entry(["1.0.0", "2.0.0"], record: record)
        #expect(entry.channelNames.map(\.text) == ["beta", "stable"])
        #expect(entry.lookUp(try channel("stable")) == .version(try version("1.0.0")))
        #expect(entry.lookUp(try channel("beta"), device: "x") == .version(try version("9.9.9")))
        #expect(entry.lookUp(try channel("nightly")) == .unknown)
        #expect(entry.lookUp(.latest) == .version(try version("2.0.0")))
    }
}

@Suite("Snapshots")
struct CatalogSnapshotTests {
    private func entry(_ name: String, _ versions: [String] = []) throws -> ModelEntry {
        let stamp = FileStamp(modifiedNanoseconds: 0, size: 0, inode: 0)
        return ModelEntry(
            name: try model(name),
            versions: try versions.map { VersionEntry(version: try version($0), stamp: stamp) }
        )
    }

    @Test("the next one has what was put in, not what was taken out, and shares the rest; the old one stays")
    func replacing() throws {
        let first = CatalogSnapshot.empty.replacing([try entry("b"), try entry("K"), try entry("a")])
        let second = first.replacing([try entry("a", ["1"]), try entry("c")], removing: [try model("b")])
        #expect(CatalogSnapshot.empty.sortedNames.isEmpty)
        #expect(first.sortedNames == ["K", "a", "b"])
        #expect(second.sortedNames == ["K", "a", "c"])
        #expect([CatalogSnapshot.empty, first, second].map(\.generation) == [0, 1, 2])
        #expect(first.model("a")?.versions.count == 0)
        #expect(second.model("a")?.versions.count == 1)
        #expect(second.model("b") == nil)
        #expect(second.model("K") === first.model("K"))
    }

    @Test(
        "a model is found by its bytes: U+212A is no K, whatever Swift's strings say",
        arguments: ["\u{212A}", "k", "K ", ""]
    )
    func exact(name: String) throws {
        let snapshot = CatalogSnapshot(generation: 7, entries: [try entry("K")])
        #expect(snapshot.model("K") != nil)
        #expect(snapshot.model(name) == nil)
    }
}

@Suite("Suggestions for a name that is not there")
struct SpellingSuggestionsTests {
    private static let names = ["SAM3", "SAM2", "Qwen3-0.6B", "Qwen3-1.7B", "whisper-large", "sam3", "x"]

    @Test(
        "the closest first, no more than three, nothing that is far",
        arguments: [
            ("SAM3", ["SAM3", "sam3", "SAM2"]), ("Sam3", ["SAM3", "sam3", "SAM2"]), ("SMA3", ["SAM3", "sam3"]),
            ("SAM", ["SAM3", "SAM2", "sam3"]), ("SAM33", ["SAM3", "sam3"]), ("whisperlarge", ["whisper-large"]),
            ("wisper-lagre", ["whisper-large"]), ("Qwen3-0.6b", ["Qwen3-0.6B", "Qwen3-1.7B"]), ("llama", []), ("", []),
            ("y", ["x"]),
            ("whisper", []), (String(repeating: "S", count: 129), []),
        ]
    )
    func close(text: String, expected: [String]) {
        #expect(SpellingSuggestions.close(to: text, among: Self.names) == expected)
    }

    @Test("the limit is kept, and 0 is none", arguments: [0, 1, 2])
    func limit(limit: Int) {
        #expect(SpellingSuggestions.close(to: "SAM3", among: Self.names, limit: limit).count == limit)
    }

    @Test("work is bounded: names beyond the first 4,096 are not looked at")
    func bounded() {
        let many = Array(repeating: "nothing-like-it", count: 4096)
        #expect(SpellingSuggestions.close(to: "SAM3", among: many + ["SAM3"]) == [])
        #expect(SpellingSuggestions.close(to: "SAM3", among: many.dropLast() + ["SAM3"]) == ["SAM3"])
    }
}
