import HostService
import ModelCatalog
import TestSupport
import Testing

@Suite("The fields of answers, spelled out", .waits, .served(CatalogFixture.publish))
struct HeaderTests {
    static let exposed =
        "Accept-Ranges, AIModel-Problem, Content-Length, Content-Range, Digest, ETag, Last-Modified, Repr-Digest, "
        + "Retry-After"
    private static let crossOrigin = ["Access-Control-Allow-Origin: *", "Access-Control-Expose-Headers: \(exposed)"]
    private static let target = "/models/Sam3/1.4.0/tokenizer/tokenizer.json"

    /// What any answer with the content of `tokenizer.json` carries; its SHA-256 by another program.
    private static let content =
        [
            "ETag: \"c2823fb776dfaab48bfa06a33005d02a60492d87762cdb66c9c4155f97fbaa5d\"",
            "Cache-Control: public, max-age=31536000, immutable",
        ] + crossOrigin + [
            "Last-Modified: Mon, 01 Dec 2025 09:30:00 GMT", "Accept-Ranges: bytes",
            "Repr-Digest: sha-256=:woI/t3bfqrSL+gajMAXQKmBJLYd2LNtmycQVX5f7ql0=:",
            "Digest: SHA-256=woI/t3bfqrSL+gajMAXQKmBJLYd2LNtmycQVX5f7ql0=", "X-Content-Type-Options: nosniff",
        ]

    @Test("200: exactly these, for GET and HEAD")
    func whole() throws {
        let wanted = Self.content + ["Content-Type: application/json", "Content-Length: 17"]
        let answer = try Served.get(Self.target)
        #expect(answer.status == 200)
        #expect(answer.lines == wanted)
        #expect(answer.text == #"{"version":"1.0"}"#)
        try expectSameByHead(Served.running(), Self.target)
    }

    @Test("RFC 9110 8.8.2.1: no Last-Modified that is later than Date, when the publisher's clock was ahead")
    func aheadOfTime() throws {
        let host = try RunningHost()
        try host.store.publish(
            model: "Ahead",
            version: "1.0.0",
            assets: ["Ahead.aimodel": ["main.mlirb": "later"]],
            createdAt: "2999-01-01T00:00:00Z"
        )
        #expect(try eventually { try host.request("GET", "/models/Ahead").status == 200 })
        let answer = try host.request("GET", "/models/Ahead/1.0.0/Ahead.aimodel/main.mlirb")
        #expect(answer.status == 200)
        #expect(answer["Last-Modified"] == nil)
        #expect(answer["ETag"] != nil)
    }

