internal import HostTelemetry
internal import ModelCatalog

/// What the ledger says of a time.
struct Stats {
    /// The downloads of a version.
    struct Downloads {
        let model: String
        let version: String
        /// Those that began in the time, and what they sent; each octet once in `bytesCovered`.
        var begun: Int64 = 0
        var completed: Int64 = 0
        var bytesSent: Int64 = 0
        var bytesCovered: Int64 = 0
        /// Answers with content in the time, of downloads that began before too.
        var answers: Int64 = 0
        var cut: Int64 = 0
        var resumed: Int64 = 0
    }

    /// Rows of one question: more than anybody looks at, and little enough to hold.
    static let limit = 10_000

    let scope: LedgerScope
    /// Most begun first.
    let downloads: [Downloads]
    let adoption: [Adoption]
    let health: [VariantHealth]
    let missing: [MissingVariant]
    let dropped: [DroppedRecords]
    let span: LedgerSpan
    /// Of days whose rows are gone, in the roll-up alone.
    let rolledUp: [DownloadsOfDay]
    /// Models that something is known of, where nothing is of the one that was asked about.
    private(set) var others: [String] = []

    init(_ ledger: borrowing LedgerReader, _ scope: LedgerScope) throws(LedgerError) {
        self.scope = scope
        downloads = Self.merged(try ledger.completionRates(scope), try ledger.resumeRates(scope))
        adoption = try ledger.adoption(scope)
        health = try ledger.variantHealth(scope)
        missing = try ledger.missingVariants(scope)
        dropped = try ledger.dropped(scope)
        let span = try ledger.span()
        self.span = span
        let firstDay = span.oldestTransfer.map { Instant.text(unixMilliseconds: $0).prefix(10) }
        rolledUp = try ledger.downloadsByDay(scope).filter { day in firstDay.map { day.day < $0 } ?? true }
        if scope.model != nil, isEmpty {
            var all = scope
            all.model = nil
            others = Set(try ledger.versionsAsked(all).map(\.model)).sorted()
        }
    }

    /// Losses are of all models, and say nothing of this one.
    var isEmpty: Bool {
        downloads.isEmpty && adoption.isEmpty && health.isEmpty && missing.isEmpty && rolledUp.isEmpty
    }

    private static func merged(_ rates: [CompletionRate], _ answers: [ResumeRate]) -> [Downloads] {
        var places: [[String]: Int] = [:]
        var downloads: [Downloads] = []
        func place(_ model: String, _ version: String) -> Int {
            if let place = places[[model, version]] { return place }
            places[[model, version]] = downloads.count
            downloads.append(Downloads(model: model, version: version))
            return downloads.count - 1
        }
        for rate in rates {
            let place = place(rate.model, rate.version)
            downloads[place].begun = rate.transfers
            downloads[place].completed = rate.completed
            downloads[place].bytesSent = rate.bytesSent
            downloads[place].bytesCovered = rate.bytesCovered
        }
        for answer in answers {
            let place = place(answer.model, answer.version)
            downloads[place].answers = answer.requests
            downloads[place].cut = answer.cut
            downloads[place].resumed = answer.resumed
        }
        return downloads
    }
}

extension VariantHealth {
    /// Reports that it did not work on a device.
    var failures: Int64 { loadFailed + specializationFailed + corrupt }
}
