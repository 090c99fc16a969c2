import Testing

@testable import ModelCatalog

private let long128 = String(repeating: "m", count: 128)

@Suite("Names")
struct NameTests {
    @Test("a model's name", arguments: ["SAM3", "a", "0", "Qwen3-0.6B", "a_b-c.d", "x.aimodelx", "tar", long128])
    func modelName(text: String) throws {
        #expect(try #require(ModelName(text)).description == text)
    }

    @Test(
        "no model's name",
        arguments: [
            "", ".hidden", "-x", "_x", "a/b", "a b", "modèle", "100%", "a+b", "a\0", "\u{212A}", long128 + "m",
            "SAM3.aimodel", "SAM3.h18p.aimodelc", "SAM3.tar",
        ]
    )
    func noModelName(text: String) {
        #expect(ModelName(text) == nil)
    }

    @Test(
        "a version's name",
        arguments: ["1", "1.4.0", "2026.12", "1.0.0-rc.1+build.5", "0x", String(repeating: "1", count: 64)]
    )
    func versionName(text: String) throws {
        #expect(try #require(Version(text)).description == text)
    }

    @Test(
        "no version's name",
        arguments: ["", "v1", "latest", ".1", "-1", "1/2", "1_0", "1 0", "1é", "١", String(repeating: "1", count: 65)]
    )
    func noVersionName(text: String) {
        #expect(Version(text) == nil)
    }

    @Test(
        "a channel's name, reserved or not",
        arguments: [("stable", false), ("b2-x", false), ("latest", true), ("main", true), ("resolve", true)]
    )
    func channelName(text: String, isReserved: Bool) throws {
        let name = try #require(ChannelName(text))
        #expect(name.description == text)
        #expect(name.isReserved == isReserved)
    }

    @Test(
        "no channel's name",
        arguments: ["", "1a", "Stable", "-a", "a.b", "a_b", "é", String(repeating: "a", count: 33)]
    )
    func noChannelName(text: String) {
        #expect(ChannelName(text) == nil)
    }

    @Test(
        "an architecture, known or not",
        arguments: ["h18p", "h99z", "a", "x86_64", String(repeating: "a", count: 32)]
    )
    func architectureName(text: String) throws {
        #expect(try #require(Architecture(text)).description == text)
    }

    @Test("no architecture", arguments: ["", "H18p", "18h", "h-18", "h.18", "_h", String(repeating: "a", count: 33)])
    func noArchitecture(text: String) {
        #expect(Architecture(text) == nil)
    }

    @Test(
        "a missing number of a system's version is 0, and its text stays",
        arguments: [("27", "27.0"), ("27.1", "27.1.0"), ("027", "27")]
    )
    func equalSystems(one: String, other: String) throws {
        let left = try #require(OSVersion(one))
        let right = try #require(OSVersion(other))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(left.text == one)
    }

    @Test(
        "systems are ordered by their numbers",
        arguments: [("9", "27"), ("27.1", "27.2"), ("27.9", "27.10"), ("27.1", "27.1.1"), ("26.9.9", "27")]
    )
    func orderedSystems(lower: String, higher: String) throws {
        let left = try #require(OSVersion(lower))
        let right = try #require(OSVersion(higher))
        #expect(left < right)
        #expect(!(right < left))
    }

    @Test(
        "no system's version",
        arguments: ["", "27.", ".1", "27..1", "1.2.3.4", "27b", "-1", "+1", " 27", "1234567890", "٢٧"]
    )
    func noSystem(text: String) {
        #expect(OSVersion(text) == nil)
    }
}

@Suite("Asset names")
struct AssetNameTests {
    @Test(
        "base and kind are read from the name",
        arguments: [
            ("SAM3.h18p.aimodelc", "SAM3", "h18p"),
            ("Qwen3-0.6B.h16p.aimodelc", "Qwen3-0.6B", "h16p"),
            ("text.encoder.x_1.aimodelc", "text.encoder", "x_1"),
            ("SAM3.aimodel", "SAM3", nil),
            ("SAM3.h18p.aimodel", "SAM3.h18p", nil),
            ("modèle.aimodel", "modèle", nil),
            ("\u{600}.h18p.aimodelc", "\u{600}", "h18p"),
            ("a b+c%.aimodel", "a b+c%", nil),
        ] as [(String, String, String?)]
    )
    func parse(text: String, base: String, variant: String?) throws {
        let name = try #require(AssetName(text))
        #expect(name.base == base)
        #expect(name.architecture?.text == variant)
        #expect(name.kind == (try variant.map { .compiled(try architecture($0)) } ?? .portable))
        #expect(name.description == text)
        #expect(name.archiveName == text + ".tar")
    }

