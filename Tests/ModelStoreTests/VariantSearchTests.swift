import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("What became of a variant that was asked for in vain")
struct VariantSearchTests {
    /// Releases such as `1.4.0 aimodel h16p h18p`, assets of the base Sam3; `other.h16p` is of another base, and an `!`
    /// behind a version or a name withdraws it.
    struct Sketch: Sendable, CustomTestStringConvertible {
        let releases: [String]
        let asked: String
        /// `published 1.5.0`, `missing from 1.4.0`, `missing`, `unpublished`.
        let fate: String

        init(_ releases: [String], asked: String = "1.4.0", _ fate: String) {
            self.releases = releases
            self.asked = asked
            self.fate = fate
        }

        var testDescription: String { "\(asked) of \(releases): \(fate)" }
    }

    private static let architecture = "h17p"

    private func fate(_ sketch: Sketch) throws -> VariantFate {
        let open = try OpenStore()
        var withdrawals: [Withdrawal] = []
        for release in sketch.releases {
            let words = release.split(separator: " ").map(String.init)
            let name = String(words[0].prefix { $0 != "!" })
            let version = try #require(Version(name))
            func withdraw(_ word: String, _ architecture: Architecture?) {
                guard word.hasSuffix("!") else { return }
                withdrawals.append(
                    Withdrawal(
                        version: version,
                        architecture: architecture,
                        reason: "wrong",
                        replacement: nil,
                        at: "2026-12-01T09:30:00Z"
                    )
                )
            }
            withdraw(words[0], nil)
            var assets: [String: [String: ReleaseContent]] = [:]
            for word in words.dropFirst() {
                let kind = String(word.prefix { $0 != "!" })
                let asset = kind.contains(".") ? kind : "Sam3.\(kind)"
                assets[kind == "aimodel" ? asset : asset + ".aimodelc"] = ["main.mlirb": "abc"]
                if kind != "aimodel" { withdraw(word, Architecture(kind)) }
            }
            try open.disk.publish(model: "Sam3", version: name, assets: assets)
        }
        if !withdrawals.isEmpty { try open.disk.writeRecord(model: "Sam3", withdrawals: withdrawals) }
        let manifests = ManifestCache(store: open.store, findings: open.findings)
        return VariantSearch(try open.scanner.scan(), manifests).fate(
            of: "Sam3",
            for: try #require(Architecture(Self.architecture)),
            since: try #require(Version(sketch.asked)),
            of: try .named("Sam3")
        )
    }

    private func text(_ fate: VariantFate) -> String {
        switch fate {
        case .published(let version): "published \(version)"
        case .missing(let source): "missing" + (source.map { " from \($0.version)" } ?? "")
        case .unpublished: "unpublished"
        }
    }

    @Test(
        "a newer version that devices are given settles it; else the newest with a portable asset is compiled from",
        arguments: [
            Sketch([], "unpublished"),
            Sketch(["1.4.0 aimodel h16p"], "missing from 1.4.0"),
            Sketch(["1.4.0 aimodel h16p", "1.5.0 aimodel h16p"], "missing from 1.5.0"),
            Sketch(["1.4.0 aimodel h16p", "1.5.0 aimodel h17p"], "published 1.5.0"),
            Sketch(["1.4.0 aimodel", "1.5.0 aimodel h17p", "1.6.0 aimodel h17p"], "published 1.6.0"),
            Sketch(["1.4.0 aimodel", "1.5.0 aimodel h17p", "1.6.0 aimodel"], "published 1.5.0"),
            // An older version does not help those that are offered this one.
            Sketch(["1.3.0 aimodel h17p", "1.4.0 aimodel"], "missing from 1.4.0"),
            // Published under the very version, after it had been pruned.
            Sketch(["1.4.0 aimodel h17p"], "published 1.4.0"),
            Sketch(["1.5.0 aimodel h17p"], "published 1.5.0"),
            Sketch(["1.5.0 aimodel"], "missing from 1.5.0"),
            // A prerelease is for those who asked for one.
            Sketch(["1.4.0 aimodel", "1.5.0-rc.1 aimodel h17p"], "missing from 1.4.0"),
            Sketch(["1.5.0-a.1 aimodel", "1.5.0-rc.1 aimodel h17p"], asked: "1.5.0-a.1", "published 1.5.0-rc.1"),
            Sketch(["1.5.0-a.1 aimodel", "1.5.0 aimodel h17p"], asked: "1.5.0-a.1", "published 1.5.0"),
            // What is withdrawn is given to nobody.
            Sketch(["1.4.0 aimodel", "1.5.0! aimodel h17p"], "missing from 1.4.0"),
            Sketch(["1.4.0 aimodel", "1.5.0 aimodel h17p!"], "missing from 1.5.0"),
            Sketch(["1.4.0! aimodel"], "missing from 1.4.0"),
            // Of another base.
            Sketch(["1.4.0 aimodel", "1.5.0 aimodel other.h17p"], "missing from 1.5.0"),
            // Nothing to compile from.
            Sketch(["1.4.0 h16p"], "missing"),
            Sketch(["1.4.0 h16p", "1.5.0 aimodel"], "missing from 1.5.0"),
            Sketch(["1.4.0 aimodel", "1.5.0 h16p"], "missing from 1.4.0"),
        ]
    )
    func fates(_ sketch: Sketch) throws {
        #expect(text(try fate(sketch)) == sketch.fate)
    }

    @Test("the line is the one for that release, base and architecture")
    func line() throws {
        guard case .missing(let source?) = try fate(Sketch(["1.4.0 aimodel h16p"], "")) else {
            Issue.record("it is not missing, or there is nothing to compile from")
            return
        }
        let words = source.line.words
        #expect(words.contains("Sam3.aimodel"))
        #expect(words.contains(Self.architecture))
    }

    @Test("a manifest that cannot be used is passed over, and is a finding")
    func damaged() throws {
        let open = try OpenStore()
        try open.disk.publish(model: "Sam3", version: "1.4.0", assets: ["Sam3.aimodel": ["main.mlirb": "abc"]])
        try TemporaryFolder.write(Array("{}".utf8), to: open.disk.manifestPath("Sam3", "1.5.0"))
        let manifests = ManifestCache(store: open.store, findings: open.findings)
        let fate = VariantSearch(try open.scanner.scan(), manifests).fate(
            of: "Sam3",
            for: try #require(Architecture(Self.architecture)),
            since: try #require(Version("1.4.0")),
            of: try .named("Sam3")
        )
        #expect(text(fate) == "missing from 1.4.0")
        #expect(open.foundPaths == ["manifests/Sam3/1.5.0.json"])
    }
}
