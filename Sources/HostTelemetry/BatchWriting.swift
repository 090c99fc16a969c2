/// Transfers that rows began, and that rows completed.
struct TransferCounts: Equatable {
    var begun: UInt64 = 0
    var completed: UInt64 = 0
}

/// Writes batches, each call in one transaction: readers see all of it or nothing. Used on the writer's thread.
struct BatchWriting {
    private var transfers: TransferTracker
    private var daily = DailyRollup()
    private var drops = DropLog()
    /// Octets that no transfer could note, by the transaction under way.
    private var lostCoverage: UInt64 = 0
    /// What became of transfers in the last transaction.
    private(set) var transferCounts = TransferCounts()

    init(transfersInMemory: Int) {
        transfers = TransferTracker(limit: transfersInMemory)
    }

    var transfersInMemory: Int { transfers.count }

    /// Another file is written from now on: nothing of what is remembered is in it.
    mutating func begin(_ settings: LedgerSettings) {
        self = BatchWriting(transfersInMemory: settings.transfersInMemory)
    }

    /// Writes all or nothing.
    ///
    /// - Returns: losses that came up while writing, which are in the file too.
    mutating func write(
        _ batches: [Batch],
        _ losses: [DropKey: UInt64],
        at now: Int64,
        in file: LedgerFile
    ) throws(SQLiteError) -> [DropKey: UInt64] {
        lostCoverage = 0
        transferCounts = TransferCounts()
        do throws(SQLiteError) {
            try file.database.transaction { () throws(SQLiteError) in
                for batch in batches { try insert(batch, in: file) }
                try transfers.save(in: file)
                try daily.save(in: file)
                try drops.add(losses, at: now, in: file)
                try drops.add(found, at: now, in: file)
            }
        } catch {
            undo()
            throw error
        }
        daily.clear()
        drops.committed()
        transfers.evict()
        return found
    }

    /// Counts losses in a transaction of the caller's; `committed` or `undo` follows.
    mutating func add(_ losses: [DropKey: UInt64], at now: Int64, in file: LedgerFile) throws(SQLiteError) {
        try drops.add(losses, at: now, in: file)
    }

    /// Rows of `transfer` were deleted: what is held of them would be written to nothing.
    mutating func forgetTransfers() {
        transfers.forget()
    }

    mutating func committed() {
        drops.committed()
    }

    /// Forgets what the ledger does not hold.
    mutating func undo() {
        transfers.forget()
        daily.clear()
        drops.undone()
    }

    private var found: [DropKey: UInt64] {
        lostCoverage > 0 ? [DropKey(.transfer, .tooManyPieces): lostCoverage] : [:]
    }

    private mutating func insert(_ batch: Batch, in file: LedgerFile) throws(SQLiteError) {
        for row in batch.answers {
            let effect = try transfers.add(row, in: file, &daily)
            lostCoverage += effect.lost
            if effect.begins { transferCounts.begun += 1 }
            if effect.completes { transferCounts.completed += 1 }
            if row.bytesSent > 0 { daily.add(row) { $0.bytesSent += row.bytesSent } }
            try EventRecord.insert(row, isResumed: effect.isResumed, in: file)
            if let place = effect.wentOn { transfers.note(place, of: row, file.database.lastInsertedRow) }
            for earlier in effect.resumedRows { try EventRecord.markResumed(earlier, in: file) }
        }
        for check in batch.checks { try EventRecord.insert(check, in: file) }
        for miss in batch.misses {
            daily.add(miss)
            try EventRecord.insert(miss, in: file)
        }
        for report in batch.reports {
            daily.add(report)
            try EventRecord.insert(report, in: file)
        }
    }
}
