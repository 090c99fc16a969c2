/// How the ledger fares; a value for metrics and readiness.
package struct LedgerStatus: Equatable, Sendable {
    /// What keeps the ledger from writing, or was the last thing that did.
    package struct Failure: Equatable, Sendable {
        package let reason: DropReason
        /// What was tried, what the system said, and what to do.
        package let message: String
        /// Unix milliseconds when it began.
        package let since: Int64
        /// Unix milliseconds when writing went on; nil while it lasts.
        package internal(set) var until: Int64?
    }

    /// Rows that wait, and those being written.
    package internal(set) var queuedRows = 0
    package let queueCapacity: Int
    /// Rows written since the start.
    package internal(set) var writtenRows: UInt64 = 0
    /// All that was lost since the start, whether it is in the table `dropped` yet or not.
    package internal(set) var dropped: [DropKey: UInt64] = [:]
    /// Octets of the database file.
    package internal(set) var databaseSize: Int64 = 0
    /// Octets of the log beside it.
    package internal(set) var logSize: Int64 = 0
    /// Transfers begun, and transfers completed, since the start: each counted when the ledger holds it.
    package internal(set) var transfersBegun: UInt64 = 0
    package internal(set) var transfersCompleted: UInt64 = 0
    /// Transfers held in memory.
    package internal(set) var transfersInMemory = 0
    /// Whether the last try to write went well. True before there was one.
    package internal(set) var isWritable = true
    package internal(set) var lastFailure: Failure?
    /// Where the last damaged file was put; nil if there was none.
    package internal(set) var damagedFile: String?
    /// Times that the file was found gone or replaced and begun anew.
    package internal(set) var timesBegunAnew = 0
}
