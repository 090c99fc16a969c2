import HTTPWire
import HostService
import HostSystem
import HostTelemetry
import HostTransport
import ModelCatalog
import TestSupport
import Testing

@testable import HostService
@testable import HostTelemetry

@Suite("The ops page and the administration's API, as resources")
struct OpsRouteTests {
    private func admin(
        _ host: RunningHost,
        _ target: String,
        _ fields: [(String, String)] = [],
        method: String = "GET"
    ) throws -> RawConnection.Response {
        try host.connectToAdmin().request(method, target, fields)
    }

    @Test("The page holds what it needs, and its policy knows that and nothing else")
    func page() throws {
        let host = try RunningHost()
        let page = try admin(host, "/")
        #expect(page.status == 200)
        #expect(page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page["X-Content-Type-Options"] == "nosniff" && page["Referrer-Policy"] == "no-referrer")
        let policy = try #require(page["Content-Security-Policy"])
        func digest(between begin: String, _ end: String) throws -> String {
            let parts = page.text.split(separator: begin)
            #expect(parts.count == 2)
            let content = try #require(parts.last?.split(separator: end).first)
            return try #require(ContentDigest(bytes: SHA256.digest(of: Array(content.utf8)))).base64
        }
        #expect(
            policy == "default-src 'none'; script-src 'sha256-\(try digest(between: "<script>", "</script>"))'; "
                + "style-src 'sha256-\(try digest(between: "<style>", "</style>"))'; connect-src 'self'; "
                + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        // Nothing is loaded from anywhere, and no markup is made of data.
        for forbidden in [
            "http://", "https://", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
        ] {
            let text = page.text.replacing("http://www.w3.org/2000/svg", with: "")
            #expect(!text.contains(forbidden), "\(forbidden)")
        }
        let again = try admin(host, "/", [("If-None-Match", try #require(page["ETag"]))])
        #expect(again.status == 304 && again["Cache-Control"] == "no-cache")
        let head = try admin(host, "/", method: "HEAD")
        #expect(head.status == 200 && head["Content-Length"] == "\(page.body.count)" && head.body.isEmpty)
    }

    @Test("Neither the page nor the API is on the public listener, and no other site reads them")
    func listeners() throws {
        let host = try RunningHost()
        #expect(try host.request("GET", "/api/overview").status == 404)
        for target in ["/", "/api/overview", "/api/status"] {
            let answer = try admin(host, target, [("Origin", "https://evil.example")])
            #expect(answer.status == 200)
            #expect(answer.fields.allSatisfy { !$0.name.lowercased().hasPrefix("access-control-") }, "\(target)")
            let rebound = try host.connectToAdmin().request("GET", target, host: "evil.example")
            try expectProblem("misdirected-request", rebound, at: target, isPublic: false)
            let posted = try admin(host, target, method: "POST")
            try expectProblem("method-not-allowed", posted, at: target, isPublic: false)
        }
    }

    @Test(
        "Paths that are none of these",
        arguments: ["/api", "/api/", "/api/nothing", "/api/models/", "/api/models/x"]
    )
    func unknown(_ target: String) throws {
        let host = try RunningHost()
        try expectProblem("unknown-resource", admin(host, target), at: target, isPublic: false)
    }

    @Test(
        "A time span from 1h to 90d",
        arguments: [
            ("1h", 1), ("12h", 12), ("24h", 24), ("7d", 168), ("90d", 2160), ("2160h", 2160), ("0d", nil), ("0h", nil),
            ("91d", nil), ("2161h", nil), ("7", nil), ("d", nil), ("", nil), ("7D", nil), ("-1d", nil), ("+7d", nil),
            (" 7d", nil), ("7d ", nil), ("1.5h", nil), ("99999999999999999999d", nil), ("٧d", nil), ("7m", nil),
        ] as [(String, Int64?)]
    )
    func period(_ text: String, _ hours: Int64?) {
        #expect(OpsPeriod(text)?.hours == hours)
    }

    @Test("A parameter that cannot be understood is told by its name")
    func parameters() throws {
        let host = try RunningHost()
        try host.store.publish(.standard())
        #expect(try eventually { try admin(host, "/api/status").json()["catalog"]?["models"] == 1 })
        for (query, name) in [("since=1y", "since"), ("since=%zz", "since"), ("model=%ff", "model")] {
            let refused = try admin(host, "/api/rates?\(query)")
            let document = try expectProblem("invalid-parameter", refused, at: "/api/rates", isPublic: false)
            #expect(document["parameter"] == .string(name))
        }
        let unknown = try admin(host, "/api/rates?model=Sam4")
        let document = try expectProblem("unknown-model", unknown, at: "/api/rates", isPublic: false)
        #expect(document["models"] == ["Sam3"])
        #expect(try admin(host, "/api/rates?model=Sam3&other=%zz").status == 200)
    }

    @Test("Without a ledger the catalog is told all the same, and that there is none")
    func noLedger() throws {
        let host = try RunningHost()
        try host.store.publish(.standard())
        #expect(try eventually { try admin(host, "/api/status").json()["catalog"]?["models"] == 1 })
        #expect(try admin(host, "/api/status").json()["ledger"]?["state"] == "off")
        let overview = try admin(host, "/api/overview").json()
        #expect(overview["ledger"] == false)
        #expect(overview["missing"]?["rows"] == [] && overview["adoption"]?["now"] == [])
        #expect(overview["matrix"]?["versions"]?.elements.count == 1)
        #expect(overview["models"]?["rows"]?[0]?["downloads"] == .null)
    }

    @Test("A ledger that somebody has removed is none yet, not a fault")
    func absent() throws {
        let store = try ReleaseStore()
        try store.publish(.standard())
        let host = try RunningHost(store) {
            $0.ledger = LedgerSettings(path: store.path("nowhere/at/all/telemetry.sqlite"))
        }
        let rates = try admin(host, "/api/rates")
        #expect(rates.status == 200)
        #expect(try rates.json()["rows"] == [])
        #expect(try eventually { try admin(host, "/api/status").json()["ledger"]?["state"] == "failing" })
        #expect(try admin(host, "/api/overview").json()["status"]?["ledger"]?["status"]?["lastFailure"] != .null)
    }

    @Test("A file that is no ledger: each part says so, and what is published is told")
    func unreadable() throws {
        let store = try ReleaseStore()
        try store.publish(.standard())
        let path = store.path("other.sqlite")
        let other = try SQLiteDatabase(path: path, access: .create)
        try other.execute("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")
        let host = try RunningHost(store) { $0.ledger = LedgerSettings(path: path) }
        let refused = try admin(host, "/api/rates")
        let problem = try expectProblem("over-capacity", refused, at: "/api/rates", isPublic: false)
        #expect(problem["detail"]?.text?.contains("not this program's") == true)
        let overview = try admin(host, "/api/overview").json()
        #expect(overview["rates"]?["problem"]?["detail"] == problem["detail"])
        #expect(overview["matrix"]?["versions"]?.elements.count == 1)
        #expect(overview["models"]?["ledgerProblem"] == problem["detail"])
        #expect(try other.integer("SELECT count(*) FROM notes") == 1)
    }

    @Test("A question that takes too long is given up and says so")
    func slow() throws {
        let folder = try TemporaryFolder()
        let history = try OpsHistory("\(folder.path)/telemetry.sqlite")
        let endless =
            "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number) SELECT max(n) FROM number"
        let reader = try LedgerReader(path: history.path, isOver: { true })
        #expect {
            _ = try reader.rows(endless) { $0.integer(0) }
        } throws: { error in
            (error as? LedgerError).map { OpsFailure($0) } == .tooSlow
        }
        // The connection is as good as before.
        #expect(try reader.rows("SELECT 7") { $0.integer(0) } == [7])
        let problem = OpsFailure.tooSlow.problem(at: "/api/rates")
        #expect(problem.details.code == .overCapacity && problem.retryAfter == 10)
    }
}
