internal import HTTPWire
internal import HostSystem
internal import HostTelemetry

/// Why the ledger gave no answer.
enum OpsFailure: Error, Equatable, Sendable {
    /// It took longer than a question may.
    case tooSlow
    /// What keeps it from being read, and what to do.
    case unreadable(String)
    /// Others are asking.
    case busy

    init(_ error: LedgerError) {
        if case .sqlite(let error) = error, error.code.primary == .SQLITE_INTERRUPT {
            self = .tooSlow
        } else {
            self = .unreadable("The ledger cannot be read: \(error).")
        }
    }

    func problem(at instance: String) -> Problem {
        var problem = Problem(.overCapacity, detail, at: instance)
        problem.retryAfter = self == .busy ? 1 : 10
        return problem
    }

    var detail: String {
        switch self {
        case .tooSlow:
            "The ledger holds so much that the question was given up. Ask for a shorter time (since=24h), or ask the "
                + "file itself with sqlite3."
        case .unreadable(let reason): reason
        case .busy: "Other questions to the ledger are being answered just now. Ask again in a second."
        }
    }
}

/// The ledger while one request asks it: opened at its first question, on the thread of the request's job, and let go
/// with this value. The questions of a request have one time together.
struct OpsLedger: ~Copyable {
    /// Milliseconds for all questions of one request. While one is asked, the log cannot be emptied.
    static let patience: Int64 = 2000

    private let reader: LedgerReader?
    private let failure: OpsFailure?

    /// - Parameter path: nil where no ledger is kept.
    init(path: String?) {
        guard let path else {
            reader = nil
            failure = nil
            return
        }
        let deadline = CoarseClock.monotonicMilliseconds() + Self.patience
        do throws(LedgerError) {
            reader = try LedgerReader(
                path: path,
                isBesideWriter: true,
                isOver: { CoarseClock.monotonicMilliseconds() > deadline }
            )
            failure = nil
        } catch {
            reader = nil
            failure = Self.isAbsent(error) ? nil : OpsFailure(error)
        }
    }

    /// The rows of a question; none where there is no ledger, or none yet.
    func rows<Row>(
        _ question: (borrowing LedgerReader) throws(LedgerError) -> [Row]
    ) throws(OpsFailure) -> [Row] {
        if let failure { throw failure }
        switch reader {
        case .some(let reader):
            do throws(LedgerError) { return try question(reader) } catch { throw OpsFailure(error) }
        case .none:
            return []
        }
    }

    /// The writer has not made the file yet, or somebody has removed it: nothing is known, which is no fault to report.
    private static func isAbsent(_ error: LedgerError) -> Bool {
        guard case .sqlite(let error) = error else { return false }
        return error.code.primary == .SQLITE_CANTOPEN && error.systemError == Errno.noEntry.rawValue
    }
}
