/// The transfers that requests belong to: those of late in memory, all of them in the ledger. Used on the writer's
/// thread, inside its transaction.
///
/// Memory holds nothing that the ledger does not after `save`, so any transfer may be forgotten then, and all of them
/// when a transaction fails.
struct TransferTracker {
    private let limit: Int
    private var transfers: [Int64: Transfer] = [:]
    private var byDownload: [TransferKey: Int64] = [:]
    private var byIdentity: [TransferKey: Int64] = [:]
    private var changed: [Int64] = []
    private var uses: UInt64 = 0
    private var weight = 0

    /// - Parameter limit: ordinary transfers that are kept in memory.
    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { transfers.count }
    /// Keys that are held to find them by: two of each at the most.
    var keyCount: Int { byDownload.count + byIdentity.count }

    mutating func forget() {
        self = TransferTracker(limit: limit)
    }

    /// Finds or makes the transfer of an answer with content about a file of an asset, and adds it there.
    mutating func add(
        _ row: AnswerRow,
        in file: LedgerFile,
        _ daily: inout DailyRollup
    ) throws(SQLiteError) -> Transfer.Effect {
        guard row.carriesContent, row.file.asset != nil else { return Transfer.Effect() }
        let download = row.download.map { TransferKey($0, row.file) }
        let identity = TransferKey(row)
        let id: Int64
        var begins = false
        if let known = try find(row, download, identity, file) {
            id = known
        } else {
            id = try make(row, download, identity, file)
            daily.add(row) { $0.downloads += 1 }
            begins = true
        }
        guard var transfer = transfers.removeValue(forKey: id) else { return Transfer.Effect() }
        weight -= transfer.weight
        uses += 1
        transfer.lastUse = uses
        if !transfer.isChanged { changed.append(id) }
        var effect = transfer.add(row)
        effect.begins = begins
        let day = UTCDay.number(row.endedMilliseconds)
        // Once a day for whoever asks; a named download may go on from another client.
        if transfer.countedDay != day || transfer.identityKey != identity {
            transfer.countedDay = day
            if try Self.isNewToday(identity, day, file) { daily.add(row) { $0.devices += 1 } }
        }
        if transfer.identityKey != identity {
            // As in the ledger, one key leads to a transfer: a download that ever other devices name would leave one each.
            if byIdentity[transfer.identityKey] == id { byIdentity[transfer.identityKey] = nil }
            transfer.identityKey = identity
            byIdentity[identity] = id
        }
        if effect.completes { daily.add(row) { $0.completed += 1 } }
        weight += transfer.weight
        transfers[id] = transfer
        return effect
    }

    /// Remembers that the row of `download` is of an answer that went on in the middle, unless its transfer is gone.
    mutating func note(_ place: Transfer.Place, of row: AnswerRow, _ id: Int64) {
        let transfer = row.download.flatMap { byDownload[TransferKey($0, row.file)] } ?? byIdentity[TransferKey(row)]
        guard let transfer else { return }
        transfers[transfer]?.note(place, startedAt: row.startedMilliseconds, row: id)
    }

    /// Writes what changed. Before the transaction is committed.
    mutating func save(in file: LedgerFile) throws(SQLiteError) {
        for id in changed {
            guard var transfer = transfers[id], transfer.isChanged else { continue }
            try TransferRecord.update(transfer, in: file)
            transfer.isChanged = false
            transfers[id] = transfer
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// Lets the transfers go that were used longest ago, if there are too many. After the commit.
    mutating func evict() {
        guard transfers.count > limit || weight > limit * 128 else { return }
        let oldest = transfers.values.sorted { $0.lastUse < $1.lastUse }
        var count = transfers.count
        for transfer in oldest {
            if count <= limit * 3 / 4, weight <= limit * 96 { break }
            count -= 1
            weight -= transfer.weight
            transfers[transfer.id] = nil
            if let key = transfer.downloadKey, byDownload[key] == transfer.id { byDownload[key] = nil }
            if byIdentity[transfer.identityKey] == transfer.id { byIdentity[transfer.identityKey] = nil }
        }
    }

    // MARK: Finding

    private mutating func find(
        _ row: AnswerRow,
        _ download: TransferKey?,
        _ identity: TransferKey,
        _ file: LedgerFile
    ) throws(SQLiteError) -> Int64? {
        if let download {
            if let id = byDownload[download] { return id }
            guard let transfer = try TransferRecord.find(download: download, in: file) else { return nil }
            return keep(transfer)
        }
        if byIdentity[identity] == nil, let transfer = try TransferRecord.find(identity: identity, in: file) {
            byIdentity[identity] = keep(transfer)
        }
        guard let id = byIdentity[identity], let transfer = transfers[id] else { return nil }
        return transfer.takes(row) ? id : nil
    }

    private mutating func make(
        _ row: AnswerRow,
        _ download: TransferKey?,
        _ identity: TransferKey,
        _ file: LedgerFile
    ) throws(SQLiteError) -> Int64 {
        let transfer = try TransferRecord.insert(row, download, identity, in: file)
        byIdentity[identity] = transfer.id
        return keep(transfer)
    }

    /// Holds a transfer that the ledger has; the one in memory is newer, if there is one.
    private mutating func keep(_ transfer: Transfer) -> Int64 {
        guard transfers[transfer.id] == nil else { return transfer.id }
        transfers[transfer.id] = transfer
        weight += transfer.weight
        if let key = transfer.downloadKey { byDownload[key] = transfer.id }
        return transfer.id
    }

    private static func isNewToday(_ key: TransferKey, _ day: Int64, _ file: LedgerFile) throws(SQLiteError) -> Bool {
        let insert = try file.statement(
            "INSERT OR IGNORE INTO internal_daily_device (day, identity_key) VALUES (?1, ?2)"
        )
        try insert.statement.bind(1, day)
        try insert.statement.bind(2, octets: key.octets)
        try insert.statement.run()
        return file.database.changes == 1
    }
}