    @Test("206: the same, and Content-Range (RFC 9530 4: the digest is of the whole)")
    func part() throws {
        let answer = try Served.get(Self.target, ("Range", "bytes=0-0"))
        #expect(
            answer.lines == Self.content
                + ["Content-Type: application/json", "Content-Range: bytes 0-0/17", "Content-Length: 1"]
        )
    }

    @Test("206 with several ranges: the same, and no Content-Range (RFC 9110 15.3.7.2)")
    func parts() throws {
        let answer = try Served.get(Self.target, ("Range", "bytes=0-0,-1"))
        let boundary = "c2823fb776dfaab48bfa06a33005d02a60492d87"
        #expect(
            answer.lines == Self.content + [
                "Content-Type: multipart/byteranges; boundary=\(boundary)", "Content-Length: \(answer.body.count)",
            ]
        )
    }

    @Test("304: the fields that RFC 9110 15.4.5 asks for, and no others")
    func notModified() throws {
        let answer = try Served.get(Self.target, ("If-None-Match", "*"))
        #expect(answer.status == 304)
        #expect(answer.lines == Array(Self.content.prefix(4)))
    }

    @Test("416: the problem, the tag and the length")
    func unsatisfiable() throws {
        let answer = try Served.get(Self.target, ("Range", "bytes=17-"))
        #expect(
            answer.names == [
                "AIModel-Problem", "Content-Type", "Content-Length", "Cache-Control", "X-Content-Type-Options", "ETag",
                "Accept-Ranges", "Content-Range", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
            ]
        )
        #expect(answer["Content-Range"] == "bytes */17")
    }

    @Test("A problem, a listing, a resolve and a state")
    func others() throws {
        let crossOrigin = ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers"]
        let content = ["Content-Type", "X-Content-Type-Options", "Content-Length"]
        let problem = try Served.get("/models/Sam4")
        #expect(
            problem.names == [
                "AIModel-Problem", "Content-Type", "Content-Length", "Cache-Control", "X-Content-Type-Options",
            ] + crossOrigin
        )
        let listing = try Served.get("/models")
        #expect(listing.names == ["ETag", "Cache-Control", "Vary"] + crossOrigin + content)
        let page = try Served.get("/models/")
        #expect(page.names == ["ETag", "Cache-Control", "Vary", "Content-Security-Policy"] + crossOrigin + content)
        let resolved = try Served.get("/models/Sam3/stable/resolve?arch=h18p")
        #expect(resolved.names == ["Cache-Control"] + crossOrigin + content)
        let state = try Served.get("/healthz")
        #expect(state.lines.prefix(1) == ["Cache-Control: no-store"])
        #expect(state.names == ["Cache-Control"] + crossOrigin + content)
    }

    @Test("Date is an IMF-fixdate, the first field, once (RFC 9110 6.6.1)")
    func date() throws {
        for target in [Self.target, "/models", "/nothing", "/models/Sam3/stable", "/healthz"] {
            let answer = try Served.get(target)
            #expect(answer.fields.first?.name == "Date")
            #expect(answer.fields.count { $0.name == "Date" } == 1)
            let pattern =
                /(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT/
            #expect(try pattern.wholeMatch(in: #require(answer["Date"])) != nil)
        }
    }

    @Test(
        "Content-Type by name; whatever would run in a browser is octets",
        arguments: [
            ("a.json", "application/json"), ("A.JSON", "application/json"), ("a.txt", "text/plain; charset=utf-8"),
            ("a.md", "text/markdown; charset=utf-8"), ("a.plist", "application/x-plist"), ("a.png", "image/png"),
            ("a.jpeg", "image/jpeg"), ("a.html", "application/octet-stream"), ("a.svg", "application/octet-stream"),
            ("a.js", "application/octet-stream"), ("a.xml", "application/octet-stream"),
            ("a.gz", "application/octet-stream"), ("a.tar.gz", "application/octet-stream"),
            ("a.br", "application/octet-stream"), ("a.json.gz", "application/octet-stream"),
            ("none", "application/octet-stream"), ("a.", "application/octet-stream"),
            (".json", "application/json"), ("json", "application/octet-stream"),
        ]
    )
    func mediaType(_ name: String, _ type: String) throws {
        let store = try ReleaseStore()
        try store.publish(model: "M", version: "1.0.0", assets: ["M.aimodel": [name: "<script>"]])
        let answer = try RunningHost(store).request(
            "GET",
            "/models/M/1.0.0/M.aimodel/\(name)",
            [("Accept-Encoding", "gzip, br")]
        )
        #expect(answer["Content-Type"] == type)
        #expect(answer["Content-Encoding"] == nil)
        #expect(answer["X-Content-Type-Options"] == "nosniff")
        #expect(answer.text == "<script>")
    }

    @Test("CORS: the preflight (Fetch standard, 3.3.3)", arguments: ["/models", HeaderTests.target, "/nothing", "*"])
    func preflight(_ target: String) throws {
        let answer = try Served.request(
            "OPTIONS",
            target,
            [
                ("Origin", "https://app.example"), ("Access-Control-Request-Method", "GET"),
                ("Access-Control-Request-Headers", "range,if-range,aimodel-device"),
            ]
        )
        #expect(answer.status == 204)
        #expect(answer["Allow"] == "GET, HEAD, OPTIONS")
        #expect(answer["Access-Control-Allow-Origin"] == "*")
        #expect(answer["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS")
        #expect(answer["Access-Control-Max-Age"] == "86400")
        let allowed = try #require(answer["Access-Control-Allow-Headers"]).lowercased()
        for name in ["range", "if-range", "if-match", "if-none-match", "aimodel-device", "authorization"] {
            #expect(allowed.split(separator: ", ").contains(Substring(name)))
        }
        // RFC 9110 8.6: an answer of 204 has no Content-Length.
        #expect(answer["Content-Length"] == nil)
    }

    @Test("CORS: every public answer may be read by any page, refusals too")
    func crossOrigin() throws {
        let requests: [(String, String, [(String, String)])] = [
            ("GET", Self.target, []), ("HEAD", Self.target, []), ("GET", Self.target, [("Range", "bytes=0-0")]),
            ("GET", Self.target, [("Range", "bytes=0-0,-1")]), ("GET", Self.target, [("Range", "bytes=17-")]),
            ("GET", Self.target, [("If-None-Match", "*")]), ("GET", Self.target, [("If-Match", "\"x\"")]),
            ("GET", "/models", []), ("GET", "/models/", []), ("GET", "/models/Sam3/latest", []),
            ("GET", "/models/Sam3/latest/resolve?arch=h18p", []), ("GET", "/problems", []), ("GET", "/nothing", []),
            ("GET", "/%zz", []), ("POST", "/models", []), ("BREW", "/models", []), ("OPTIONS", "/models", []),
            ("GET", "/healthz", []), ("GET", "/readyz", []), ("GET", "/models", [("Expect", "x")]),
            ("GET", "/models", [("Host", "again")]),
        ]
        for (method, target, fields) in requests {
            let answer = try Served.request(method, target, fields + [("Origin", "https://app.example")])
            #expect(answer["Access-Control-Allow-Origin"] == "*", "\(method) \(target)")
            #expect(answer["Access-Control-Expose-Headers"] == Self.exposed, "\(method) \(target)")
        }
    }

    @Test("HTTP/1.0: Host may be absent, the connection ends unless kept (RFC 9112 9.3)")
    func oldVersion() throws {
        let closing = try Served.running().connect()
        let answer = try closing.request("GET", Self.target, host: nil, version: "1.0")
        #expect(answer.status == 200)
        #expect(answer["Connection"] == "close")
        #expect(answer.text == #"{"version":"1.0"}"#)
        #expect(closing.isClosedByPeer())

        let kept = try Served.running().connect()
        for _ in 0..<2 {
            let answer = try kept.request(
                "GET",
                Self.target,
                [("Connection", "keep-alive"), ("Range", "bytes=0-0")],
                host: nil,
                version: "1.0"
            )
            #expect(answer.status == 206)
            #expect(answer["Connection"] == "keep-alive")
        }
        #expect(
            try kept.request("GET", "/nothing", [("Connection", "keep-alive")], host: nil, version: "1.0").status == 404
        )
    }

    @Test("Two hosts with one release, copied at other times: no field differs but Date")
    func twins() throws {
        let stores = [try ReleaseStore(), try ReleaseStore()]
        for (index, store) in stores.enumerated() {
            try CatalogFixture.publish(store)
            try Disk.setTimesOfAll(below: store.root, to: 1_000_000_000 + index * 77_777_777)
        }
        let hosts = try stores.map { try RunningHost($0) }
        let manifest = try ReleaseFixture.standard().manifest()
        let files = manifest.assets.flatMap { asset in asset.files.map { "\(asset.name)/\($0.path)" } }
        let paths = files + manifest.companions.map(\.path.text) + ["manifest.json", "", "Sam3.aimodel", "nothing"]
        let requests: [[(String, String)]] = [
            [], [("Range", "bytes=0-0,-1")], [("Range", "bytes=0-9")], [("If-None-Match", "*")],
        ]
        for path in paths {
            let target = "/models/Sam3/1.4.0/" + path.utf8.map { NameFixture.encoded($0) }.joined()
            for fields in requests {
                let one = try hosts[0].request("GET", target, fields)
                let other = try hosts[1].request("GET", target, fields)
                #expect(one.status == other.status && one.lines == other.lines, "\(target)")
                #expect(one.body == other.body)
            }
        }
    }
}
