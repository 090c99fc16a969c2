internal import HostSystem
internal import ModelCatalog

/// The one that writes: its thread owns the connection, the transfers and whatever is under way.
///
/// It goes round: open the file if need be, write what waits, keep house. Whatever fails is tried again, later and later,
/// while the queue fills and counts; nothing but the end of the server ends it.
final class LedgerWriter {
    private let settings: LedgerSettings
    private let queue: LedgerQueue
    private let housekeeping: Housekeeping
    private var writing: BatchWriting
    private var file: LedgerFile?
    /// What was taken from the queue and is not in the file yet.
    private var underWay: [Batch] = []
    /// The file whose content was looked through; it is not done again while it is the same.
    private var checked: FileIdentifier?
    /// Monotonic milliseconds.
    private var nextHousekeeping: Int64 = .min
    private var delay = 0
    /// A round went well since the file was opened.
    private var isProven = false
    private var hasWrittenLately = false
    /// Octets of the file after the last round.
    private var lastSize: Int64 = 0

    init(_ settings: LedgerSettings, _ queue: LedgerQueue) {
        self.settings = settings
        self.queue = queue
        housekeeping = Housekeeping(settings: settings)
        writing = BatchWriting(transfersInMemory: settings.transfersInMemory)
    }

    func run() {
        while true {
            let deadline = queue.deadline
            if let deadline, CoarseClock.monotonicMilliseconds() >= deadline { break }
            if underWay.isEmpty { underWay = queue.take(rows: min(settings.rowsPerTransaction, settings.rowsThatFit)) }
            do throws(LedgerError) {
                let more = try round()
                if queue.succeeded(at: settings.now()) {
                    settings.onEvent("\(settings.path): the ledger is written again")
                }
                delay = 0
                isProven = true
                noteSizes()
                if more || queue.hasBatches { continue }
                if deadline != nil { break }
                let left = nextHousekeeping - CoarseClock.monotonicMilliseconds()
                queue.waitForWork(milliseconds: Int(min(max(left, 1), Int64(settings.housekeepingInterval))))
            } catch {
                failed(error)
            }
        }
        close()
        tellUncounted(queue.giveUp(underWay))
        queue.finish()
    }

    /// Losses that the file cannot be told of any more stand in the server's log at least.
    private func tellUncounted(_ losses: [DropKey: UInt64]) {
        guard !losses.isEmpty else { return }
        let counts = losses.map { "\($0.value) \($0.key.kind.rawValue) (\($0.key.reason.rawValue))" }.sorted()
        settings.onEvent("\(settings.path): lost, and not in the table dropped: \(counts.joined(separator: ", "))")
    }

    /// - Returns: whether there is more to do at once.
    private func round() throws(LedgerError) -> Bool {
        let file = try openFile()
        let losses = queue.unwrittenDrops
        let writes = !underWay.isEmpty || !losses.isEmpty
        if writes {
            try makeRoomInLog(of: file)
            try write(losses, to: file)
        }
        let now = CoarseClock.monotonicMilliseconds()
        guard now >= nextHousekeeping || writes else { return false }
        let more = try keepHouse(file, isDue: now >= nextHousekeeping)
        if !more, now >= nextHousekeeping { nextHousekeeping = now + Int64(settings.housekeepingInterval) }
        return more && queue.deadline == nil
    }

    // MARK: The file

    private func openFile() throws(LedgerError) -> LedgerFile {
        if let file {
            if !file.isInPlace {
                leave()
            } else if size < lastSize {
                // Another program has cut it, which pages in memory would hide from us and from nobody else, or has
                // vacuumed it. It is opened anew and looked through; its log stays for that.
                file.database.closeWithoutCheckpoint()
                self.file = nil
                checked = nil
            } else {
                return file
            }
        }
        let queue = queue
        let opened = try LedgerFile.open(
            settings,
            isChecked: checked != nil && checked == FileIdentifier(settings.path),
            isOver: { queue.deadline != nil }
        )
        checked = FileIdentifier(settings.path)
        writing.begin(settings)
        isProven = false
        file = opened
        return opened
    }

    /// Closes a file that the path does not lead to any more.
    private func leave() {
        file?.leave()
        file = nil
        queue.updateStatus { $0.timesBegunAnew += 1 }
    }

