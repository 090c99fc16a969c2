import HostService
import TestSupport
import Testing

@testable import HostTelemetry

/// From a request to the rows of the ledger, over a real socket.
@Suite("What the ledger records of requests")
struct RecordingTests {
    /// A host that records, and what its ledger holds when it has ended.
    private final class RecordingHost {
        let host: RunningHost
        let path: String

        init(prepare: (ReleaseStore) throws -> Void = { _ in }) throws {
            let store = try ReleaseStore()
            try store.publish(.standard())
            try prepare(store)
            let path = store.path("var/telemetry.sqlite")
            self.path = path
            host = try RunningHost(store) { $0.ledger = LedgerSettings(path: path) }
        }

        func get(_ target: String, _ fields: [(String, String)] = [], method: String = "GET") throws -> Int {
            try host.request(method, target, fields).status
        }

        /// Each row as its columns' texts, `|` between them and `-` for NULL.
        func rows(_ sql: String) throws -> [String] {
            host.server.stop()
            let database = try SQLiteDatabase(path: path, access: .readOnly)
            let statement = try database.prepare(sql)
            var rows: [String] = []
            while try statement.step() {
                rows.append(
                    (0..<statement.columnCount).map { statement.optionalText($0) ?? "-" }.joined(separator: "|")
                )
            }
            return rows
        }
    }

