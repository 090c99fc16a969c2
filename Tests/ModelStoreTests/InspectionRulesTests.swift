import ModelCatalog
import Testing

@testable import ModelStore

@Suite("The rules that an inspection goes by")
struct InspectionRulesTests {
    @Test(
        "What a name inside an asset says of its architecture",
        arguments: [
            ("main-h18p.mlirb", nil, "program main h18p"), ("main-h18p-delegates", "h18p", "delegates main h18p"),
            ("main-m5.mlirb", nil, "program main m5"), ("text-encode-h16g.mlirb", nil, "program text-encode h16g"),
            ("encode-m5.mlirb", "m5", "program encode m5"), ("encode-m5.mlirb", nil, nil), ("main.mlirb", nil, nil),
            ("main-.mlirb", nil, nil), ("-h18p.mlirb", nil, nil), ("main-H18P.mlirb", nil, nil),
            ("main-h18p.mlirb.bak", nil, nil), ("h18p-delegates", nil, nil), ("two-part.mlirb", nil, nil),
        ] as [(String, String?, String?)]
    )
    func marks(_ name: String, _ expected: String?, _ mark: String?) {
        let found = ArchitectureMark(name, expected: expected.flatMap(Architecture.init))
        #expect(found.map { "\($0.kind) \($0.function) \($0.architecture)" } == mark)
    }

    @Test(
        "The known form of an architecture: h, digits, one letter",
        arguments: [
            ("h18p", true), ("h9a", true), ("h100s", true), ("h18", false), ("hp", false), ("h18pp", false),
            ("m5", false),
            ("g18p", false), ("h1_8p", false),
        ]
    )
    func knownForm(_ text: String, _ known: Bool) throws {
        #expect(try #require(Architecture(text)).hasKnownForm == known)
    }

    @Test(
        "What the name of a release's entry makes of it",
        arguments: [
            ("Sam3.aimodel", .asset), ("a.b.h18p.aimodelc", .asset), ("Sam3.aimodelc", .noArchitecture),
            (".aimodelc", .noArchitecture), (".h18p.aimodelc", .noBase), (".aimodel", .noBase), ("...aimodel", .noBase),
            ("Sam3.AIMODELC", .misspelledSuffix), ("Sam3.aimodel.tar", .archive), ("Sam3.aimodelc.tar", .archive),
            ("Sam3.aimodelx", .other), ("aimodel", .other), ("Sam3.aimodel.zip", .other), ("tokenizer", .other),
        ] as [(String, Naming)]
    )
    func naming(_ name: String, _ naming: Naming) {
        let found: Naming =
            switch AssetNaming(name) {
            case .asset: .asset
            case .noArchitecture: .noArchitecture
            case .noBase: .noBase
            case .misspelledSuffix: .misspelledSuffix
            case .archive: .archive
            case .other: .other
            }
        #expect(found == naming)
    }

    enum Naming: Sendable { case asset, noArchitecture, noBase, misspelledSuffix, archive, other }

    @Test(
        "No companion that is planned is one that a manifest refuses",
        arguments: ["Sam3.aimodel.tar", "x.h1p.aimodelc.tar"]
    )
    func archives(_ name: String) {
        #expect(AssetNaming(name) == .archive)
    }

    @Test(
        "Unicode 3.13: paths that are one without case and without the form of accents",
        arguments: [
            ("README", "readme", true), ("Straße", "STRASSE", true), ("ΣΊΣΥΦΟΣ", "σίσυφος", true),
            ("é", "E\u{301}", true),
            ("\u{212A}elvin", "kelvin", true), ("ﬁle", "file", true), ("ǆ", "ǅ", true), ("ᾳ", "α\u{345}", true),
            ("İ", "i\u{307}", true), ("ı", "i", false), ("ı", "I", false), ("a", "á", false), ("a", "а", false),
            ("straße", "strase", false),
        ]
    )
    func folding(_ left: String, _ right: String, _ same: Bool) {
        #expect((CaseFolding.key(left) == CaseFolding.key(right)) == same)
        #expect((CaseFolding.key(right) == CaseFolding.key(left)) == same)
    }

    @Test("Of three paths that are one the second and the third collide, folders before what they hold")
    func collisions() {
        let found = CaseFolding.collisions(in: ["A/x", "B", "a/X", "a/y", "b", "Á", "c"])
        #expect(found.map { "\($0.path) \($0.with)" } == ["a A", "a/X A/x", "b B"])
    }

    @Test(
        "Names as they are shown",
        arguments: [
            (Array("tokenizer/é 👩.json".utf8), "tokenizer/é 👩.json"), ([0x61, 0x1B, 0x5B, 0x32, 0x4A], #"a\u{1B}[2J"#),
            (Array("a\u{202E}b\u{2028}c\u{7F}\u{85}".utf8), #"a\u{202E}b\u{2028}c\u{7F}\u{85}"#),
            ([0xFF, 0x61, 0xC3, 0x28, 0x0A], #"\xFFa\xC3(\u{A}"#), ([0xE2, 0x82], #"\xE2\x82"#),
            ([0xED, 0xA0, 0x80], #"\xED\xA0\x80"#), ([0xC0, 0xAF], #"\xC0\xAF"#),
            ([0xF0, 0x9F, 0x91], #"\xF0\x9F\x91"#), ([], ""),
        ] as [([UInt8], String)]
    )
    func printable(_ octets: [UInt8], _ shown: String) {
        #expect(PrintableText.of(octets) == shown)
    }

    @Test(
        "Junk by its name",
        arguments: [
            (".DS_Store", true), ("._x", true), ("_source.aimodel", true), ("Sam3_source.aimodel", true),
            ("__MACOSX", true),
            ("source.aimodel", false), ("Sam3.aimodel", false), (".ds_store", false), (".gitattributes", false),
            ("_", false),
        ]
    )
    func junk(_ name: String, _ isJunk: Bool) {
        #expect(SystemJunk.matches(Array(name.utf8)) == isJunk)
    }
}
