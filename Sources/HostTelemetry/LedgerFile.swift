internal import HostSystem

/// The open database with its statements, and what the writer knows of the files behind it. Used on the writer's
/// thread.
final class LedgerFile {
    let database: SQLiteDatabase
    let path: String
    private let statements = StatementCache()
    private let settings: LedgerSettings
    /// The log and the shared memory as they were when the file was opened.
    private let companions: [(path: String, identity: FileIdentifier)]

    private init(_ database: consuming SQLiteDatabase, _ settings: LedgerSettings) {
        self.database = database
        self.settings = settings
        path = settings.path
        companions = ["-wal", "-shm"].compactMap { suffix in
            FileIdentifier(settings.path + suffix).map { (settings.path + suffix, $0) }
        }
    }

    /// Opens the ledger, makes it where there is none, and brings it up to date.
    ///
    /// - Parameters:
    ///   - isChecked: the content was looked through already, or is not to be.
    ///   - isOver: asked now and then; true ends a long look through the content.
    static func open(
        _ settings: LedgerSettings,
        isChecked: Bool,
        isOver: @escaping () -> Bool
    ) throws(LedgerError) -> LedgerFile {
        try makeFolder(of: settings.path)
        let exists = FileIdentifier(settings.path) != nil
        // A log without its file is of a file that was deleted, and a program that reads the old file may still hold
        // the shared memory beside it: the new file must not have either (https://www.sqlite.org/howtocorrupt.html).
        if !exists { for suffix in ["-wal", "-shm"] { try? FileSystemPath.remove(settings.path + suffix) } }
        let database = try LedgerError.ofSQLite { () throws(SQLiteError) in
            try SQLiteDatabase(path: settings.path, access: .create)
        }
        database.setBusyTimeout(milliseconds: settings.busyTimeout)
        let version = try SchemaMigrator.check(database)
        try LedgerError.ofSQLite { () throws(SQLiteError) in
            try configure(database, settings, isEmpty: version == 0)
            if !isChecked, version > 0 { try lookThrough(database, isOver: isOver) }
        }
        try SchemaMigrator.migrate(database)
        try LedgerError.ofSQLite { () throws(SQLiteError) in try limitSize(database, settings) }
        return LedgerFile(database, settings)
    }

    /// A statement of this connection, ready to be bound.
    func statement(_ sql: StaticString) throws(SQLiteError) -> PreparedStatement {
        try statements.statement(sql, of: database)
    }

    // MARK: The files

    /// Whether the path still leads to this file and its log.
    var isInPlace: Bool {
        if database.hasMoved() { return false }
        for companion in companions where FileIdentifier(companion.path) != companion.identity { return false }
        return true
    }

    /// To be called before a file that is no longer in place is closed.
    ///
    /// Of a file that was deleted alone the log is left behind: it must not meet the file that comes next. A log that
    /// was deleted alone is another matter: what it holds is moved into the file when that is closed.
    func leave() {
        guard database.hasMoved() else { return }
        database.closeWithoutCheckpoint()
        for companion in companions where FileIdentifier(companion.path) == companion.identity {
            try? FileSystemPath.remove(companion.path)
        }
    }

    /// Octets of the log's file.
    var logSize: Int64 { (try? FileSystemPath.status(path + "-wal").size) ?? 0 }

    /// Whether the disk would take so many octets more; true where that cannot be told.
    func diskHas(room octets: Int64) -> Bool {
        // The folder is asked: closing a descriptor of the file itself would drop the process's locks on it.
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let space = try? FileDescriptor.openFolder(folder).space() else { return true }
        return space.available > UInt64(octets)
    }

    /// Octets of the pages that hold something.
    func usedSize() throws(SQLiteError) -> Int64 {
        let pages = try database.integer("PRAGMA page_count") ?? 0
        let free = try database.integer("PRAGMA freelist_count") ?? 0
        return (pages - free) * (try database.integer("PRAGMA page_size") ?? 4096)
    }

    // MARK: Opening

    private static func makeFolder(of path: String) throws(LedgerError) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        let folder = String(path[..<slash])
        do throws(Errno) {
            try FileSystemPath.makeFolder(folder)
        } catch {
            throw .system(error, path: folder)
        }
    }

    private static func configure(
        _ database: borrowing SQLiteDatabase,
        _ settings: LedgerSettings,
        isEmpty: Bool
    ) throws(SQLiteError) {
        // It can only be chosen before there is a table: pages that retention frees can be given back later on.
        if isEmpty { try database.execute("PRAGMA auto_vacuum = INCREMENTAL") }
        let mode = try database.text("PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw SQLiteError(code: .SQLITE_CANTOPEN, message: "the file system allows no write-ahead log")
        }
        // NORMAL: a process that is killed loses nothing; a power cut may lose the last transactions, never the file.
        try database.execute("PRAGMA synchronous = NORMAL")
        // The writer empties the log itself, when that need not wait.
        try database.execute("PRAGMA wal_autocheckpoint = 0")
        try database.execute("PRAGMA journal_size_limit = \(settings.checkpointSize)")
        try database.execute("PRAGMA cache_size = -16000")
        try database.execute("PRAGMA temp_store = MEMORY")
        database.keepSharedFilesAfterClose()
    }

    /// Looks for damage, for two seconds at most: whatever is found later is handled when it is met.
    private static func lookThrough(
        _ database: borrowing SQLiteDatabase,
        isOver: @escaping () -> Bool
    ) throws(SQLiteError) {
        let end = CoarseClock.monotonicMilliseconds() + 2000
        let verdict: String?
        do throws(SQLiteError) {
            let statement = try database.prepare("PRAGMA quick_check(1)")
            verdict = try database.interrupting(when: { CoarseClock.monotonicMilliseconds() > end || isOver() }) {
                () throws(SQLiteError) in
                try statement.step() ? statement.text(0) : nil
            }
        } catch {
            if error.code.primary == .SQLITE_INTERRUPT { return }
            throw error
        }
        if let verdict, verdict != "ok" {
            throw SQLiteError(code: .SQLITE_CORRUPT, message: verdict, sql: "PRAGMA quick_check(1)")
        }
    }

    private static func limitSize(
        _ database: borrowing SQLiteDatabase,
        _ settings: LedgerSettings
    ) throws(SQLiteError) {
        let pageSize = try database.integer("PRAGMA page_size") ?? 4096
        _ = try database.integer("PRAGMA max_page_count = \(settings.sizeLimit / pageSize)")
    }
}

/// Which file a path leads to.
struct FileIdentifier: Equatable {
    private let device: UInt64
    private let inode: UInt64

    init?(_ path: String) {
        guard let status = try? FileSystemPath.status(path) else { return nil }
        device = status.device
        inode = status.inode
    }
}
