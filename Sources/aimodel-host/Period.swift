internal import HostSystem
internal import ModelCatalog

/// The time that a command looks back over.
struct Period {
    /// Unix milliseconds.
    let since: Int64
    /// As in `the last 7 days`.
    let text: String

    private static let units: [(milliseconds: Int64, name: String)] = [
        (86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1000, "second"), (1, "millisecond"),
    ]

    /// The time up to now.
    init(milliseconds: Int64) {
        since = CoarseClock.unixMilliseconds() - milliseconds
        let unit = Self.units.first { milliseconds % $0.milliseconds == 0 } ?? (1, "millisecond")
        let count = milliseconds / unit.milliseconds
        text = count == 1 ? "the last \(unit.name)" : "the last \(count) \(unit.name)s"
    }

    /// `--since`, a week unless given.
    init(_ arguments: Arguments) throws(UsageError) {
        let milliseconds = try arguments.milliseconds("since") ?? 7 * 86_400_000
        guard milliseconds > 0 else {
            throw UsageError("--since is no time at all; it takes one such as 30m, 12h or 7d")
        }
        self.init(milliseconds: milliseconds)
    }
}

extension Instant {
    /// A moment of the ledger's, to the second.
    static func text(unixMilliseconds: Int64) -> String {
        Instant(unixSeconds: unixMilliseconds / 1000)?.text ?? "\(unixMilliseconds) ms"
    }
}