    @Test(
        "no asset",
        arguments: [
            "", ".aimodel", ".aimodelc", "SAM3", "SAM3.aimodelc", "SAM3.H18P.aimodelc", ".h18p.aimodelc",
            "SAM3.AIMODEL",
            "SAM3.aimodel/", "a/b.aimodel", "...aimodel", "..aimodel", "...h18p.aimodelc", "a\nb.aimodel",
            "SAM3.aimodel.tar",
            "SAM3.h18p.aimodelc ", String(repeating: "a", count: 244) + ".aimodel",
        ]
    )
    func refuse(text: String) {
        #expect(AssetName(text) == nil)
    }

    @Test("the longest name leaves room for .tar")
    func longest() throws {
        let name = try #require(AssetName(String(repeating: "a", count: 243) + ".aimodel"))
        #expect(name.archiveName.utf8.count == 255)
    }
}

@Suite("Relative paths")
struct RelativePathTests {
    private static let composed = "mod\u{E8}le.json"
    private static let decomposed = "mode\u{300}le.json"

    @Test(
        "safe",
        arguments: [
            "a", "a/b/c", ".hidden", "...", "..a", "a..", "a b", "100%", "a+b", "a\\b", "~", composed, decomposed,
            "日本/語",
            "\u{A0}", String(repeating: "s", count: 255),
        ]
    )
    func safe(text: String) throws {
        let path = try #require(RelativePath(text))
        #expect(path.text.utf8.elementsEqual(text.utf8))
        #expect(path.segments.map(String.init) == text.split(separator: "/").map(String.init))
    }

    @Test(
        "not safe",
        arguments: [
            "", "/", "/a", "a/", "a//b", ".", "..", "./a", "../a", "a/..", "a/./b", "a/../b", "a\0b", "a\nb", "a\u{7F}",
            "a\u{80}", "a\u{9F}b", "\u{1}", String(repeating: "s", count: 256),
            "a/" + String(repeating: "é", count: 128),
            "../\u{301}x", "a/../\u{600}",
        ]
    )
    func unsafe(text: String) {
        #expect(RelativePath(text) == nil)
    }

    @Test("a slash with a combining mark behind it is still a separator")
    func combiningMark() throws {
        let path = try #require(RelativePath("a/\u{301}b"))
        #expect(path.segments.map { Array($0.utf8) } == [Array("a".utf8), Array("\u{301}b".utf8)])
        #expect(path.top.utf8.elementsEqual("a".utf8))
    }

    @Test("4,096 bytes and no more")
    func length() {
        let segments = Array(repeating: String(repeating: "s", count: 255), count: 16).joined(separator: "/")
        #expect(segments.utf8.count == 4095)
        #expect(RelativePath(segments) != nil)
        #expect(RelativePath(String(segments.dropLast(3)) + "/sé") != nil)
        #expect(RelativePath(segments + "/s") == nil)
    }

    @Test("composed and decomposed are two paths, though Swift calls the texts equal")
    func normalization() throws {
        let one = try #require(RelativePath(Self.composed))
        let other = try #require(RelativePath(Self.decomposed))
        #expect(one.text == other.text)
        #expect(one != other)
        #expect(Set([one, other]).count == 2)
        #expect(other < one)
        #expect(!(one < other))
    }

    @Test("the order is that of UTF-8 bytes: U+FFFF before U+10000, upper case before lower case, / before letters")
    func order() throws {
        let sorted = ["A", "a", "a-b", "a.b", "a/b", "a0", "ab", "é", "\u{FFFD}", "\u{10000}"]
        let paths = try sorted.map { try #require(RelativePath($0)) }
        #expect(paths.reversed().sorted().map(\.text) == sorted)
    }
}
