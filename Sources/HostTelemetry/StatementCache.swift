/// A statement that is compiled once and kept. It must be run to its end or reset before the next use.
final class PreparedStatement {
    let statement: SQLiteStatement

    init(_ statement: consuming SQLiteStatement) {
        self.statement = statement
    }
}

/// The statements of one connection, compiled when they are first needed. Used on its thread.
final class StatementCache {
    private var statements: [UnsafePointer<UInt8>: PreparedStatement] = [:]

    /// The statement for a literal: a literal's address is its name.
    func statement(
        _ sql: StaticString,
        of database: borrowing SQLiteDatabase
    ) throws(SQLiteError) -> PreparedStatement {
        if let known = statements[sql.utf8Start] { return known }
        let made = PreparedStatement(try database.prepare(sql.description))
        statements[sql.utf8Start] = made
        return made
    }
}
