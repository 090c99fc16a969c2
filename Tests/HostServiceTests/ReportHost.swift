import HostService
import HostTransport
import TestSupport
import Testing

@testable import HostTelemetry

/// A host with a ledger, and what the ledger holds of reports.
struct ReportHost {
    let host: RunningHost

    /// - Parameters:
    ///   - publish: what it serves.
    ///   - prepare: changes the ledger's settings; a ledger that it sets to nil is off.
    init(
        loops: Int = 1,
        publish: (ReleaseStore) throws -> Void = CatalogFixture.publish,
        prepare: (inout LedgerSettings?) -> Void = { _ in }
    ) throws {
        let store = try ReleaseStore()
        try publish(store)
        var isRecording = true
        host = try RunningHost(store, loops: loops) { configuration in
            configuration.ledger = LedgerSettings(path: store.path("ledger.sqlite"))
            configuration.listeners.append(.unix(store.path("socket")))
            prepare(&configuration.ledger)
            isRecording = configuration.ledger != nil
        }
        // The file is made while the server already answers.
        if isRecording { _ = try eventually { try post("").status == 400 } }
    }

    /// A connection without an address, which only the limit of all holds.
    func connect() throws -> RawConnection { try RawConnection(to: .unix(host.store.path("socket"))) }

    /// A connection from 127.0.0.1.
    func connectFromAddress() throws -> RawConnection { try host.connect() }

    func post(_ body: String, _ fields: [(String, String)] = []) throws -> RawConnection.Response {
        try connect().post(Array(body.utf8), [("Content-Type", "application/json")] + fields)
    }

    /// `aimodel_host_reports_total` by outcome.
    func outcomes() throws -> [String: Int] {
        let text = try host.connectToAdmin().request("GET", "/metrics").text
        var outcomes: [String: Int] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("aimodel_host_reports_total{") {
            let parts = line.split(separator: "\"")
            guard parts.count == 3 else { continue }
            outcomes[String(parts[1])] = Int(parts[2].drop { !$0.isNumber })
        }
        return outcomes
    }

    func database(_ access: SQLiteDatabase.Access = .readOnly) throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path: host.store.path("ledger.sqlite"), access: access)
        database.setBusyTimeout(milliseconds: 30_000)
        return database
    }

    /// Each report that is written, its columns' texts with `|` between them and `-` for NULL; without its number, its
    /// time and its client.
    func rows() throws -> [String] {
        let database = try database()
        let statement = try database.prepare(
            """
            SELECT model, version, asset, architecture, outcome, error_domain, error_code, os_build, cold_load_ms, device
            FROM device_report ORDER BY id
            """
        )
        var rows: [String] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.optionalText($0) ?? "-" }.joined(separator: "|"))
        }
        return rows
    }

    /// Waits until `count` reports are written, and gives them back.
    func rows(awaiting count: Int) throws -> [String] {
        _ = try eventually { try rows().count >= count }
        return try rows()
    }
}

extension RawConnection {
    func post(
        _ body: [UInt8],
        _ fields: [(String, String)],
        to target: String = "/reports",
        method: String = "POST"
    ) throws -> Response {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        try send(Array("\(head)\r\n".utf8) + body)
        return try response(to: method)
    }
}

/// The JSON text of a report on a variant that is published, with these members put in; nil takes one out.
func report(_ members: [String: String?] = [:]) -> String {
    var all: [String: String?] = [
        "model": "\"Sam3\"", "version": "\"1.4.0\"", "asset": "\"Sam3.h18p.aimodelc\"", "architecture": "\"h18p\"",
        "outcome": "\"loaded\"",
    ]
    all.merge(members) { $1 }
    let written = all.sorted { $0.key < $1.key }.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
    return "{\(written.joined(separator: ","))}"
}

func array(_ reports: [String]) -> String { "[\(reports.joined(separator: ","))]" }
