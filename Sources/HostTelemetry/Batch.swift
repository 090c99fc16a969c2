/// Rows that go to the ledger together.
struct Batch: Sendable {
    var answers: [AnswerRow] = []
    var checks: [VersionCheck] = []
    var misses: [VariantMiss] = []
    var reports: [DeviceReport] = []

    var rows: Int { answers.count + checks.count + misses.count + reports.count }
    var isEmpty: Bool { rows == 0 }

    /// What it would count as if it were lost: requests, for a row of answers stands for several.
    var losses: [RecordKind: UInt64] {
        var losses: [RecordKind: UInt64] = [:]
        if !answers.isEmpty { losses[.download] = answers.reduce(0) { $0 + $1.requests } }
        if !checks.isEmpty { losses[.versionCheck] = UInt64(checks.count) }
        if !misses.isEmpty { losses[.variantMiss] = UInt64(misses.count) }
        if !reports.isEmpty { losses[.deviceReport] = UInt64(reports.count) }
        return losses
    }

    /// Keeps `count` rows, those first that are fewest and say most, and returns the others.
    mutating func cut(to count: Int) -> Batch {
        var rest = Batch()
        var room = count
        func keep<Row>(_ rows: inout [Row], _ left: inout [Row]) {
            let kept = min(room, rows.count)
            room -= kept
            guard kept < rows.count else { return }
            left = Array(rows[kept...])
            rows.removeLast(rows.count - kept)
        }
        keep(&reports, &rest.reports)
        keep(&misses, &rest.misses)
        keep(&checks, &rest.checks)
        keep(&answers, &rest.answers)
        return rest
    }
}

/// What was lost, by the name of its table.
package enum RecordKind: String, CaseIterable, Sendable {
    /// Counted in requests.
    case download
    /// Counted in rows; with `tooManyPieces` in octets whose coverage was not kept.
    case transfer
    case versionCheck = "version_check"
    case variantMiss = "variant_miss"
    case deviceReport = "device_report"
}

/// Why the ledger cannot write, or why a record is not in it.
package enum DropReason: String, CaseIterable, Sendable {
    /// More came than one thread could write.
    case queueFull = "queue-full"
    /// Another connection held the lock.
    case locked
    case diskFull = "disk-full"
    case readOnly = "read-only"
    /// A reader's snapshot kept the log from being moved into the file.
    case logFull = "wal-full"
    case cannotOpen = "cannot-open"
    case inputOutput = "io-error"
    case noMemory = "no-memory"
    case corrupt
    /// The file was made by a newer version, or is no ledger.
    case unknownSchema = "unknown-schema"
    /// It made room: the file had reached its greatest size.
    case sizeLimit = "size-limit"
    /// SQLite refused the row itself.
    case rejected
    /// More pieces than are kept for one transfer.
    case tooManyPieces = "too-many-pieces"
    /// The server ended before it could be written.
    case stopped
}

/// A count of `dropped`.
package struct DropKey: Hashable, Sendable {
    package let kind: RecordKind
    package let reason: DropReason

    package init(_ kind: RecordKind, _ reason: DropReason) {
        self.kind = kind
        self.reason = reason
    }
}
