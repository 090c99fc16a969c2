internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog

/// Which versions devices still ask for, by the ledger: what `prune` does not remove unless it is forced.
struct PruneGuard {
    /// How often devices asked for a version, and when last.
    struct Asked {
        let requests: Int64
        /// Unix milliseconds.
        let last: Int64

        /// As it goes on after "devices still ask for it".
        var text: String {
            let moment = Instant.text(unixMilliseconds: last)
            // Rows that made room for others are in the sums of their day alone, which do not count requests.
            return requests == 0
                ? "last on \(moment.prefix(10))"
                : "\(requests) time\(requests == 1 ? "" : "s"), last \(moment)"
        }
    }

    static let days: Int64 = 30

    private(set) var asked: [Version: Asked] = [:]
    /// What else is to be known before something is removed.
    private(set) var notes: [String] = []
    /// Whether the ledger told who asks.
    private(set) var isKnown = false

    /// Asks the ledger.
    ///
    /// One that should be there and tells nothing is a reason to remove nothing: `LedgerFailure`. Where none was named
    /// and none is in its usual place, the server may never have kept one.
    init(_ source: LedgerSource, _ model: ModelName, isForced: Bool) throws(LedgerFailure) {
        let period = Period(milliseconds: Self.days * 86_400_000)
        do throws(LedgerFailure) {
            try look(source, LedgerScope(model: model.text, since: period.since, limit: .max))
        } catch {
            if error.isAbsent, !source.isNamed {
                notes.append("there is no ledger at \(error.path), so nothing is known of who still asks for a version")
            } else if isForced {
                notes.append("nothing is known of who still asks for a version: \(error)")
            } else {
                throw error
            }
        }
    }

    private mutating func look(_ source: LedgerSource, _ scope: LedgerScope) throws(LedgerFailure) {
        let (versions, dropped, span) = try source.ask { ledger throws(LedgerError) in
            (try ledger.versionsAsked(scope), try ledger.dropped(scope), try ledger.span())
        }
        isKnown = true
        for version in versions {
            guard let name = Version(version.version) else { continue }
            asked[name] = Asked(requests: version.requests, last: version.last)
        }
        let lost = dropped.filter(Self.mayHideQuestions)
        notes += Losses.lines(lost).map { "\($0): a version may have been asked for in them" }
        guard let begin = span.begin, let end = span.end else {
            return notes.append("the ledger holds nothing yet, so nothing is known of who still asks for a version")
        }
        if begin > scope.since {
            let moment = Instant.text(unixMilliseconds: begin)
            notes.append("the ledger begins at \(moment): nothing is known of who asked before")
        }
        // Perhaps nobody asks; perhaps serve was told to write another one.
        if end < scope.since {
            let moment = Instant.text(unixMilliseconds: end)
            notes.append("the ledger ends at \(moment): if serve writes another one by now, name it with --database")
        }
    }

    /// Requests for files that made room are in the roll-up, which is asked too.
    private static func mayHideQuestions(_ lost: DroppedRecords) -> Bool {
        switch RecordKind(rawValue: lost.kind) {
        case .download: lost.reason != DropReason.sizeLimit.rawValue
        case .versionCheck: true
        default: false
        }
    }
}