    private func close() {
        guard let file else { return }
        // What is in the log is safe there; in the file it is where a copy of the file alone finds it.
        _ = try? file.database.truncateLog(restoringBusyTimeout: settings.busyTimeout)
        self.file = nil
    }

    /// Keeps a damaged file, and what its log holds, for whoever wants to look at it.
    private func setAside() throws(LedgerError) {
        file?.database.closeWithoutCheckpoint()
        file = nil
        let path = DamagedFile.name(for: settings.path, at: settings.now())
        do throws(Errno) {
            try FileSystemPath.rename(settings.path, to: path)
        } catch {
            // It is gone already: the next file is a new one.
            if error == .noEntry { return }
            throw .system(error, path: settings.path)
        }
        // SQLite finds a log by its file's name. The shared memory is an index of the log and made anew.
        try? FileSystemPath.rename(settings.path + "-wal", to: path + "-wal")
        try? FileSystemPath.remove(settings.path + "-shm")
        checked = nil
        queue.updateStatus { status in
            status.damagedFile = path
            status.timesBegunAnew += 1
        }
    }

    // MARK: Writing

    private func write(_ losses: [DropKey: UInt64], to file: LedgerFile) throws(LedgerError) {
        let rows = underWay.reduce(0) { $0 + $1.rows }
        let found = try LedgerError.ofSQLite { () throws(SQLiteError) in
            try settings.beforeTransaction?(file.database)
            return try writing.write(underWay, losses, at: settings.now(), in: file)
        }
        // Into a file that was deleted meanwhile nobody can look: the rows stay under way and go to the next one.
        guard file.isInPlace else { return }
        queue.wrote(rows: rows, drops: losses, transfers: writing.transferCounts)
        queue.found(found)
        underWay = []
        hasWrittenLately = true
    }

    /// Nothing is written while the log is at its bound: with a reader's snapshot held, it could only grow.
    private func makeRoomInLog(of file: LedgerFile) throws(LedgerError) {
        // One transaction of the size that `rowsPerTransaction` allows must still fit.
        let threshold = settings.maximumLogSize - min(16 << 20, settings.maximumLogSize / 4)
        guard file.logSize > threshold else { return }
        guard try emptyLog(of: file) else {
            throw .logFull(size: file.logSize, limit: settings.maximumLogSize)
        }
    }

    private func emptyLog(of file: LedgerFile) throws(LedgerError) -> Bool {
        try LedgerError.ofSQLite { () throws(SQLiteError) in
            try file.database.truncateLog(restoringBusyTimeout: settings.busyTimeout)
        }
    }

    // MARK: Keeping house

    /// - Returns: whether there is more to do at once.
    private func keepHouse(_ file: LedgerFile, isDue: Bool) throws(LedgerError) -> Bool {
        var more = false
        let now = settings.now()
        if isDue {
            try makeRoomInLog(of: file)
            try LedgerError.ofSQLite { () throws(SQLiteError) in
                let old = try housekeeping.removeOld(at: now, in: file)
                if old.transfers { writing.forgetTransfers() }
                more = old.more
                try housekeeping.shrink(file)
            }
        }
        let isFull = try LedgerError.ofSQLite { () throws(SQLiteError) in try housekeeping.isFull(file) }
        if isFull, try removeOldest(file) { more = true }
        // An idle ledger has an empty log; a busy one is emptied when that is worth it.
        let logSize = file.logSize
        if logSize > settings.checkpointSize || (isDue && !hasWrittenLately && logSize > 0) {
            _ = try emptyLog(of: file)
        }
        if isDue { hasWrittenLately = false }
        return more
    }

    /// - Returns: whether anything could go.
    private func removeOldest(_ file: LedgerFile) throws(LedgerError) -> Bool {
        try makeRoomInLog(of: file)
        let now = settings.now()
        var lost: [DropKey: UInt64] = [:]
        var found = false
        do throws(SQLiteError) {
            try file.database.transaction { () throws(SQLiteError) in
                guard let (kind, count) = try housekeeping.removeOldest(in: file) else { return }
                found = true
                guard let kind else { return }
                lost = [DropKey(kind, .sizeLimit): count]
                try writing.add(lost, at: now, in: file)
            }
        } catch {
            writing.undo()
            throw .sqlite(error)
        }
        writing.committed()
        if lost.keys.contains(DropKey(.transfer, .sizeLimit)) { writing.forgetTransfers() }
        queue.found(lost)
        return found
    }

