import HostService
import HostTelemetry
import ModelCatalog
import TestSupport
import Testing

@testable import HostService

@Suite("What the administration's API tells of a ledger and a catalog")
struct OpsApiTests {
    private func get(_ host: RunningHost, _ target: String) throws -> JSON {
        let answer = try host.connectToAdmin().request("GET", target)
        #expect(answer.status == 200, "\(target)")
        #expect(answer["Content-Type"] == "application/json" && answer["Cache-Control"] == "no-store", "\(target)")
        return try answer.json()
    }

    @Test("Every answer says when it was made, about what, and from when on")
    func frame() throws {
        let (host, history) = try OpsHistory.host()
        for resource in OpsResource.allCases where resource != .status {
            let answer = try get(host, "/api/\(resource.rawValue)?model=Sam3&since=36h")
            #expect(answer["model"] == "Sam3", "\(resource)")
            #expect(answer["period"] == "36h", "\(resource)")
            #expect(answer["ledger"] == true, "\(resource)")
            let at = try #require(answer["at"]?.text.flatMap { Instant($0) })
            let since = try #require(answer["since"]?.text.flatMap { Instant($0) })
            #expect(at.unixSeconds - since.unixSeconds == 36 * 3600)
            #expect(at.unixSeconds >= history.now / 1000)
        }
    }

    @Test("Downloads: how they ended, and how those that were cut went on")
    func rates() throws {
        let (host, _) = try OpsHistory.host()
        let rates = try get(host, "/api/rates?model=Sam3")
        let new: JSON = [
            "model": "Sam3", "version": "1.4.0", "transfers": 3, "completed": 2, "bytesSent": 210, "bytesCovered": 210,
            "answers": 4, "cut": 2, "resumed": 1,
        ]
        let old: JSON = [
            "model": "Sam3", "version": "1.3.0", "transfers": 1, "completed": 1, "bytesSent": 100, "bytesCovered": 100,
            "answers": 1, "cut": 0, "resumed": 0,
        ]
        #expect(rates["rows"] == [new, old])
        #expect(rates["more"] == false)
    }

    @Test("Bytes per hour, newest first")
    func bandwidth() throws {
        let (host, history) = try OpsHistory.host()
        let rows = try get(host, "/api/bandwidth?model=Sam3")["rows"]?.elements ?? []
        let hour = history.now / OpsHistory.hour * OpsHistory.hour
        // The answers of an instant may fall into the hour before: they are counted from their beginning.
        #expect(rows.allSatisfy { ($0["hour"]?.text.flatMap { Instant($0)?.unixSeconds } ?? .max) * 1000 <= hour })
        #expect(rows.reduce(0) { $0 + ($1["bytesSent"]?.number ?? 0) } == 310)
        #expect(rows.reduce(0) { $0 + ($1["requests"]?.number ?? 0) } == 5)
        #expect(rows.map { $0["hour"]?.text ?? "" } == rows.map { $0["hour"]?.text ?? "" }.sorted(by: >))
    }

    @Test("Adoption: by day, and the last word of each device")
    func adoption() throws {
        let (host, _) = try OpsHistory.host()
        let adoption = try get(host, "/api/adoption?model=Sam3")
        let current = adoption["now"]?.elements ?? []
        let devices = current.map { [$0["version"], $0["architecture"], $0["devices"]] }
        #expect(devices == [["1.3.0", "h18p", 2], ["1.4.0", "h18p", 2]])
        let days = adoption["rows"]?.elements ?? []
        #expect(days.allSatisfy { $0["model"] == "Sam3" && $0["day"]?.text?.utf8.count == 10 })
        #expect(Set(days.compactMap { $0["version"]?.text }) == ["1.3.0", "1.4.0"])
    }