    private static let tree = "/models/Sam3/1.4.0/Sam3.aimodel/"
    private static let whole = "/models/Sam3/1.4.0/Sam3.aimodel/metadata.json"
    private static let columns = "status, range_first, range_last, bytes_sent, bytes_total, completed"

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let target: String
        var fields: [(String, String)] = []
        let status: Int
        /// Of `columns`.
        let row: String
        var testDescription: String { name }
    }

    @Test(
        "a GET of a file is one row: status, range, octets that arrived, and whether that was all",
        arguments: [
            Row(name: "whole", target: tree + "main.hash", status: 200, row: "200|-|-|32|32|1"),
            Row(name: "empty", target: tree + "odd/empty", status: 200, row: "200|-|-|0|0|1"),
            Row(
                name: "RFC 9110 14.2: a range",
                target: tree + "main.mlirb",
                fields: [("Range", "bytes=100-199")],
                status: 206,
                row: "206|100|199|100|40000|1"
            ),
            Row(
                name: "RFC 9110 14.2: a suffix",
                target: tree + "main.mlirb",
                fields: [("Range", "bytes=-10")],
                status: 206,
                row: "206|39990|39999|10|40000|1"
            ),
            Row(
                name: "RFC 9110 15.5.17: 416 carries nothing of the file",
                target: tree + "main.hash",
                fields: [("Range", "bytes=32-")],
                status: 416,
                row: "416|-|-|0|32|0"
            ),
            Row(
                name: "RFC 9110 13.1.1: so does 412",
                target: tree + "main.hash",
                fields: [("If-Match", "\"other\"")],
                status: 412,
                row: "412|-|-|0|32|0"
            ),
            Row(
                name: "RFC 9110 15.4.5: so does 304",
                target: tree + "main.hash",
                fields: [("If-None-Match", "*")],
                status: 304,
                row: "304|-|-|0|32|0"
            ),
            Row(
                name: "a companion",
                target: "/models/Sam3/1.4.0/tokenizer/tokenizer.json",
                status: 200,
                row: "200|-|-|17|17|1"
            ),
        ]
    )
    func file(_ row: Row) throws {
        let host = try RecordingHost()
        #expect(try host.get(row.target, row.fields) == row.status)
        #expect(try host.rows("SELECT \(Self.columns) FROM download") == [row.row])
    }

    @Test(
        "which file it was, of which asset, for which architecture",
        arguments: [
            (tree + "odd/v1..2.bin", "Sam3|1.4.0|Sam3.aimodel|-|portable|odd/v1..2.bin"),
            (
                "/models/Sam3/1.4.0/Sam3.h18p.aimodelc/main-h18p.mlirb",
                "Sam3|1.4.0|Sam3.h18p.aimodelc|h18p|compiled|main-h18p.mlirb"
            ),
            (
                "/models/Sam3/1.4.0/Sam3.h18p.aimodelc.tar",
                "Sam3|1.4.0|Sam3.h18p.aimodelc|h18p|compiled|Sam3.h18p.aimodelc.tar"
            ),
            ("/models/Sam3/1.4.0/metadata.json", "Sam3|1.4.0|-|-|companion|metadata.json"),
        ]
    )
    func identity(_ target: String, _ row: String) throws {
        let host = try RecordingHost()
        #expect(try host.get(target) == 200)
        #expect(try host.rows("SELECT model, version, asset, architecture, kind, path FROM download") == [row])
    }

    @Test("who asks: the device by its field or its parameter, the program, and never an address")
    func who() throws {
        let host = try RecordingHost()
        #expect(try host.get(Self.whole, [("AIModel-Device", "d-1"), ("User-Agent", "App/1")]) == 200)
        #expect(try host.get(Self.whole + "?device=d-2") == 200)
        #expect(try host.get(Self.whole, [("AIModel-Device", String(repeating: "x", count: 300))]) == 200)
        let rows = try host.rows("SELECT device, user_agent FROM download ORDER BY id")
        #expect(Set(rows) == ["d-1|App/1", "d-2|-", String(repeating: "x", count: 256) + "|-"])
    }

    @Test(
        "HEAD, and what is no file, is no download",
        arguments: [
            ("HEAD", whole, 200), ("GET", "/models/Sam3/1.4.0/Sam3.aimodel/absent", 404),
            ("GET", "/models/Sam3/1.4.0", 200),
            ("GET", "/models", 200), ("GET", "/healthz", 200), ("GET", "/nothing", 404),
        ]
    )
    func noDownload(_ method: String, _ target: String, _ status: Int) throws {
        let host = try RecordingHost()
        #expect(try host.get(target, method: method) == status)
        #expect(try host.rows("SELECT count(*) FROM download") == ["0"])
    }

    @Test("equal answers of a second are one row that counts them")
    func equal() throws {
        let host = try RecordingHost()
        let connection = try host.host.connect()
        for _ in 0..<50 { #expect(try connection.request("GET", Self.whole, []).status == 200) }
        #expect(try host.rows("SELECT sum(requests), sum(completed), count(*) < 50 FROM download") == ["50|50|1"])
    }

    @Test("a tree is one transfer, complete when each of its files is; ranges count each octet once")
    func transfer() throws {
        let host = try RecordingHost()
        let device = [("AIModel-Device", "d")]
        let paths = [
            "main.hash", "metadata.json", "odd/a%20b+c%25d%23e%3Ff&g=h.bin", "odd/mod%C3%A8le%20%C3%A9.bin",
            "odd/v1..2.bin",
            "odd/weights.gz", "odd/empty",
        ]
        for path in paths { #expect(try host.get(Self.tree + path, device) == 200) }
        for range in ["bytes=0-29999", "bytes=20000-35000", "bytes=35001-"] {
            #expect(try host.get(Self.tree + "main.mlirb", device + [("Range", range)]) == 206)
        }
        let row = "SELECT asset, device, requests, bytes_covered = bytes_total, bytes_sent - bytes_covered, "
        #expect(
            try host.rows(row + "completed_ms IS NOT NULL FROM transfer")
                == ["Sam3.aimodel|d|10|1|10000|1"]
        )
    }

    @Test("several ranges in one answer: each octet of theirs is covered, their framing is sent and covers nothing")
    func multipart() throws {
        let host = try RecordingHost()
        #expect(try host.get(Self.tree + "main.mlirb", [("Range", "bytes=0-9,100-119")]) == 206)
        #expect(try host.rows("SELECT bytes_covered, bytes_sent > 30, completed_ms FROM transfer") == ["30|1|-"])
    }

    @Test("a file that is not what its manifest says: the row says 503")
    func damaged() throws {
        let host = try RecordingHost { store in
            try TemporaryFolder.write([1], to: store.path("Public/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb"))
        }
        #expect(try host.get(Self.tree + "main.mlirb") == 503)
        #expect(try host.rows("SELECT path, \(Self.columns) FROM download") == ["main.mlirb|503|-|-|0|40000|0"])
    }

    struct Question: Sendable, CustomTestStringConvertible {
        let target: String
        let status: Int
        /// Of channel, installed_version, offered_version, architecture, platform, os_version, device, outcome.
        let check: String
        var testDescription: String { target }

        init(_ target: String, _ status: Int, _ check: String) {
            self.target = "/models/Sam3/" + target
            self.status = status
            self.check = check
        }
    }

    @Test(
        "a question for a version is one row",
        arguments: [
            Question("1.4.0/manifest.json", 200, "-|-|1.4.0|-|-|-|-|manifest"),
            Question(
                "latest/resolve?arch=h18p&os=27.1&platform=iOS&installed=1.3.0&device=d",
                200,
                "latest|1.3.0|1.4.0|h18p|iOS|27.1|d|update-offered"
            ),
            Question("1.4.0/resolve?arch=h18p&installed=1.4.0", 200, "-|1.4.0|1.4.0|h18p|-|-|-|up-to-date"),
            Question(
                "1.4.0/resolve?arch=h17p&fallback=none",
                404,
                "-|-|1.4.0|h17p|-|-|-|no-variant-for-architecture"
            ),
            Question("latest/resolve?arch=h18p&os=26.0", 404, "latest|-|-|h18p|-|26.0|-|requires-newer-os"),
            Question("latest/resolve?arch=%00", 400, "latest|-|-|-|-|-|-|invalid-parameter"),
            Question("9.9.9/resolve?arch=h18p", 404, "-|-|-|h18p|-|-|-|unknown-version"),
            Question("beta/resolve?arch=h18p", 404, "beta|-|-|h18p|-|-|-|unknown-channel"),
        ]
    )
    func question(_ question: Question) throws {
        let host = try RecordingHost()
        #expect(try host.get(question.target) == question.status)
        let columns = "channel, installed_version, offered_version, architecture, platform, os_version, device, outcome"
        #expect(try host.rows("SELECT \(columns) FROM version_check") == [question.check])
    }

    @Test(
        "names that clients make up are not recorded",
        arguments: [
            "/models/Nobody/latest/resolve?arch=h18p", "/models/Nobody/1.0/manifest.json", "/x/y/z/resolve",
        ]
    )
    func madeUp(_ target: String) throws {
        let host = try RecordingHost()
        #expect(try host.get(target) == 404)
        #expect(try host.rows("SELECT count(*) FROM version_check") == ["0"])
        #expect(try host.rows("SELECT count(*) FROM variant_miss") == ["0"])
    }

    @Test(
        "a variant that is asked for in vain is one row: how it was answered, and for which base",
        arguments: [
            ("1.4.0/resolve?arch=h17p&platform=iOS&device=d", 200, "1.4.0|Sam3|h17p|iOS|portable|d"),
            ("latest/resolve?arch=h17p&fallback=none", 404, "1.4.0|Sam3|h17p|-|problem|-"),
            ("1.4.0/Sam3.h17p.aimodelc/main-h17p.mlirb", 404, "1.4.0|Sam3|h17p|-|problem|-"),
            ("1.4.0/Sam3.h17p.aimodelc.tar", 404, "1.4.0|Sam3|h17p|-|problem|-"),
        ]
    )
    func miss(_ target: String, _ status: Int, _ row: String) throws {
        let host = try RecordingHost()
        #expect(try host.get("/models/Sam3/" + target) == status)
        let columns = "version, base, architecture, platform, answered_with, device"
        #expect(try host.rows("SELECT \(columns) FROM variant_miss") == [row])
    }

    @Test("a ledger that cannot be written: downloads go on, /readyz says so, and the operator is told once")
    func unwritable() throws {
        let store = try ReleaseStore()
        try store.publish(.standard())
        // A folder stands where the file should be.
        try TemporaryFolder.makeFolder(store.path("var/telemetry.sqlite"))
        let host = try RunningHost(store) { $0.ledger = LedgerSettings(path: store.path("var/telemetry.sqlite")) }
        #expect(try host.request("GET", Self.whole).status == 200)
        func state() throws -> JSON? {
            try host.connectToAdmin().request("GET", "/readyz", []).json()["status"]
        }
        #expect(try eventually { try state() == "degraded" })
        #expect(try host.request("GET", Self.whole).status == 200)
        #expect(host.toldOperator.filter { $0.contains("telemetry.sqlite") }.count == 1)
    }
}