    /// Octets of the file that the path leads to.
    private var size: Int64 { (try? FileSystemPath.status(settings.path).size) ?? 0 }

    private func noteSizes() {
        // By the paths: the file may be one that could not be opened.
        let size = size
        lastSize = size
        let logSize = (try? FileSystemPath.status(settings.path + "-wal").size) ?? 0
        let transfers = writing.transfersInMemory
        queue.updateStatus { status in
            status.databaseSize = size
            status.logSize = logSize
            status.transfersInMemory = transfers
        }
    }

    // MARK: Failure

    private func failed(_ error: LedgerError) {
        noteSizes()
        if cure(error) { return }
        note(error)
        delay = min(max(delay * 2, settings.retryDelay.lowerBound), settings.retryDelay.upperBound)
        let end = CoarseClock.monotonicMilliseconds() + Int64(delay)
        // A batch that came just before the failure may have left a signal: the wait is taken up again.
        while queue.deadline == nil {
            let left = end - CoarseClock.monotonicMilliseconds()
            if left <= 0 { break }
            queue.waitForWork(milliseconds: Int(left))
        }
        // After a request to stop it is tried until the deadline, without a pause but that of the lock.
        if queue.deadline != nil { queue.waitForWork(milliseconds: settings.retryDelay.lowerBound) }
    }

    private func note(_ error: LedgerError) {
        let message = "\(settings.path): \(error)"
        guard queue.failed(error.reason, message, at: settings.now()) else { return }
        settings.onEvent("the ledger cannot be written, serving goes on: " + message)
    }

    /// Does what helps against an error at once.
    ///
    /// - Returns: whether to go on without waiting.
    private func cure(_ error: LedgerError) -> Bool {
        switch error.reason {
        case .corrupt:
            // Where a file that was just begun is damaged too, it is the disk: no haste.
            let isFirst = isProven || delay == 0
            do throws(LedgerError) { try setAside() } catch { return false }
            note(error)
            delay = max(delay, settings.retryDelay.lowerBound)
            return isFirst
        case .diskFull:
            // The greatest size, which the file's pages were limited to, ends in the same error as a full disk.
            guard let file else { return false }
            // The log itself may be what takes the room.
            _ = try? emptyLog(of: file)
            guard (try? housekeeping.leavesNoRoom(file)) == true else { return false }
            return (try? removeOldest(file)) == true
        case .rejected:
            return giveUpRejected()
        case .cannotOpen, .readOnly, .inputOutput, .noMemory, .unknownSchema:
            // The next try begins with opening: the connection may have met its file in a state that is over by then.
            file = nil
            return false
        default:
            return false
        }
    }

    /// A row that SQLite refuses must not keep the others out: the batch is tried alone, and then given up.
    private func giveUpRejected() -> Bool {
        guard let file, !underWay.isEmpty else { return false }
        for batch in underWay {
            do throws(SQLiteError) {
                try settings.beforeTransaction?(file.database)
                queue.found(try writing.write([batch], [:], at: settings.now(), in: file))
                queue.wrote(rows: batch.rows, drops: [:], transfers: writing.transferCounts)
            } catch {
                guard LedgerError.sqlite(error).reason == .rejected else { return false }
                queue.gaveUp(batch, .rejected)
            }
            underWay.removeFirst()
        }
        return true
    }
}

/// Names of files that are kept aside.
enum DamagedFile {
    /// `<path>.corrupt-20261201T093000Z`, with a number behind it where that name is taken.
    static func name(for path: String, at unixMilliseconds: Int64) -> String {
        let base = path + ".corrupt-" + stamp(unixMilliseconds)
        var name = base
        var number = 2
        while FileIdentifier(name) != nil {
            name = "\(base)-\(number)"
            number += 1
        }
        return name
    }

    /// RFC 3339 without the characters that some file systems and shells make trouble with.
    private static func stamp(_ unixMilliseconds: Int64) -> String {
        let text = Instant(unixSeconds: unixMilliseconds / 1000)?.text ?? String(unixMilliseconds)
        return text.filter { $0 != "-" && $0 != ":" }
    }
}
