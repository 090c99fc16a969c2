/// What keeps the ledger within its age and size: small deletes, so that the writer is never long at it.
struct Housekeeping {
    let settings: LedgerSettings

    /// Rows that one statement deletes.
    private static let chunk = 1000
    /// Octets that one transaction writes at most.
    private static let transactionSize: Int64 = 16 << 20

    /// Deletes rows that are older than they are to be kept, up to a chunk of each table.
    ///
    /// - Returns: whether there may be more, and whether transfers went, which must not be held in memory then.
    func removeOld(at now: Int64, in file: LedgerFile) throws(SQLiteError) -> (more: Bool, transfers: Bool) {
        let cutoff = now - settings.retentionMilliseconds
        var more = false
        var transfers = false
        try file.database.transaction { () throws(SQLiteError) in
            more = try delete(Self.oldRows, before: cutoff, in: file)
            let old = try file.statement(Self.oldTransfers)
            try old.statement.bind(1, cutoff)
            try old.statement.run()
            transfers = file.database.changes > 0
            if file.database.changes >= Self.chunk { more = true }
            // An unfinished transfer that nothing can belong to any more needs no memory of what it covered; one that
            // a download's identifier names is kept as long as its row.
            let state = try file.statement(
                """
                DELETE FROM internal_transfer WHERE transfer IN (
                    SELECT transfer FROM (
                        SELECT transfer FROM internal_transfer WHERE download_key IS NULL
                        ORDER BY transfer LIMIT 1000)
                    JOIN transfer ON id = transfer WHERE last_ms < ?1)
                """
            )
            try state.statement.bind(1, now - 2 * Transfer.window)
            try state.statement.run()
            let orphans = try file.statement(
                """
                DELETE FROM internal_transfer
                WHERE transfer < (SELECT coalesce(min(id), 9223372036854775807) FROM transfer)
                """
            )
            try orphans.statement.run()
            let days = try file.statement("DELETE FROM internal_daily_device WHERE day < ?1")
            try days.statement.bind(1, UTCDay.number(now) - 1)
            try days.statement.run()
        }
        return (more, transfers)
    }

    /// Whether the file is so full that the oldest rows have to go.
    func isFull(_ file: LedgerFile) throws(SQLiteError) -> Bool {
        try file.usedSize() > settings.sizeLimit / 10 * 9
    }

    /// Whether it is the greatest size that a transaction had no room under, and not the disk: SQLite has one error for
    /// both. Many rows, or long ones, may take more than the tenth that is kept free of a small file.
    func leavesNoRoom(_ file: LedgerFile) throws(SQLiteError) -> Bool {
        let used = try file.usedSize()
        if used > settings.sizeLimit / 10 * 9 { return true }
        return used > settings.sizeLimit - Self.transactionSize && file.diskHas(room: Self.transactionSize)
    }

    /// Deletes the oldest rows of the first table that has any, downloads first, in a transaction of the caller's.
    ///
    /// - Returns: what went, `kind` nil where it is nothing that the contract knows; nil where there is nothing left.
    func removeOldest(in file: LedgerFile) throws(SQLiteError) -> (kind: RecordKind?, count: UInt64)? {
        // About two hundredths of the file, a row taken as 256 octets.
        let rows = min(Int64(Self.chunk), max(50, settings.sizeLimit / 50 / 256))
        for (kind, sql) in Self.oldestRows {
            let delete = try file.statement(sql)
            try delete.statement.bind(1, rows)
            var count: UInt64 = 0
            while try delete.statement.step() { count += UInt64(clamping: delete.statement.integer(0)) }
            delete.statement.reset()
            if count > 0 { return (kind, count) }
        }
        return nil
    }

    /// Gives free pages back to the file system where they are more than a quarter of the file.
    func shrink(_ file: LedgerFile) throws(SQLiteError) {
        let pages = try file.database.integer("PRAGMA page_count") ?? 0
        let free = try file.database.integer("PRAGMA freelist_count") ?? 0
        guard free > 256, free > pages / 4 else { return }
        try file.database.execute("PRAGMA incremental_vacuum(256)")
    }

    private static let oldTransfers: StaticString =
        "DELETE FROM transfer WHERE id IN (SELECT id FROM transfer WHERE last_ms < ?1 ORDER BY last_ms LIMIT 1000)"

    private static let oldRows: [StaticString] = [
        """
        DELETE FROM download WHERE id IN (
            SELECT id FROM download WHERE started_ms < ?1 ORDER BY started_ms LIMIT 1000)
        """,
        """
        DELETE FROM version_check WHERE id IN (
            SELECT id FROM version_check WHERE at_ms < ?1 ORDER BY at_ms LIMIT 1000)
        """,
        """
        DELETE FROM variant_miss WHERE id IN (
            SELECT id FROM variant_miss WHERE at_ms < ?1 ORDER BY at_ms LIMIT 1000)
        """,
        """
        DELETE FROM device_report WHERE id IN (
            SELECT id FROM device_report WHERE at_ms < ?1 ORDER BY at_ms LIMIT 1000)
        """,
        "DELETE FROM dropped WHERE id IN (SELECT id FROM dropped WHERE at_ms < ?1 ORDER BY at_ms LIMIT 1000)",
    ]

    private static let oldestRows: [(RecordKind?, StaticString)] = [
        (
            .download,
            "DELETE FROM download WHERE id IN (SELECT id FROM download ORDER BY id LIMIT ?1) RETURNING requests"
        ),
        (
            .versionCheck,
            "DELETE FROM version_check WHERE id IN (SELECT id FROM version_check ORDER BY id LIMIT ?1) RETURNING 1"
        ),
        // Anybody can make up names of devices. Who is forgotten and comes again that day is counted twice.
        (
            nil,
            """
            DELETE FROM internal_daily_device WHERE (day, identity_key) IN (
                SELECT day, identity_key FROM internal_daily_device ORDER BY day, identity_key LIMIT ?1) RETURNING 1
            """
        ),
        (
            .variantMiss,
            "DELETE FROM variant_miss WHERE id IN (SELECT id FROM variant_miss ORDER BY id LIMIT ?1) RETURNING 1"
        ),
        (
            .deviceReport,
            "DELETE FROM device_report WHERE id IN (SELECT id FROM device_report ORDER BY id LIMIT ?1) RETURNING 1"
        ),
        (.transfer, "DELETE FROM transfer WHERE id IN (SELECT id FROM transfer ORDER BY id LIMIT ?1) RETURNING 1"),
    ]

    private func delete(
        _ statements: [StaticString],
        before cutoff: Int64,
        in file: LedgerFile
    ) throws(SQLiteError) -> Bool {
        var more = false
        for sql in statements {
            let delete = try file.statement(sql)
            try delete.statement.bind(1, cutoff)
            try delete.statement.run()
            if file.database.changes >= Self.chunk { more = true }
        }
        return more
    }
}
