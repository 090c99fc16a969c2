internal import Synchronization

/// What became of the reports of devices. Any thread: a report is rare beside a download.
final class ReportCounters: Sendable {
    enum Outcome: String, CaseIterable, Sendable {
        /// Acknowledged, and on its way to the ledger.
        case accepted
        /// It says what cannot be, or its body is none of reports.
        case refused
        /// More than a client, or all of them, may send.
        case rateLimited = "rate_limited"
    }

    private let counts = Mutex<[Outcome: UInt64]>([:])

    func count(_ outcome: Outcome, _ number: Int = 1) {
        counts.withLock { $0[outcome, default: 0] += UInt64(clamping: number) }
    }

    subscript(_ outcome: Outcome) -> UInt64 { counts.withLock { $0[outcome] ?? 0 } }
}
