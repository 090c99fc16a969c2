/// A connection that only reads: for the command line and the ops page. It is opened, asked and let go on one thread,
/// and needs no right to write the file or its folder.
///
/// Each question sees the ledger as it was at one moment. To end soon is a courtesy: while a question runs, the log
/// cannot be emptied.
package struct LedgerReader: ~Copyable {
    private let database: SQLiteDatabase
    private let isOver: (() -> Bool)?

    /// Opens the ledger at `path`.
    ///
    /// - Parameters:
    ///   - isBesideWriter: the writer may be in this process.
    ///   - isOver: asked every few thousand steps of a question; once it says so, the question is given up and throws
    ///     `sqlite` with SQLITE_INTERRUPT. nil lets it take as long as it takes.
    /// - Throws: `sqlite` with SQLITE_CANTOPEN where there is none, `newerSchema` and `notALedger`.
    package init(path: String, isBesideWriter: Bool = false, isOver: (() -> Bool)? = nil) throws(LedgerError) {
        // Whoever writes the ledger keeps its log and shared memory beside it, and leaves them there. Where neither is, as
        // beside a copy, SQLite would make both, even for a reader: with the reader's rights, not the server's.
        // Never in the writer's process: SQLite keeps no account of a file opened so, and closing any descriptor of a file
        // drops all locks that the process has on it (<https://www.sqlite.org/howtocorrupt.html>, section 2.2).
        let isAtRest =
            !isBesideWriter && FileIdentifier(path + "-wal") == nil && FileIdentifier(path + "-shm") == nil
        let database = try LedgerError.ofSQLite { () throws(SQLiteError) in
            try SQLiteDatabase(path: path, access: isAtRest ? .atRest : .readOnly)
        }
        // The writer never holds readers up; another program that recovers or replaces the log may, for a moment.
        database.setBusyTimeout(milliseconds: 1000)
        guard try SchemaMigrator.check(database) > 0 else { throw .notALedger }
        self.database = database
        self.isOver = isOver
    }

    /// All rows of a question. `bind` sets its parameters; `row` makes a value of each row.
    func rows<Row>(
        _ sql: String,
        bind: (borrowing SQLiteStatement) throws(SQLiteError) -> Void = { _ throws(SQLiteError) in },
        row: (borrowing SQLiteStatement) -> Row
    ) throws(LedgerError) -> [Row] {
        try LedgerError.ofSQLite { () throws(SQLiteError) in
            guard let isOver else { return try all(sql, bind, row) }
            return try database.interrupting(when: isOver) { () throws(SQLiteError) in try all(sql, bind, row) }
        }
    }

    private func all<Row>(
        _ sql: String,
        _ bind: (borrowing SQLiteStatement) throws(SQLiteError) -> Void,
        _ row: (borrowing SQLiteStatement) -> Row
    ) throws(SQLiteError) -> [Row] {
        let statement = try database.prepare(sql)
        try bind(statement)
        var rows: [Row] = []
        while try statement.step() { rows.append(row(statement)) }
        return rows
    }
}

/// What a question is limited to.
package struct LedgerScope: Equatable, Sendable {
    /// nil asks about all models.
    package var model: String?
    /// Unix milliseconds; what is older is left out.
    package var since: Int64
    /// The most rows; those that say most come first.
    package var limit: Int

    package init(model: String? = nil, since: Int64 = 0, limit: Int = 1000) {
        self.model = model
        self.since = since
        self.limit = limit
    }

    /// Binds ?1 to the model or NULL, ?2 to the moment, ?3 to the limit.
    func bind(_ statement: borrowing SQLiteStatement) throws(SQLiteError) {
        try statement.bind(1, model)
        try statement.bind(2, since)
        try statement.bind(3, Int64(limit))
    }
}
