/// A transfer as the ledger keeps it: a row of `transfer`, which is the contract's, and one of `internal_transfer`.
enum TransferRecord {
    /// The one that a download's identifier names.
    static func find(download key: TransferKey, in file: LedgerFile) throws(SQLiteError) -> Transfer? {
        let select = try file.statement(
            """
            SELECT id, download_key, identity_key, last_ms, requests, bytes_sent, completed_ms,
                tree_size, tree, tree_cut, tree_doubt, archive_size, archive, archive_cut, archive_doubt
            FROM internal_transfer JOIN transfer ON id = transfer
            WHERE download_key = ?1 ORDER BY transfer DESC LIMIT 1
            """
        )
        return try read(select, key)
    }

    /// The newest of a device, or of a client and user agent.
    static func find(identity key: TransferKey, in file: LedgerFile) throws(SQLiteError) -> Transfer? {
        let select = try file.statement(
            """
            SELECT id, download_key, identity_key, last_ms, requests, bytes_sent, completed_ms,
                tree_size, tree, tree_cut, tree_doubt, archive_size, archive, archive_cut, archive_doubt
            FROM internal_transfer JOIN transfer ON id = transfer
            WHERE identity_key = ?1 ORDER BY transfer DESC LIMIT 1
            """
        )
        return try read(select, key)
    }

    /// Makes the rows of a transfer that begins with `row`; what it carried is not added yet.
    static func insert(
        _ row: AnswerRow,
        _ download: TransferKey?,
        _ identity: TransferKey,
        in file: LedgerFile
    ) throws(SQLiteError) -> Transfer {
        let insert = try file.statement(
            """
            INSERT INTO transfer (first_ms, last_ms, model, version, asset, architecture, device, client,
                requests, bytes_sent, bytes_covered, bytes_total)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, 0, 0, 0)
            """
        )
        try insert.statement.bind(1, row.startedMilliseconds)
        try insert.statement.bind(2, row.endedMilliseconds)
        try insert.statement.bind(3, row.file.model)
        try insert.statement.bind(4, row.file.version)
        try insert.statement.bind(5, row.file.asset)
        try insert.statement.bind(6, row.file.architecture)
        try insert.statement.bind(7, row.device?.text)
        try insert.statement.bind(8, row.client)
        try insert.statement.run()
        let transfer = Transfer(
            id: file.database.lastInsertedRow,
            downloadKey: download,
            identityKey: identity,
            lastMilliseconds: row.endedMilliseconds
        )
        let internals = try file.statement(
            """
            INSERT INTO internal_transfer (transfer, download_key, identity_key, tree_size, tree, tree_cut,
                tree_doubt, archive_size, archive, archive_cut, archive_doubt)
            VALUES (?1, ?2, ?3, -1, x'', x'', x'', -1, x'', x'', x'')
            """
        )
        try internals.statement.bind(1, transfer.id)
        try internals.statement.bind(2, octets: download?.octets)
        try internals.statement.bind(3, octets: identity.octets)
        try internals.statement.run()
        return transfer
    }

    static func update(_ transfer: Transfer, in file: LedgerFile) throws(SQLiteError) {
        let update = try file.statement(
            """
            UPDATE transfer SET last_ms = ?2, requests = ?3, bytes_sent = ?4, bytes_covered = ?5, bytes_total = ?6,
                completed_ms = ?7
            WHERE id = ?1
            """
        )
        let leading = transfer.leading
        try update.statement.bind(1, transfer.id)
        try update.statement.bind(2, transfer.lastMilliseconds)
        try update.statement.bind(3, transfer.requests)
        // Some came that nobody has acknowledged, as the octets show that were asked for next.
        try update.statement.bind(4, max(transfer.bytesSent, leading.covered.count))
        try update.statement.bind(5, leading.covered.count)
        try update.statement.bind(6, leading.size ?? 0)
        try update.statement.bind(7, transfer.completedMilliseconds)
        try update.statement.run()
        let internals = try file.statement(
            """
            UPDATE internal_transfer SET tree_size = ?2, tree = ?3, tree_cut = ?4, tree_doubt = ?5,
                archive_size = ?6, archive = ?7, archive_cut = ?8, archive_doubt = ?9
            WHERE transfer = ?1
            """
        )
        try internals.statement.bind(1, transfer.id)
        try internals.statement.bind(2, transfer.tree.size.map { Int64(clamping: $0) } ?? -1)
        try internals.statement.bind(3, octets: transfer.tree.covered.octets)
        try internals.statement.bind(4, octets: transfer.tree.cut.octets)
        try internals.statement.bind(5, octets: transfer.tree.doubt.octets)
        try internals.statement.bind(6, transfer.archive.size.map { Int64(clamping: $0) } ?? -1)
        try internals.statement.bind(7, octets: transfer.archive.covered.octets)
        try internals.statement.bind(8, octets: transfer.archive.cut.octets)
        try internals.statement.bind(9, octets: transfer.archive.doubt.octets)
        try internals.statement.run()
        // Apart, so that the index is touched only when a device or a client has changed its name.
        let key = try file.statement(
            "UPDATE internal_transfer SET identity_key = ?2 WHERE transfer = ?1 AND identity_key <> ?2"
        )
        try key.statement.bind(1, transfer.id)
        try key.statement.bind(2, octets: transfer.identityKey.octets)
        try key.statement.run()
    }

    private static func read(_ select: PreparedStatement, _ key: TransferKey) throws(SQLiteError) -> Transfer? {
        try select.statement.bind(1, octets: key.octets)
        defer { select.statement.reset() }
        guard try select.statement.step() else { return nil }
        let row = PreparedRow(select)
        return Transfer(
            id: row.integer(0),
            downloadKey: row.isNull(1) ? nil : TransferKey(octets: row.octets(1)),
            identityKey: TransferKey(octets: row.octets(2)),
            lastMilliseconds: row.integer(3),
            requests: UInt64(clamping: row.integer(4)),
            bytesSent: UInt64(clamping: row.integer(5)),
            completedMilliseconds: row.optionalInteger(6),
            tree: row.coverage(7),
            archive: row.coverage(11)
        )
    }
}

/// The row that a kept statement stands at.
private struct PreparedRow {
    private let prepared: PreparedStatement

    init(_ prepared: PreparedStatement) {
        self.prepared = prepared
    }

    func integer(_ column: Int) -> Int64 { prepared.statement.integer(column) }
    func optionalInteger(_ column: Int) -> Int64? { prepared.statement.optionalInteger(column) }
    func isNull(_ column: Int) -> Bool { prepared.statement.isNull(column) }
    func octets(_ column: Int) -> [UInt8] { prepared.statement.octets(column) }

    /// Of the four columns from `column` on. What cannot be read counts as not covered: the transfer may take longer
    /// to complete, and never completes too early.
    func coverage(_ column: Int) -> Coverage {
        Coverage(
            size: UInt64(exactly: integer(column)),
            covered: IntervalSet(octets: octets(column + 1)) ?? IntervalSet(),
            cut: IntervalSet(octets: octets(column + 2)) ?? IntervalSet(),
            doubt: IntervalSet(octets: octets(column + 3)) ?? IntervalSet()
        )
    }
}
