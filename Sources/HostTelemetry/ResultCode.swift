internal import CHostSQLite

/// A result code of SQLite, with the C names for those that are told apart here: <https://www.sqlite.org/rescode.html>.
package struct ResultCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: CInt

    package init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The primary code: the low octet of an extended one.
    package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    package static let SQLITE_OK = ResultCode(rawValue: CHostSQLite.SQLITE_OK)
    package static let SQLITE_ERROR = ResultCode(rawValue: CHostSQLite.SQLITE_ERROR)
    package static let SQLITE_PERM = ResultCode(rawValue: CHostSQLite.SQLITE_PERM)
    package static let SQLITE_BUSY = ResultCode(rawValue: CHostSQLite.SQLITE_BUSY)
    package static let SQLITE_LOCKED = ResultCode(rawValue: CHostSQLite.SQLITE_LOCKED)
    package static let SQLITE_NOMEM = ResultCode(rawValue: CHostSQLite.SQLITE_NOMEM)
    package static let SQLITE_READONLY = ResultCode(rawValue: CHostSQLite.SQLITE_READONLY)
    package static let SQLITE_INTERRUPT = ResultCode(rawValue: CHostSQLite.SQLITE_INTERRUPT)
    package static let SQLITE_IOERR = ResultCode(rawValue: CHostSQLite.SQLITE_IOERR)
    package static let SQLITE_CORRUPT = ResultCode(rawValue: CHostSQLite.SQLITE_CORRUPT)
    package static let SQLITE_FULL = ResultCode(rawValue: CHostSQLite.SQLITE_FULL)
    package static let SQLITE_CANTOPEN = ResultCode(rawValue: CHostSQLite.SQLITE_CANTOPEN)
    package static let SQLITE_PROTOCOL = ResultCode(rawValue: CHostSQLite.SQLITE_PROTOCOL)
    package static let SQLITE_CONSTRAINT = ResultCode(rawValue: CHostSQLite.SQLITE_CONSTRAINT)
    package static let SQLITE_MISUSE = ResultCode(rawValue: CHostSQLite.SQLITE_MISUSE)
    package static let SQLITE_NOTADB = ResultCode(rawValue: CHostSQLite.SQLITE_NOTADB)
    package static let SQLITE_ROW = ResultCode(rawValue: CHostSQLite.SQLITE_ROW)
    package static let SQLITE_DONE = ResultCode(rawValue: CHostSQLite.SQLITE_DONE)

    /// SQLite's own words, such as `database is locked`.
    package var description: String {
        sqlite3_errstr(rawValue).map { String(cString: $0) } ?? "result \(rawValue)"
    }
}

/// What SQLite refused: the code, its message, and the SQL. Values that were bound are never in it: they may be a
/// device's.
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The extended code.
    package let code: ResultCode
    package let message: String
    /// Empty where no statement was under way.
    package let sql: String
    /// The errno of the system call that failed last, 0 where none did.
    package let systemError: CInt

    package init(code: ResultCode, message: String, sql: String = "", systemError: CInt = 0) {
        self.code = code
        self.message = message
        self.sql = sql
        self.systemError = systemError
    }

    package var description: String {
        let place = sql.isEmpty ? "" : ", in \"\(sql.prefix(120))\""
        return "SQLite: \(message) (\(code.rawValue))\(place)"
    }
}
