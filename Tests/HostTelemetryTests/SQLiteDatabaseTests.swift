import TestSupport
import Testing

@testable import HostTelemetry

@Suite("SQLite behind owners")
struct SQLiteDatabaseTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = "\(folder.path)/t.sqlite"
    }

    @Test("what is bound comes back: numbers, texts with NUL and none, blobs with nothing in them, NULL")
    func values() throws {
        let database = try SQLiteDatabase(path: path, access: .create)
        let select = try database.prepare("SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, typeof(?4), typeof(?6)")
        try select.bind(1, Int64.min)
        try select.bind(2, UInt64.max)
        try select.bind(3, "a\u{0}ä")
        try select.bind(4, "")
        try select.bind(5, octets: [0, 255])
        try select.bind(6, octets: [])
        try select.bind(7, nil as String?)
        try select.bind(8, literal: "fixed")
        let isRow = try select.step()
        #expect(isRow)
        #expect(select.integer(0) == .min)
        #expect(select.integer(1) == .max)
        #expect(select.text(2) == "a\u{0}ä")
        #expect(select.optionalText(3) == "")
        #expect(select.octets(4) == [0, 255])
        #expect(select.octets(5) == [])
        #expect(select.optionalText(6) == nil)
        #expect(select.text(7) == "fixed")
        #expect([select.text(8), select.text(9)] == ["text", "blob"])
    }

    @Test("an error tells its code, its words and the SQL, and no value that was bound")
    func errors() throws {
        let database = try SQLiteDatabase(path: path, access: .create)
        try database.execute("CREATE TABLE t (x UNIQUE)")
        let insert = try database.prepare("INSERT INTO t VALUES (?1)")
        try insert.bind(1, "a secret")
        try insert.run()
        let error = #expect(throws: SQLiteError.self) { try insert.run() }
        #expect(error?.code.primary == .SQLITE_CONSTRAINT)
        #expect(error?.message == "UNIQUE constraint failed: t.x")
        #expect(error?.sql == "INSERT INTO t VALUES (?1)")
        #expect(error?.description.contains("secret") == false)
        let misspelt = #expect(throws: SQLiteError.self) { _ = try database.prepare("SELECT \"y\" FROM t") }
        #expect(misspelt?.message == "no such column: y")
    }

    @Test("a statement keeps its connection open, whoever goes first")
    func order() throws {
        func statement() throws -> SQLiteStatement {
            let database = try SQLiteDatabase(path: path, access: .create)
            return try database.prepare("SELECT 7")
        }
        let select = try statement()
        let isRow = try select.step()
        #expect(isRow)
        #expect(select.integer(0) == 7)
    }

    @Test("a transaction is undone where its body throws")
    func transactions() throws {
        let database = try SQLiteDatabase(path: path, access: .create)
        try database.execute("CREATE TABLE t (x)")
        try database.transaction { () throws(SQLiteError) in try database.execute("INSERT INTO t VALUES (1)") }
        #expect(throws: SQLiteError.self) {
            try database.transaction { () throws(SQLiteError) in
                try database.execute("INSERT INTO t VALUES (2)")
                try database.execute("INSERT INTO nowhere VALUES (3)")
            }
        }
        #expect(database.isAutocommit == true)
        #expect(try database.integer("SELECT sum(x) FROM t") == 1)
    }

    @Test("a long statement ends when it is told to, and the next one runs")
    func interrupts() throws {
        let database = try SQLiteDatabase(path: path, access: .create)
        let endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
        let error = #expect(throws: SQLiteError.self) {
            try database.interrupting(when: { true }) { () throws(SQLiteError) in try database.integer(endless) }
        }
        #expect(error?.code == ResultCode.SQLITE_INTERRUPT)
        #expect(try database.integer("SELECT 1") == 1)
    }

    @Test("a file that is gone from its path is noticed")
    func moved() throws {
        let database = try SQLiteDatabase(path: path, access: .create)
        try database.execute("CREATE TABLE t (x)")
        #expect(database.hasMoved() == false)
        try TemporaryFolder.remove(path)
        #expect(database.hasMoved() == true)
    }
}
