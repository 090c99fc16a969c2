internal import HostSystem

/// How a ledger is kept.
package struct LedgerSettings: Sendable {
    /// The database file. Its folder is made if its parent is there.
    package var path: String
    /// Milliseconds that rows are kept; `daily` is kept for good.
    package var retentionMilliseconds: Int64 = 90 * UTCDay.milliseconds
    /// Octets of the database file, its log not counted. At least 1 MiB.
    package var maximumSize: Int64 = 4 << 30
    /// Octets of the log beyond which nothing is written until it could be emptied.
    package var maximumLogSize: Int64 = 64 << 20
    /// Octets of the log from which on emptying it is tried after each transaction.
    package var checkpointSize: Int64 = 4 << 20
    /// Rows that wait to be written, those under way included; what comes beyond them is dropped and counted.
    package var queueCapacity = 65_536
    /// Rows of one transaction, at least those of one batch.
    package var rowsPerTransaction = 1024
    /// Rows that a loop gathers before it hands them over without waiting for the second to end.
    package var rowsPerBatch = 512
    /// User agents and devices that a loop remembers.
    package var textsPerLoop = 1024
    /// Transfers that are kept in memory; the others are read back when a request belongs to one.
    package var transfersInMemory = 4096
    /// Milliseconds to wait for another connection's lock before a try counts as failed.
    package var busyTimeout = 250
    /// Milliseconds between tries while writing fails: the first wait, doubled up to the last.
    package var retryDelay: ClosedRange<Int> = 50...2000
    /// Milliseconds between rounds of retention and of looking whether the file is still there.
    package var housekeepingInterval = 1000
    /// Called on the writer's thread with one line for the operator: when it begins to fail, or fails for another
    /// reason, and when it writes again.
    package var onEvent: @Sendable (String) -> Void = { _ in }
    /// Unix milliseconds; tests set it.
    package var now: @Sendable () -> Int64 = CoarseClock.unixMilliseconds
    /// Seam for tests: called on the writer's thread with the open database before each transaction; what it throws
    /// is handled as if SQLite had said it.
    package var beforeTransaction: (@Sendable (borrowing SQLiteDatabase) throws(SQLiteError) -> Void)?

    /// Rows that fit into the tenth of the file that is kept free, the longest texts and their transfers included: a
    /// transaction that can never be committed would end all writing.
    var rowsThatFit: Int { Int(clamping: max(1, sizeLimit / 10 / 2048)) }
    /// `maximumSize`, or the least that is possible.
    var sizeLimit: Int64 { max(1 << 20, maximumSize) }

    package init(path: String) {
        self.path = path
    }

    /// Where a store's ledger stands unless it is put elsewhere.
    package static func defaultPath(root: String) -> String { root + "/var/telemetry.sqlite" }
}
