import HostService
import ModelCatalog
import TestSupport
import Testing

@Suite("Listings: for programs and for people", .waits, .served(CatalogFixture.publish))
struct ListingTests {
    // MARK: Which form

    struct Form: Sendable, CustomTestStringConvertible {
        let path: String
        let accept: String?
        let isPage: Bool
        var testDescription: String { "\(path) with Accept: \(accept ?? "none")" }

        static let all = [
            Form(path: "/models", accept: nil, isPage: false), Form(path: "/models/", accept: nil, isPage: true),
            Form(path: "/models", accept: "*/*", isPage: false), Form(path: "/models/", accept: "*/*", isPage: true),
            Form(path: "/models", accept: "text/html", isPage: true),
            Form(path: "/models/", accept: "application/json", isPage: false),
            // What browsers send, and what curl users write.
            Form(
                path: "/models",
                accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                isPage: true
            ),
            Form(path: "/models", accept: "application/json, text/html;q=0.9", isPage: false),
            Form(path: "/models/", accept: "text/html;q=0.5, application/json;q=0.4", isPage: true),
            Form(path: "/models/", accept: "image/png", isPage: true),
            Form(path: "/models", accept: "text/*;q=0.1, application/json;q=0", isPage: true),
            Form(path: "/models/Sam3", accept: nil, isPage: false),
            Form(path: "/models/Sam3/", accept: nil, isPage: true),
            Form(path: "/models/Sam3/1.4.0", accept: nil, isPage: false),
            Form(path: "/models/Sam3/1.4.0/", accept: nil, isPage: true),
            Form(path: "/models/Sam3/1.4.0/Sam3.aimodel", accept: nil, isPage: false),
            Form(path: "/models/Sam3/1.4.0/Sam3.aimodel/", accept: nil, isPage: true),
            Form(path: "/models/Sam3/1.4.0/Sam3.aimodel/odd", accept: nil, isPage: false),
            Form(path: "/models/Sam3/1.4.0/Sam3.aimodel/odd/", accept: nil, isPage: true),
            Form(path: "/models/Sam3/1.4.0/tokenizer", accept: "text/html", isPage: true),
            Form(path: "/models/Sam3/1.4.0/tokenizer/", accept: "application/json", isPage: false),
            Form(path: "/problems", accept: nil, isPage: false), Form(path: "/problems/", accept: nil, isPage: true),
        ]
    }

