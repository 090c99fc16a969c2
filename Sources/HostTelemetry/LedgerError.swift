package import HostSystem

/// Why the ledger cannot be written or read.
package enum LedgerError: Error, Equatable, Sendable, CustomStringConvertible {
    case sqlite(SQLiteError)
    case system(Errno, path: String)
    /// A later version of this program made the file.
    case newerSchema(found: Int, known: Int)
    /// A database, but not one of ours.
    case notALedger
    /// The log cannot be moved into the file while a reader holds an old snapshot.
    case logFull(size: Int64, limit: Int64)

    /// Runs `body`; what SQLite refuses in it becomes an error of the ledger.
    static func ofSQLite<Result: ~Copyable>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(LedgerError) -> Result {
        do throws(SQLiteError) { return try body() } catch { throw .sqlite(error) }
    }

    package var description: String {
        switch self {
        case .sqlite(let error): "\(error); \(advice(error))"
        case .system(let error, let path): "\(path): \(error); make the folder writable for the server"
        case .newerSchema(let found, let known):
            "the ledger has schema \(found) and this version knows \(known); run the newer version, or name another "
                + "file with --database"
        case .notALedger: "the file is a database, but not this program's; name another with --database"
        case .logFull(let size, let limit):
            "a reader has held its snapshot until the log took \(size) of \(limit) octets; end its transaction"
        }
    }

    /// Under which the losses are counted that it leads to.
    package var reason: DropReason {
        switch self {
        case .sqlite(let error): Self.reason(error)
        case .system(let error, _): error == .noSpace ? .diskFull : .cannotOpen
        case .newerSchema, .notALedger: .unknownSchema
        case .logFull: .logFull
        }
    }

    private static func reason(_ error: SQLiteError) -> DropReason {
        switch error.code.primary {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL, .SQLITE_INTERRUPT: .locked
        case .SQLITE_FULL: .diskFull
        case .SQLITE_READONLY, .SQLITE_PERM: .readOnly
        case .SQLITE_CANTOPEN: .cannotOpen
        // The shared memory file cannot grow on a full disk either, which is an I/O error to SQLite.
        case .SQLITE_IOERR: error.systemError == Errno.noSpace.rawValue ? .diskFull : .inputOutput
        case .SQLITE_NOMEM: .noMemory
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
        default: .rejected
        }
    }

    private func advice(_ error: SQLiteError) -> String {
        switch Self.reason(error) {
        case .locked: "another program holds the lock; it will be tried again"
        case .diskFull: "make room on the disk"
        case .readOnly, .cannotOpen: "make the file and its folder writable for the server"
        case .corrupt: "the file is kept aside and a new one begun"
        default: "it will be tried again"
        }
    }
}
