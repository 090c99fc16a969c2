import HostService
import TestSupport
import Testing

@Suite("resolve: what a device should download", .waits, .served(CatalogFixture.publish))
struct ResolveTests {
    @Test("The whole answer, member by member")
    func shape() throws {
        let manifest = try Served.get("/models/Sam3/1.4.0/manifest.json").json()
        let described = try #require(manifest["assets"]?.elements.first { $0["name"] == "Sam3.h18p.aimodelc" })
        let answer = try Served.get(
            "/models/Sam3/1.4.0/resolve?arch=h18p&os=27.1&platform=iOS&installed=1.3.0&device=d"
        )
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == "application/json")
        #expect(answer["Cache-Control"] == "private, no-cache")
        #expect(answer["ETag"] == nil)
        let document = try answer.json()
        #expect(document.names == ["assets", "channel", "companions", "model", "updateAvailable", "version"])
        #expect(document["model"] == "Sam3")
        #expect(document["version"] == "1.4.0")
        #expect(document["channel"] == .null)
        #expect(document["updateAvailable"] == true)
        #expect(document["assets"]?.elements.count == 1)
        let asset = try #require(document["assets"]?[0])
        let archive = try #require(described["archive"])
        #expect(
            asset
                == .object([
                    "base": "Sam3", "name": "Sam3.h18p.aimodelc", "kind": "compiled", "architecture": "h18p",
                    "reason": "compiled-for-architecture", "url": "/models/Sam3/1.4.0/Sam3.h18p.aimodelc",
                    "archive": .object([
                        "url": "/models/Sam3/1.4.0/Sam3.h18p.aimodelc.tar",
                        "size": try #require(archive["size"]), "digest": try #require(archive["digest"]),
                    ]),
                    "size": try #require(described["size"]), "compile": .null,
                    "requiredFreeBytes": try #require(described["requiredFreeBytes"]),
                    "digest": try #require(described["digest"]),
                ])
        )
        let companions = try #require(document["companions"]?.elements)
        #expect(
            companions.map { $0["path"] } == ["metadata.json", "tokenizer/tokenizer.json", "tokenizer/vocab list.txt"]
        )
        #expect(companions.map(\.names) == Array(repeating: ["digest", "path", "size", "url"], count: 3))
        for companion in companions {
            let url = try #require(companion["url"]?.text)
            let file = try Served.get(url)
            #expect(companion["size"] == .int(Int64(file.body.count)))
        }
        try expectSameByHead(Served.running(), "/models/Sam3/1.4.0/resolve?arch=h18p")
    }

    struct Choice: Sendable, CustomTestStringConvertible {
        let says: String
        let target: String
        /// `base: name (reason)` for each base.
        let chosen: [String]
        var updates = true
        var channel: JSON = .null
        var version = "1.0.0"
        var testDescription: String { says }

        static let all = [
            Choice(
                says: "the variant of the architecture",
                target: "/models/Sam3/1.4.0/resolve?arch=h16p",
                chosen: ["Sam3: Sam3.h16p.aimodelc (compiled-for-architecture)"],
                version: "1.4.0"
            ),
            Choice(
                says: "never another architecture's, the portable one instead, and why",
                target: "/models/Sam3/1.4.0/resolve?arch=h17p",
                chosen: ["Sam3: Sam3.aimodel (no-variant-for-architecture)"],
                version: "1.4.0"
            ),
            Choice(
                says: "fallback=portable says what is done anyway",
                target: "/models/Sam3/1.4.0/resolve?fallback=portable&arch=amd64",
                chosen: ["Sam3: Sam3.aimodel (no-variant-for-architecture)"],
                version: "1.4.0"
            ),
            Choice(
                says: "the variant, where a fallback is forbidden and not needed",
                target: "/models/Sam3/1.4.0/resolve?arch=h18p&fallback=none",
                chosen: ["Sam3: Sam3.h18p.aimodelc (compiled-for-architecture)"],
                version: "1.4.0"
            ),
            Choice(
                says: "in the place of a withdrawn variant the portable one, and why",
                target: "/models/Edge/1.0.0/resolve?arch=h16p",
                chosen: ["Edge: Edge.aimodel (variant-withdrawn)"]
            ),
            Choice(
                says: "beside a withdrawn variant the others stay",
                target: "/models/Edge/1.0.0/resolve?arch=h18p",
                chosen: ["Edge: Edge.h18p.aimodelc (compiled-for-architecture)"]
            ),
            Choice(
                says: "one choice for each base, in their order",
                target: "/models/Pair/1.0.0/resolve?arch=h18p",
                chosen: [
                    "Text: Text.h18p.aimodelc (compiled-for-architecture)",
                    "Vision: Vision.aimodel (no-variant-for-architecture)",
                ]
            ),
            Choice(
                says: "for a third architecture",
                target: "/models/Pair/1.0.0/resolve?arch=h99",
                chosen: [
                    "Text: Text.aimodel (no-variant-for-architecture)",
                    "Vision: Vision.aimodel (no-variant-for-architecture)",
                ]
            ),
            Choice(
                says: "compiled only",
                target: "/models/Only/1.0.0/resolve?arch=h18p",
                chosen: ["Only: Only.h18p.aimodelc (compiled-for-architecture)"]
            ),
            Choice(
                says: "latest is neither the prerelease above nor what is withdrawn; in place, not redirected",
                target: "/models/Sam3/latest/resolve?arch=h18p",
                chosen: ["Sam3: Sam3.h18p.aimodelc (compiled-for-architecture)"],
                channel: "latest",
                version: "1.4.0"
            ),
            Choice(
                says: "a channel of the record",
                target: "/models/Sam3/stable/resolve?arch=h18p",
                chosen: ["Sam3: Sam3.h18p.aimodelc (compiled-for-architecture)"],
                channel: "stable",
                version: "1.4.0"
            ),
            Choice(
                says: "a prerelease that is named",
                target: "/models/Sam3/2.0.0-beta.1/resolve?arch=h18p",
                chosen: ["Sam3: Sam3.aimodel (no-variant-for-architecture)"],
                version: "2.0.0-beta.1"
            ),
            Choice(
                says: "installed already",
                target: "/models/Edge/latest/resolve?arch=h18p&installed=1.0.0",
                chosen: ["Edge: Edge.h18p.aimodelc (compiled-for-architecture)"],
                updates: false,
                channel: "latest"
            ),
            Choice(
                says: "a newer one is installed: a roll-back is an update too",
                target: "/models/Edge/latest/resolve?arch=h18p&installed=1.1.0",
                chosen: ["Edge: Edge.h18p.aimodelc (compiled-for-architecture)"],
                channel: "latest"
            ),
            Choice(
                says: "the system is just new enough",
                target: "/models/Only/1.0.0/resolve?arch=h18p&os=27",
                chosen: ["Only: Only.h18p.aimodelc (compiled-for-architecture)"]
            ),
            Choice(
                says: "numbers of a system's version are numbers",
                target: "/models/Only/1.0.0/resolve?arch=h18p&os=100.0.1",
                chosen: ["Only: Only.h18p.aimodelc (compiled-for-architecture)"]
            ),
            Choice(
                says: "a release without a least system",
                target: "/models/Edge/1.0.0/resolve?arch=h18p&os=1.0",
                chosen: ["Edge: Edge.h18p.aimodelc (compiled-for-architecture)"]
            ),
            Choice(
                says: "parameters that nobody knows, also malformed ones, are ignored",
                target: "/models/Edge/1.0.0/resolve?ba-token=%zz&x&=&&arch=h18p&y=%00",
                chosen: ["Edge: Edge.h18p.aimodelc (compiled-for-architecture)"]
            ),
            Choice(
                says: "empty values are as if they were not there",
                target: "/models/Edge/1.0.0/resolve?arch=h18p&os=&installed=&device=&platform=&fallback=",
                chosen: ["Edge: Edge.h18p.aimodelc (compiled-for-architecture)"]
            ),
            Choice(
                says: "percent-encoded values",
                target: "/models/Edge/1.0.0/resolve?%61rch=h%31%38p&installed=1%2E0.0",
                chosen: ["Edge: Edge.h18p.aimodelc (compiled-for-architecture)"],
                updates: false
            ),
            Choice(
                says: "long texts are cut, not refused",
                target: "/models/Edge/1.0.0/resolve?arch=h18p&platform=\(String(repeating: "p", count: 1000))"
                    + "&device=\(String(repeating: "d", count: 1000))",
                chosen: ["Edge: Edge.h18p.aimodelc (compiled-for-architecture)"]
            ),
        ]
    }

    @Test("The choice", arguments: Choice.all)
    func choice(_ row: Choice) throws {
        let answer = try Served.get(row.target)
        #expect(answer.status == 200)
        #expect(answer["Location"] == nil)
        #expect(answer["Cache-Control"] == "private, no-cache")
        let document = try answer.json()
        let chosen = (document["assets"]?.elements ?? []).map { asset in
            "\(asset["base"]?.text ?? ""): \(asset["name"]?.text ?? "") (\(asset["reason"]?.text ?? ""))"
        }
        #expect(chosen == row.chosen)
        #expect(document["version"] == .string(row.version))
        #expect(document["channel"] == row.channel)
        #expect(document["updateAvailable"] == .bool(row.updates))
        for asset in document["assets"]?.elements ?? [] {
            // The address leads to the asset, whose entry names its files.
            let url = try #require(asset["url"]?.text)
            #expect(url.hasPrefix("/models/"))
            #expect(try Served.get(url).json()["digest"] == asset["digest"])
        }
    }

    @Test(
        "invalid-parameter: one that is known and makes no sense is never guessed at",
        arguments: [
            ("", "arch"), ("os=27.1", "arch"), ("arch=", "arch"), ("arch=H18P", "arch"), ("arch=18p", "arch"),
            ("arch=h18p%20", "arch"), ("arch=iPhone18,1", "arch"),
            ("arch=\(String(repeating: "h", count: 33))", "arch"),
            ("arch=%zz", "arch"), ("arch=h18p%00", "arch"), ("arch=%FF", "arch"), ("arch=bad&arch=h18p&os=a", "os"),
            ("arch=h18p&os=iOS27", "os"), ("arch=h18p&os=27.", "os"), ("arch=h18p&os=27.1.2.3", "os"),
            ("arch=h18p&os=-1", "os"), ("arch=h18p&os=9999999999", "os"), ("arch=h18p&installed=v1.0", "installed"),
            ("arch=h18p&installed=latest", "installed"), ("arch=h18p&installed=1_0", "installed"),
            ("arch=h18p&fallback=yes", "fallback"), ("arch=h18p&fallback=NONE", "fallback"),
            ("arch=h18p&fallback=%zz", "fallback"), ("arch=h18p&platform=%zz", "platform"),
            ("arch=h18p&device=%zz", "device"), ("arch=h18p&device=%FF", "device"),
        ]
    )
    func invalid(_ query: String, _ parameter: String) throws {
        for version in ["1.4.0", "latest", "stable"] {
            let path = "/models/Sam3/\(version)/resolve"
            let document = try expectProblem("invalid-parameter", Served.get("\(path)?\(query)"), at: path)
            #expect(document["parameter"] == .string(parameter))
            #expect(document["detail"]?.text?.contains(parameter) == true)
            try expectSameByHead(Served.running(), "\(path)?\(query)")
        }
    }

    @Test("compile tells with which options an app specializes")
    func compile() throws {
        let store = try ReleaseStore()
        try store.publish(.minimal(model: "C"))
        let path = store.manifestPath("C", "1.4.0")
        let text = String(decoding: try Disk.read(path), as: UTF8.self)
        let facts = #""compile":{"expectFrequentReshapes":false,"platform":"iOS","preferredCompute":"gpu"},"digest""#
        let first = try #require(text.firstRange(of: #""digest""#))
        // The first digest of an asset is its archive's; what follows the archive is the asset's own.
        let own = try #require(text[first.upperBound...].firstRange(of: #""digest""#))
        try TemporaryFolder.write(Array(text.replacingCharacters(in: own, with: facts).utf8), to: path)
        let host = try RunningHost(store)
        let asset = try host.request("GET", "/models/C/1.4.0/resolve?arch=h18p").json()["assets"]?[0]
        let wanted: JSON = ["platform": "iOS", "preferredCompute": "gpu", "expectFrequentReshapes": false]
        #expect(asset?["compile"] == wanted)
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
