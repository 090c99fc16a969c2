internal import CHostSQLite

/// One connection to a database file. One thread owns it: it is opened without SQLite's own mutex.
///
/// Statements keep the connection open until the last of them is gone, in whatever order owners let go.
package struct SQLiteDatabase: ~Copyable {
    package enum Access: Equatable, Sendable {
        /// Neither the file nor its folder is written; the file must be there.
        case readOnly
        /// As `readOnly`, for a file that nobody writes: neither locks are taken nor is a file made beside it.
        case atRest
        case readWrite
        /// As `readWrite`; the file is made where there is none.
        case create
    }

    let connection: SQLiteConnection

    /// Opens `path`. The file's content is first looked at by the first statement.
    ///
    /// - Throws: SQLITE_CANTOPEN and whatever else sqlite3_open_v2 says.
    package init(path: String, access: Access) throws(SQLiteError) {
        connection = try SQLiteConnection.open(path, access)
    }

    /// Compiles one statement.
    package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        try SQLiteStatement(connection, sql)
    }

    /// Runs one or several statements whose rows nobody wants.
    package func execute(_ sql: String) throws(SQLiteError) {
        let result = sqlite3_exec(connection.handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw connection.error(result, sql: sql) }
    }

    /// Runs `body` in a transaction that holds the write lock from its start; it is undone where `body` throws.
    package func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        // IMMEDIATE: a transaction that began as a reader could not wait for the lock when it comes to write.
        try execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try body()
            try execute("COMMIT")
        } catch {
            // SQLite itself has undone it after some errors, such as a full disk.
            if !isAutocommit { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// The integer in the first column of the first row; nil where there is no row or it is NULL.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.optionalInteger(0) : nil
    }

    /// The text in the first column of the first row; nil where there is no row or it is NULL.
    package func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.optionalText(0) : nil
    }

    /// How long a call may wait for another connection's lock; 0 does not wait.
    package func setBusyTimeout(milliseconds: Int) {
        _ = sqlite3_busy_timeout(connection.handle, CInt(clamping: milliseconds))
    }

    /// Rows that the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes64(connection.handle)) }

    /// The rowid of the last row that this connection inserted.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(connection.handle) }

    /// Whether no transaction is open.
    package var isAutocommit: Bool { sqlite3_get_autocommit(connection.handle) != 0 }

    /// Whether the path leads to another file by now, or to none.
    package func hasMoved() -> Bool {
        var moved: CInt = 0
        let result = sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return result == SQLITE_OK && moved != 0
    }

    /// Leaves -wal and -shm in place when the last connection closes: a reader who may not write in the folder needs
    /// both (<https://www.sqlite.org/wal.html#read_only_databases>).
    package func keepSharedFilesAfterClose() {
        var on: CInt = 1
        _ = sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on)
    }

    /// Closing will not move the log into the file: for a file that is damaged or gone.
    package func closeWithoutCheckpoint() {
        _ = chost_sqlite3_configure(connection.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    /// Moves what it can of the log into the file, without waiting for anybody, and cuts the log to nothing if no
    /// reader needs it.
    ///
    /// Without a busy handler SQLITE_CHECKPOINT_TRUNCATE does what PASSIVE does and says SQLITE_BUSY where it could
    /// not go on to the end (<https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>).
    ///
    /// - Parameter busyTimeout: milliseconds, restored afterwards.
    /// - Returns: whether the log is empty now.
    package func truncateLog(restoringBusyTimeout busyTimeout: Int) throws(SQLiteError) -> Bool {
        setBusyTimeout(milliseconds: 0)
        defer { setBusyTimeout(milliseconds: busyTimeout) }
        let result = sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        switch ResultCode(rawValue: result).primary {
        case .SQLITE_OK: return true
        case .SQLITE_BUSY, .SQLITE_LOCKED: return false
        default: throw connection.error(result, sql: "wal_checkpoint(TRUNCATE)")
        }
    }

    /// Runs `body`; statements in it are interrupted (SQLITE_INTERRUPT) once `isOver` says so, which is asked every
    /// few thousand steps of SQLite's virtual machine.
    package func interrupting<Result>(
        when isOver: @escaping () -> Bool,
        _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        let question = ProgressQuestion(isOver)
        sqlite3_progress_handler(
            connection.handle,
            4000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<ProgressQuestion>.fromOpaque(context).takeUnretainedValue().isOver() ? 1 : 0
            },
            Unmanaged.passUnretained(question).toOpaque()
        )
        defer {
            sqlite3_progress_handler(connection.handle, 0, nil, nil)
            // The handler held no reference of its own: `question` has to live until it is gone.
            withExtendedLifetime(question) {}
        }
        return try body()
    }
}

private final class ProgressQuestion {
    let isOver: () -> Bool

    init(_ isOver: @escaping () -> Bool) {
        self.isOver = isOver
    }
}

/// The C connection, closed when the last of the database and its statements is gone.
final class SQLiteConnection {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        let result = sqlite3_close(handle)
        // SQLITE_BUSY would say that a statement is left, whose owner holds this object: it cannot be.
        assert(result == SQLITE_OK)
    }

    static func open(_ path: String, _ access: SQLiteDatabase.Access) throws(SQLiteError) -> SQLiteConnection {
        let flags =
            switch access {
            case .readOnly: SQLITE_OPEN_READONLY
            case .atRest: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        var handle: OpaquePointer?
        // EXRESCODE: an extended code from the first call on, so that "cannot open" comes with its cause.
        let result = sqlite3_open_v2(
            access == .atRest ? immutableLocator(path) : path,
            &handle,
            flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE,
            nil
        )
        guard let handle else { throw SQLiteError(code: .SQLITE_NOMEM, message: "no memory for a connection") }
        // A connection that failed to open is to be closed all the same.
        let connection = SQLiteConnection(handle)
        guard result == SQLITE_OK else { throw connection.error(result, sql: "") }
        // A file that somebody prepared must not make us do more than read and write rows.
        _ = chost_sqlite3_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = chost_sqlite3_configure(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // Double quotes name columns, never texts: a misspelt column must fail.
        _ = chost_sqlite3_configure(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        _ = chost_sqlite3_configure(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
        return connection
    }

    /// `path` as <https://www.sqlite.org/uri.html> has it, with the word that nobody writes the file.
    private static func immutableLocator(_ path: String) -> String {
        // An empty authority: the beginning of a path such as `//srv` must not be taken for one.
        var locator = path.hasPrefix("/") ? "file://" : "file:"
        let hexadecimal = Array("0123456789ABCDEF".unicodeScalars)
        for octet in path.utf8 {
            let scalar = Unicode.Scalar(octet)
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "-", "_", "~": locator.unicodeScalars.append(scalar)
            default:
                locator.unicodeScalars += ["%", hexadecimal[Int(octet >> 4)], hexadecimal[Int(octet & 15)]]
            }
        }
        return locator + "?immutable=1"
    }

    /// The error of the call that just returned `result`; to be made before any other call on this connection.
    func error(_ result: CInt, sql: String) -> SQLiteError {
        SQLiteError(
            code: ResultCode(rawValue: result),
            message: String(cString: sqlite3_errmsg(handle)),
            sql: sql,
            systemError: sqlite3_system_errno(handle)
        )
    }
}
