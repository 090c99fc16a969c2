import TestSupport
import Testing

@testable import HostTelemetry

@Suite("The time that the ledger knows of")
struct LedgerSpanTests {
    private func span(_ test: TestLedger) throws -> LedgerSpan { try LedgerReader(path: test.path).span() }

    @Test("a ledger that holds nothing has neither beginning nor end")
    func empty() throws {
        let test = try TestLedger()
        test.write()
        #expect(eventually { (try? self.span(test)) != nil })
        #expect(try span(test) == LedgerSpan(begin: nil, end: nil, oldestTransfer: nil))
    }

    @Test("the oldest row of any table is the beginning, and the roll-up where rows are gone")
    func rows() throws {
        let test = try TestLedger()
        let file = try TestAsset(version: "1.3.0", sizes: [100]).files[0]
        test.recorder.answered(.get(file, at: TestLedger.start))
        test.write()
        let writer = try test.database(.readWrite)
        // The roll-up speaks of whole days.
        let start = TestLedger.start
        let midnight = start / UTCDay.milliseconds * UTCDay.milliseconds
        #expect(try span(test) == LedgerSpan(begin: midnight, end: start, oldestTransfer: start))

        for (table, columns, values) in [
            ("dropped", "at_ms, kind, reason, count", "\(midnight - 100), 'download', 'locked', 1"),
            ("version_check", "at_ms, model, client, outcome", "\(midnight - 200), 'sam', 1, 'manifest'"),
            (
                "variant_miss", "at_ms, model, version, base, architecture, answered_with, client",
                "\(midnight - 300), 'sam', '1', 'SAM', 'h17p', 'portable', 1"
            ),
            (
                "device_report", "at_ms, model, version, asset, outcome, client",
                "\(midnight - 400), 'sam', '1', 'SAM', 'loaded', 1"
            ),
        ] {
            try writer.execute("INSERT INTO \(table) (\(columns)) VALUES (\(values))")
            let oldest = try test.integer("SELECT min(at_ms) FROM \(table)")
            #expect(try span(test) == LedgerSpan(begin: oldest, end: start, oldestTransfer: start))
            try writer.execute("DELETE FROM \(table)")
        }
        try writer.execute("INSERT INTO dropped (at_ms, kind, reason, count) VALUES (\(start + 7), 'a', 'b', 1)")
        #expect(try span(test).end == start + 7)
        try writer.execute("DELETE FROM dropped")

        try writer.execute("DELETE FROM download; DELETE FROM transfer")
        #expect(try span(test) == LedgerSpan(begin: midnight, end: midnight, oldestTransfer: nil))
        try writer.execute(
            "DELETE FROM daily; INSERT INTO dropped (at_ms, kind, reason, count) VALUES (\(start), 'a', 'b', 1)"
        )
        #expect(try span(test) == LedgerSpan(begin: start, end: start, oldestTransfer: nil))
    }

    @Test("a copy beside which no log lies is read, and nothing is made beside it", arguments: ["copy", "a b?c#d%41é"])
    func copy(_ name: String) throws {
        let test = try TestLedger()
        let file = try TestAsset(version: "1.3.0", sizes: [100]).files[0]
        test.recorder.answered(.get(file, at: TestLedger.start))
        test.write()
        test.stop()
        let copy = "\(test.folder.path)/\(name)"
        try test.database(.readWrite).execute("VACUUM INTO '\(copy)'")
        let writer = try SQLiteDatabase(path: copy, access: .readWrite)
        #expect(try writer.text("PRAGMA journal_mode = WAL") == "wal")
        _ = consume writer
        #expect(FileIdentifier(copy + "-wal") == nil)
        let reader = try LedgerReader(path: copy)
        #expect(try reader.downloadsByDay(LedgerScope()).map(\.completed) == [1])
        #expect(FileIdentifier(copy + "-wal") == nil)
        #expect(FileIdentifier(copy + "-shm") == nil)
    }
}