    @Test("Stuck transfers: what a device calls itself is told as it is")
    func stuck() throws {
        let (host, history) = try OpsHistory.host()
        let at = JSON.string(try #require(history.moment(history.now - 2 * OpsHistory.hour)))
        let row: JSON = [
            "model": "Sam3", "version": "1.4.0", "asset": "Sam3.h18p.aimodelc", "architecture": "h18p",
            "device": .string(OpsHistory.hostile), "firstAt": at, "lastAt": at, "requests": 1, "bytesCovered": 10,
            "bytesTotal": 100,
        ]
        #expect(try get(host, "/api/stuck?model=Sam3")["rows"] == [row])
        // It is older than the hour that is asked about.
        #expect(try get(host, "/api/stuck?model=Sam3&since=1h")["rows"] == [])
    }

    @Test("Reports by variant")
    func health() throws {
        let (host, _) = try OpsHistory.host()
        let row: JSON = [
            "model": "Sam3", "version": "1.4.0", "asset": "Sam3.h18p.aimodelc", "architecture": "h18p", "reports": 5,
            "devices": 1, "loaded": 2, "loadFailed": 1, "specializationFailed": 1, "corrupt": 0, "fallbackUsed": 1,
            "removed": 0, "coldLoadMilliseconds": 150,
        ]
        #expect(try get(host, "/api/health")["rows"] == [row])
    }

    @Test("Missing variants: with the line that compiles them, or where they are published by now")
    func missing() throws {
        let (host, history) = try OpsHistory.host()
        let rows = try get(host, "/api/missing?model=Sam3")["rows"]
        let at = JSON.string(try #require(history.moment(history.now)))
        let line =
            "xcrun coreai-build compile Sam3.aimodel --min-deployment-version 27.0 --architecture h17p --output ."
        let wanted: JSON = [
            "model": "Sam3", "version": "1.4.0", "base": "Sam3", "architecture": "h17p", "asked": 3, "devices": 2,
            "answeredPortable": 3, "firstAsked": at, "lastAsked": at, "state": "missing", "publishedIn": nil,
            "compile": .string(line), "compileIn": "1.4.0",
        ]
        #expect(rows?[0] == wanted)
        #expect(rows?[1]?["version"] == "1.3.0" && rows?[1]?["publishedIn"] == "1.4.0")
        #expect(rows?.elements.count == 2)
        // There is no portable asset to compile it from.
        let only = try get(host, "/api/missing?model=Only")["rows"]
        #expect(only?.elements.count == 1 && only?[0]?["state"] == "missing" && only?[0]?["compile"] == .null)
    }

    @Test("The matrix: each version's state for each architecture, channels and withdrawals")
    func matrix() throws {
        let (host, _) = try OpsHistory.host()
        let matrix = try #require(try get(host, "/api/models?model=Sam3")["matrix"])
        #expect(matrix["architectures"] == ["h16p", "h17p", "h18p"])
        func states(_ version: JSON?) -> [JSON?] { version?["cells"]?.elements.map { $0["state"] } ?? [] }
        let versions = matrix["versions"]?.elements ?? []
        #expect(versions.map { $0["version"] } == ["2.0.0-beta.1", "1.4.0", "1.3.0", "1.2.0", "1.1.0"])
        #expect(states(versions[0]) == ["portable", "portable", "portable"])
        #expect(states(versions[1]) == ["compiled", "missing", "compiled"])
        #expect(states(versions[2]) == ["portable", "portable", "missing"])
        #expect(states(versions[3]) == ["withdrawn", "withdrawn", "withdrawn"])
        #expect(versions[1]["cells"]?[1]?["asked"] == 3 && versions[1]["cells"]?[1]?["devices"] == 2)
        #expect(
            versions[1]["channels"] == [["name": "latest", "share": 100], ["name": "stable", "share": 100]] as JSON
        )
        #expect(versions[3]["channels"] == [["name": "old", "share": 100]] as JSON)
        #expect(
            versions[3]["withdrawn"]
                == ["reason": "wrong tokenizer", "replacement": "1.4.0", "at": .string(CatalogFixture.createdAt)]
        )
        let edge = try #require(try get(host, "/api/models?model=Edge")["matrix"]?["versions"]?[0])
        #expect(states(edge) == ["withdrawn", "compiled"])
        #expect(edge["cells"]?[0]?["withdrawn"]?["reason"] == "crashes at load")
        let pair = try #require(try get(host, "/api/models?model=Pair")["matrix"]?["versions"]?[0])
        #expect(states(pair) == ["partial", "partial"])
    }

