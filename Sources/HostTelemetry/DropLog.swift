/// The table `dropped`: one row for a kind and a reason within a minute, so that a long outage does not fill it.
struct DropLog {
    private static let span: Int64 = 60_000

    private var newest: [DropKey: (row: Int64, at: Int64)] = [:]
    private var uncommitted: [DropKey: (row: Int64, at: Int64)] = [:]

    /// Adds counts, in a transaction.
    mutating func add(_ drops: [DropKey: UInt64], at now: Int64, in file: LedgerFile) throws(SQLiteError) {
        for (key, count) in drops where count > 0 {
            if let known = uncommitted[key] ?? newest[key], now >= known.at, now - known.at < Self.span {
                let update = try file.statement("UPDATE dropped SET count = count + ?2 WHERE id = ?1")
                try update.statement.bind(1, known.row)
                try update.statement.bind(2, count)
                try update.statement.run()
                if file.database.changes == 1 { continue }
            }
            let insert = try file.statement(
                "INSERT INTO dropped (at_ms, kind, reason, count) VALUES (?1, ?2, ?3, ?4)"
            )
            try insert.statement.bind(1, now)
            try insert.statement.bind(2, key.kind.rawValue)
            try insert.statement.bind(3, key.reason.rawValue)
            try insert.statement.bind(4, count)
            try insert.statement.run()
            uncommitted[key] = (file.database.lastInsertedRow, now)
        }
    }

    /// The transaction is in the file.
    mutating func committed() {
        newest.merge(uncommitted) { $1 }
        uncommitted = [:]
    }

    /// The transaction was undone.
    mutating func undone() {
        uncommitted = [:]
    }
}