    @Test("By Accept, else by the slash; the answer says that it varies (RFC 9110 12.5.1, 12.5.5)", arguments: Form.all)
    func form(_ row: Form) throws {
        let fields = row.accept.map { [("Accept", $0)] } ?? []
        let answer = try Served.request("GET", row.path, fields)
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == (row.isPage ? "text/html; charset=utf-8" : "application/json"))
        #expect(answer["Vary"] == "Accept")
        #expect(answer["Cache-Control"] == "no-cache")
        #expect(
            answer["Content-Security-Policy"]
                == (row.isPage ? "default-src 'none'; style-src 'unsafe-inline'" : nil)
        )
        if !row.isPage { _ = try answer.json() }
        try expectSameByHead(Served.running(), row.path, fields)

        // It is validated by its tag, each form by its own.
        let tag = try #require(answer["ETag"])
        #expect(tag.wholeMatch(of: /"[0-9a-f]{64}"/) != nil)
        let again = try Served.request("GET", row.path, fields + [("If-None-Match", "\"x\", W/\(tag)")])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        #expect(again["ETag"] == tag && again["Vary"] == "Accept" && again["Cache-Control"] == "no-cache")
        #expect(try Served.request("GET", row.path, fields + [("If-None-Match", "\"x\"")]).status == 200)
        let failed = try Served.request("GET", row.path, fields + [("If-Match", "\"x\"")])
        try expectProblem("precondition-failed", failed, at: row.path)
        // Range is for files: a listing is whole (RFC 9110 14.2 lets a server ignore it).
        #expect(try Served.request("GET", row.path, fields + [("Range", "bytes=0-0")]).body == answer.body)
    }

    @Test("The forms of one listing have two tags")
    func tags() throws {
        #expect(try Served.get("/models")["ETag"] != Served.get("/models/")["ETag"])
    }

    // MARK: What they say

    @Test("/models: the models, their newest and latest version, their channels")
    func models() throws {
        let models = try Served.get("/models").json()["models"]?.elements ?? []
        #expect(models.map { $0["name"] } == ["Edge", "Gone", "Only", "Pair", "Sam3"])
        #expect(
            models.last == [
                "name": "Sam3", "latest": "1.4.0", "newest": "2.0.0-beta.1", "url": "/models/Sam3",
                "channels": [
                    "lost": ["version": "7.7.7", "share": 100], "old": ["version": "1.2.0", "share": 100],
                    "stable": ["version": "1.4.0", "share": 100],
                ],
            ]
        )
        #expect(models[1]["latest"] == .null)
    }

    @Test("/models/{model}: the versions, newest first, withdrawn ones said to be")
    func versions() throws {
        let document = try Served.get("/models/Sam3").json()
        #expect(document["latest"] == "1.4.0")
        #expect(document["channels"]?.names == ["lost", "old", "stable"])
        let versions = document["versions"]?.elements ?? []
        #expect(versions.map { $0["version"] } == ["2.0.0-beta.1", "1.4.0", "1.3.0", "1.2.0", "1.1.0"])
        #expect(
            versions[1] == [
                "version": "1.4.0", "url": "/models/Sam3/1.4.0", "createdAt": "2025-12-01T09:30:00Z", "size": 68_850,
                "minDeploymentVersion": "27.0", "architectures": ["h16p", "h18p"], "withdrawn": false,
                "withdrawnArchitectures": [],
            ]
        )
        #expect(
            versions[3] == [
                "version": "1.2.0", "url": "/models/Sam3/1.2.0", "createdAt": "2025-12-01T09:30:00Z", "size": 200,
                "minDeploymentVersion": .null, "architectures": [], "withdrawn": true, "reason": "wrong tokenizer",
                "replacement": "1.4.0", "withdrawnArchitectures": [],
            ]
        )
        let edge = try Served.get("/models/Edge").json()["versions"]?[0]
        #expect(edge?["withdrawnArchitectures"] == ["h16p"])
        #expect(edge?["withdrawn"] == false)
    }

    @Test("/models/{model}/{version}: assets and companions; a withdrawn variant is left out")
    func top() throws {
        let document = try Served.get("/models/Sam3/1.4.0").json()
        #expect(document["manifest"] == "/models/Sam3/1.4.0/manifest.json")
        #expect(document["minDeploymentVersion"] == "27.0")
        let entries = document["entries"]?.elements ?? []
        #expect(
            entries.map { "\($0["name"]?.text ?? "") \($0["kind"]?.text ?? "")" } == [
                "Sam3.aimodel asset", "Sam3.h16p.aimodelc asset", "Sam3.h18p.aimodelc asset", "metadata.json file",
                "tokenizer folder",
            ]
        )
        let edge = try Served.get("/models/Edge/1.0.0").json()["entries"]?.elements ?? []
        #expect(edge.map { $0["name"] } == ["Edge.aimodel", "Edge.h18p.aimodelc"])
        #expect(try !Served.get("/models/Edge/1.0.0/").text.contains("h16p"))
    }

    @Test("An asset: its entry of the manifest, with the address of each file")
    func asset() throws {
        let manifest = try Served.get("/models/Sam3/1.4.0/manifest.json").json()
        for described in manifest["assets"]?.elements ?? [] {
            let name = try #require(described["name"]?.text)
            let entry = try Served.get("/models/Sam3/1.4.0/\(name)").json()
            for member in [
                "name", "base", "kind", "architecture", "size", "fileCount", "requiredFreeBytes", "digest", "archive",
            ] {
                #expect(entry[member] == described[member], "\(name) \(member)")
            }
            let files = entry["files"]?.elements ?? []
            #expect(files.map { $0["path"] } == described["files"]?.elements.map { $0["path"] })
            #expect(files.map { $0["digest"] } == described["files"]?.elements.map { $0["digest"] })
            for file in files {
                let answer = try Served.get(#require(file["url"]?.text))
                #expect(file["size"] == .int(Int64(answer.body.count)))
                #expect(
                    try "\"\(#require(file["digest"]?.text))\""
                        == answer["ETag"]?.replacing("\"", with: "\"sha256:", maxReplacements: 1)
                )
            }
        }
    }

    // MARK: For people

    @Test("The root leads people to the models, and says to programs that there is nothing (RFC 9110 15.4.3)")
    func root() throws {
        let browser = ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
        let answer = try Served.get("/", browser)
        #expect(answer.status == 302)
        #expect(answer["Location"] == "/models/")
        #expect(answer["Vary"] == "Accept")
        #expect(answer["Cache-Control"] == "no-cache")
        #expect(answer.body.isEmpty)
        try expectSameByHead(Served.running(), "/", [browser])
        try expectProblem("unknown-resource", Served.get("/"), at: "/")
        try expectProblem("unknown-resource", Served.get("/", ("Accept", "*/*")), at: "/")
    }

    @Test("A page has a heading row, and sizes as people read them; the octets are in the title")
    func sizes() throws {
        let top = try Served.get("/models/Sam3/1.4.0/").text
        #expect(top.contains("<tr><th scope=\"col\">Name</th><th scope=\"col\">Size</th></tr>"))
        let manifest = try Disk.read(Served.running().store.manifestPath("Sam3", "1.4.0")).count
        #expect(top.contains(">manifest.json</a></td><td title=\"\(manifest) octets\">"))
        let asset = try Served.get("/models/Sam3/1.4.0/Sam3.aimodel/").text
        #expect(asset.contains(">main.mlirb</a></td><td title=\"40000 octets\">40.0 kB</td>"))
        #expect(try Served.get("/models/Sam3/").text.contains("<td title=\"68850 octets\">68.9 kB</td>"))
    }

    // MARK: Following links

    @Test("Whoever follows the links of the pages gets every file, and every link leads somewhere")
    func crawl() throws {
        let connection = try Served.running().connect()
        var seen: Set<String> = ["/models/"]
        var open = ["/models/"]
        var files: [String: [UInt8]] = [:]
        while let path = open.popLast() {
            let answer = try connection.request("GET", path)
            #expect(answer.status == 200, "\(path)")
            guard path.hasSuffix("/") else {
                files[path] = answer.body
                continue
            }
            #expect(answer["Content-Type"] == "text/html; charset=utf-8")
            for link in answer.links where seen.insert(link).inserted {
                #expect(link.hasPrefix("/models/"))
                open.append(link)
            }
        }
        let manifest = try ReleaseFixture.standard().manifest()
        let wanted =
            manifest.assets.flatMap { asset in asset.files.map { "\(asset.name)/\($0.path)" } }
            + manifest.companions.map(\.path.text) + ["manifest.json"]
        for path in wanted {
            let octets =
                path == "manifest.json"
                ? try Disk.read(Served.running().store.manifestPath("Sam3", "1.4.0"))
                : try Served.octets("models/Sam3/1.4.0/\(path)")
            let link = "/models/Sam3/1.4.0/" + path.utf8.map { NameFixture.encoded($0) }.joined()
            #expect(files[link] == octets, "\(path)")
        }
        // Withdrawn versions and variants are not linked to.
        #expect(!seen.contains { $0.contains("/1.2.0/") || $0.contains("/1.1.0/") || $0.contains("Edge.h16p") })
    }

    @Test("Each page leads to the folder above")
    func parents() throws {
        let base = "/models/Sam3/1.4.0/"
        for (path, parent) in [
            ("/models/Sam3/", "/models/"), (base, "/models/Sam3/"), ("\(base)Sam3.aimodel/", base),
            ("\(base)Sam3.aimodel/odd/", "\(base)Sam3.aimodel/"), ("\(base)tokenizer/", base),
        ] {
            #expect(try Served.get(path).links.first == parent, "\(path)")
        }
        #expect(try !Served.get("/models/").text.contains("../"))
    }

    @Test("The page of a path without its slash has the same links")
    func withoutSlash() throws {
        let browser = ("Accept", "text/html")
        for path in ["/models", "/models/Sam3", "/models/Sam3/1.4.0", "/models/Sam3/1.4.0/Sam3.aimodel"] {
            #expect(try Served.get(path, browser).links == Served.get(path + "/").links, "\(path)")
        }
    }
}

extension RawConnection.Response {
    /// The links of a page, in order. By scalars, as a browser reads it: a combining mark after a bracket hides nothing.
    var links: [String] {
        text.matches(of: /<a href="([^"]*)">/.matchingSemantics(.unicodeScalar)).map { String($0.1) }
    }
}