    @Test("All models with what the ledger says of each")
    func models() throws {
        let (host, _) = try OpsHistory.host()
        let models = try get(host, "/api/models")
        #expect(models["matrix"] == .null)
        let rows = models["rows"]?.elements ?? []
        #expect(rows.map { $0["model"] } == ["Edge", "Gone", "Only", "Pair", "Sam3"])
        let sam = try #require(rows.last)
        #expect(sam["latest"] == "1.4.0" && sam["versions"] == 5)
        #expect(sam["downloads"] == 4 && sam["completed"] == 3 && sam["bytesSent"] == 310)
        // What is published by now is not missing any more.
        #expect(sam["missingAsked"] == 3 && sam["loadFailures"] == 2)
        #expect(rows[0]["downloads"] == 0 && rows[2]["missingAsked"] == 1)
    }

    @Test("The overview is made of the parts")
    func overview() throws {
        let (host, _) = try OpsHistory.host()
        let overview = try get(host, "/api/overview?model=Sam3")
        for part in ["missing", "rates", "health", "stuck", "bandwidth", "adoption", "dropped"] {
            let alone = try get(host, "/api/\(part)?model=Sam3")
            #expect(overview[part]?["rows"] == alone["rows"], "\(part)")
            #expect(overview[part]?["more"] == false, "\(part)")
        }
        #expect(overview["matrix"] == (try get(host, "/api/models?model=Sam3")["matrix"]))
        #expect(overview["models"]?["rows"] == (try get(host, "/api/models")["rows"]))
        // Where none is named, the first one.
        #expect(try get(host, "/api/overview")["model"] == "Edge")
    }

    @Test("How the server and its ledger fare")
    func status() throws {
        let (host, history) = try OpsHistory.host()
        let status = try get(host, "/api/status")
        #expect(status["catalog"]?["models"] == 5 && status["catalog"]?["versions"] == 9)
        // The channel that leads nowhere.
        #expect(status["catalog"]?["findings"] == 1)
        #expect(status["ledger"]?["path"] == .string(history.path))
        #expect(status["ledger"]?["status"]?["isWritable"] == true)
        #expect(
            try eventually { try get(host, "/api/status")["ledger"]?["state"] == "writing" }
        )
    }

    @Test("Losses, whatever model they were about")
    func dropped() throws {
        let store = try ReleaseStore()
        try CatalogFixture.publish(store)
        let history = try OpsHistory(store.path("var/telemetry.sqlite"))
        let database = try SQLiteDatabase(path: history.path, access: .readWrite)
        for (age, count) in [(0, 5), (1, 6), (30, 7)] as [(Int64, Int)] {
            let at = history.now - age * OpsHistory.hour
            try database.execute(
                "INSERT INTO dropped (at_ms, kind, reason, count) VALUES (\(at), 'download', 'disk-full', \(count))"
            )
        }
        let host = try RunningHost(store) { $0.ledger = LedgerSettings(path: history.path) }
        let rows = try get(host, "/api/dropped?model=Sam3&since=1d")["rows"]
        let lost: JSON = [
            "kind": "download", "reason": "disk-full", "count": 11,
            "lastAt": .string(try #require(history.moment(history.now))),
        ]
        #expect(rows == [lost])
    }
}

extension JSON {
    fileprivate var number: Int64? {
        guard case .int(let number) = self else { return nil }
        return number
    }
}
