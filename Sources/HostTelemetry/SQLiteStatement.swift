internal import CHostSQLite

/// A compiled statement; it is finalized when its owner goes. Used on its connection's thread.
///
/// Parameters count from 1, columns from 0, as in SQLite. Bindings stay until they are bound anew.
package struct SQLiteStatement: ~Copyable {
    private let statement: OpaquePointer
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection, _ sql: String) throws(SQLiteError) {
        var made: OpaquePointer?
        let result = sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard result == SQLITE_OK else { throw connection.error(result, sql: sql) }
        guard let made else { throw SQLiteError(code: .SQLITE_MISUSE, message: "no statement in the text", sql: sql) }
        statement = made
        self.connection = connection
    }

    deinit {
        // The connection is released after this, by the compiler, and so closes last.
        _ = sqlite3_finalize(statement)
    }

    // MARK: Parameters

    package func bind(_ index: Int, _ value: Int64?) throws(SQLiteError) {
        try check(
            value.map { sqlite3_bind_int64(statement, CInt(index), $0) } ?? sqlite3_bind_null(statement, CInt(index))
        )
    }

    /// Values beyond what SQLite's signed integers hold are cut.
    package func bind(_ index: Int, _ value: UInt64) throws(SQLiteError) {
        try check(sqlite3_bind_int64(statement, CInt(index), Int64(clamping: value)))
    }

    package func bind(_ index: Int, _ value: Bool) throws(SQLiteError) {
        try check(sqlite3_bind_int64(statement, CInt(index), value ? 1 : 0))
    }

    /// SQLite copies the text: a Swift string's octets have no fixed address.
    package func bind(_ index: Int, _ value: String?) throws(SQLiteError) {
        guard var value else { return try check(sqlite3_bind_null(statement, CInt(index))) }
        let result = value.withUTF8 { octets in
            octets.withMemoryRebound(to: CChar.self) { text in
                // A nil address would bind NULL, where the empty text is meant.
                text.baseAddress.map {
                    chost_sqlite3_bind_text_transient(statement, CInt(index), $0, UInt64(text.count))
                } ?? chost_sqlite3_bind_text_static(statement, CInt(index), "", 0)
            }
        }
        try check(result)
    }

    /// SQLite keeps the address: a literal's octets live as long as the program.
    package func bind(_ index: Int, literal: StaticString) throws(SQLiteError) {
        let text = UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
        try check(
            chost_sqlite3_bind_text_static(statement, CInt(index), text, UInt64(literal.utf8CodeUnitCount))
        )
    }

    /// SQLite copies the octets. An empty array is an empty blob.
    package func bind(_ index: Int, octets: [UInt8]?) throws(SQLiteError) {
        guard let octets else { return try check(sqlite3_bind_null(statement, CInt(index))) }
        if octets.isEmpty { return try check(sqlite3_bind_zeroblob(statement, CInt(index), 0)) }
        let result = octets.withUnsafeBytes {
            chost_sqlite3_bind_blob_transient(statement, CInt(index), $0.baseAddress, UInt64($0.count))
        }
        try check(result)
    }

    // MARK: Running

    /// Goes to the next row; false after the last.
    package func step() throws(SQLiteError) -> Bool {
        let result = sqlite3_step(statement)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        let error = connection.error(result, sql: sql)
        _ = sqlite3_reset(statement)
        throw error
    }

    /// Makes the statement ready to run again; its read transaction, if it held one, ends.
    package func reset() {
        // It repeats the error of the step before, which was thrown already.
        _ = sqlite3_reset(statement)
    }

    /// Runs a statement without rows, or passes over them, and makes it ready again.
    package func run() throws(SQLiteError) {
        while try step() {}
        reset()
    }

    // MARK: Columns

    package func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement, CInt(column)) }

    package func double(_ column: Int) -> Double { sqlite3_column_double(statement, CInt(column)) }

    package func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(statement, CInt(column)) == SQLITE_NULL
    }

    package func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

    package func optionalDouble(_ column: Int) -> Double? { isNull(column) ? nil : double(column) }

    /// Empty where the column is NULL.
    package func text(_ column: Int) -> String { optionalText(column) ?? "" }

    package func optionalText(_ column: Int) -> String? {
        guard let start = sqlite3_column_text(statement, CInt(column)) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, CInt(column)))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Empty where the column is NULL.
    package func octets(_ column: Int) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, CInt(column)) else { return [] }
        return [UInt8](
            UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, CInt(column))))
        )
    }

    /// Columns of a row.
    package var columnCount: Int { Int(sqlite3_column_count(statement)) }

    package func columnName(_ column: Int) -> String {
        sqlite3_column_name(statement, CInt(column)).map { String(cString: $0) } ?? ""
    }

    private var sql: String { sqlite3_sql(statement).map { String(cString: $0) } ?? "" }

    private func check(_ result: CInt) throws(SQLiteError) {
        guard result == SQLITE_OK else { throw connection.error(result, sql: sql) }
    }
}
