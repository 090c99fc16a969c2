import TestSupport
import Testing

@testable import HostTelemetry

@Suite("The schema is a contract with dashboards", .waits)
struct SchemaTests {
    /// The columns as docs/telemetry.md spells them out, `id` left out.
    private static let contract: [(String, String)] = [
        (
            "download",
            """
            started_ms, duration_ms, model, version, asset, architecture, kind, path, requests, status, range_first, \
            range_last, bytes_sent, bytes_total, completed, resumed, device, client, user_agent, tls
            """
        ),
        (
            "transfer",
            """
            first_ms, last_ms, model, version, asset, architecture, device, client, requests, bytes_sent, \
            bytes_covered, bytes_total, completed_ms
            """
        ),
        (
            "version_check",
            """
            at_ms, model, channel, installed_version, offered_version, architecture, platform, os_version, device, \
            client, outcome
            """
        ),
        ("variant_miss", "at_ms, model, version, base, architecture, platform, answered_with, device, client"),
        (
            "device_report",
            """
            at_ms, model, version, asset, architecture, outcome, error_domain, error_code, os_build, cold_load_ms, \
            device, client
            """
        ),
        (
            "daily",
            """
            day, model, version, asset, architecture, downloads, completed, bytes_sent, misses, devices, load_failures
            """
        ),
        ("dropped", "at_ms, kind, reason, count"),
    ]

    private static let views = [
        "v_downloads_by_day", "v_version_adoption", "v_missing_variants", "v_variant_health", "v_bandwidth_by_hour",
        "v_resume_rate", "v_stuck_downloads",
    ]

    private func newDatabase(_ folder: TemporaryFolder) throws -> SQLiteDatabase {
        try SQLiteDatabase(path: "\(folder.path)/t.sqlite", access: .create)
    }

    @Test("each table has the columns of the contract, in its order", arguments: contract)
    func tableHolds(_ table: String, _ columns: String) throws {
        let test = try TestLedger()
        test.write()
        #expect(eventually { (try? test.integer("PRAGMA user_version")) == 1 })
        #expect(
            try test.lines("SELECT name FROM pragma_table_info('\(table)') WHERE name <> 'id'")
                .joined(separator: ", ") == columns
        )
    }

    @Test("each view runs on an empty ledger", arguments: views)
    func viewRuns(_ view: String) throws {
        let folder = try TemporaryFolder()
        let database = try newDatabase(folder)
        try SchemaMigrator.migrate(database)
        #expect(try database.integer("SELECT count(*) FROM \(view)") == 0)
    }

    @Test("WAL, so that readers never wait, and our mark in the header")
    func modes() throws {
        let test = try TestLedger()
        test.recorder.answered(.get(try TestAsset().files[0]))
        test.write()
        #expect(try test.lines("PRAGMA journal_mode") == ["wal"])
        #expect(try test.integer("PRAGMA application_id") == 0x4149_4D48)
        #expect(try test.integer("PRAGMA user_version") == Int64(Schema.migrations.count))
        #expect(try test.lines("PRAGMA integrity_check") == ["ok"])
    }

    @Test("a file of an earlier version goes through what it lacks, once, and keeps its rows")
    func migrates() throws {
        let folder = try TemporaryFolder()
        let database = try newDatabase(folder)
        let steps = ["CREATE TABLE a (x);", "ALTER TABLE a ADD COLUMN y DEFAULT 7; CREATE TABLE b (z);"]
        try SchemaMigrator.migrate(database, to: [steps[0]])
        try database.execute("INSERT INTO a VALUES (1)")
        #expect(try database.integer("PRAGMA user_version") == 1)
        try SchemaMigrator.migrate(database, to: steps)
        try SchemaMigrator.migrate(database, to: steps)
        #expect(try database.integer("PRAGMA user_version") == 2)
        #expect(try database.integer("SELECT x * 10 + y FROM a") == 17)
        #expect(try database.integer("SELECT count(*) FROM b") == 0)
    }

    @Test("a migration that fails leaves the file as it was")
    func failingMigration() throws {
        let folder = try TemporaryFolder()
        let database = try newDatabase(folder)
        let first = "CREATE TABLE a (x);"
        try SchemaMigrator.migrate(database, to: [first])
        #expect(throws: LedgerError.self) {
            try SchemaMigrator.migrate(database, to: [first, "CREATE TABLE b (y); CREATE TABLE a (z);"])
        }
        #expect(try database.integer("PRAGMA user_version") == 1)
        #expect(try database.integer("SELECT count(*) FROM sqlite_master") == 1)
    }

    @Test("a file of a later version, and a database of somebody else's, are left alone")
    func refuses() throws {
        let folder = try TemporaryFolder()
        let database = try newDatabase(folder)
        try SchemaMigrator.migrate(database, to: ["CREATE TABLE a (x);", "CREATE TABLE b (y);"])
        #expect(throws: LedgerError.newerSchema(found: 2, known: 1)) { try SchemaMigrator.migrate(database) }
        let other = try SQLiteDatabase(path: "\(folder.path)/other.sqlite", access: .create)
        try other.execute("CREATE TABLE mine (x)")
        #expect(throws: LedgerError.notALedger) { try SchemaMigrator.migrate(other) }
        #expect(try other.integer("SELECT count(*) FROM sqlite_master") == 1)
    }

    @Test("a ledger that cannot be written for its schema says so, counts, and touches nothing")
    func laterVersionInUse() throws {
        let test = try TestLedger { settings in
            settings.queueCapacity = 2
            let database = try? SQLiteDatabase(path: settings.path, access: .create)
            try? database?.execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 99")
        }
        let file = try TestAsset(sizes: [100]).files[0]
        #expect(eventually { !test.status.isWritable })
        #expect(test.status.lastFailure?.reason == .unknownSchema)
        for octet: UInt64 in 0..<5 { test.recorder.answered(.get(file, octet...octet)) }
        test.recorder.tick()
        #expect(test.droppedStatus == ["download|unknown-schema|3"])
        #expect(try test.integer("SELECT count(*) FROM sqlite_master") == 0)
        #expect(throws: LedgerError.newerSchema(found: 99, known: 1)) { _ = try LedgerReader(path: test.path) }
    }
}
