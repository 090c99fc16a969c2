/// What one transaction adds to `daily`.
struct DailyRollup {
    struct Counts: Equatable {
        /// Transfers begun.
        var downloads: UInt64 = 0
        /// Transfers completed.
        var completed: UInt64 = 0
        var bytesSent: UInt64 = 0
        var misses: UInt64 = 0
        /// Devices, or clients where the device is not known, that were not counted that day for that asset.
        var devices: UInt64 = 0
        var loadFailures: UInt64 = 0
    }

    struct Key: Hashable {
        let day: Int64
        let model: String
        let version: String
        /// Empty for companions.
        let asset: String
        /// Empty where there is none.
        let architecture: String

        var withoutArchitecture: Key {
            Key(day: day, model: model, version: version, asset: asset, architecture: "")
        }
    }

    /// Rows a day that anybody's questions may make, for assets that need not exist; the rest goes to one row. As many
    /// may reports of portable assets make; the rest goes to a row for each asset.
    static let openLimit = 4096

    private(set) var counts: [Key: Counts] = [:]
    private var openMisses: Set<Key> = []
    private var openReports: Set<Key> = []
    private var openDay: Int64 = .min

    mutating func add(_ row: AnswerRow, _ body: (inout Counts) -> Void) {
        let key = Key(
            day: UTCDay.number(row.endedMilliseconds),
            model: row.file.model,
            version: row.file.version,
            asset: row.file.asset ?? "",
            architecture: row.file.architecture ?? ""
        )
        body(&counts[key, default: Counts()])
    }

    mutating func add(_ miss: VariantMiss) {
        let key = Key(
            day: UTCDay.number(miss.at),
            model: StoredText.clean(miss.model),
            version: StoredText.clean(miss.version),
            asset: StoredText.clean("\(miss.base).\(miss.architecture).aimodelc"),
            architecture: StoredText.clean(miss.architecture)
        )
        let other = Key(day: key.day, model: "(other)", version: "", asset: "", architecture: "")
        counts[take(key, from: \.openMisses) ? key : other, default: Counts()].misses += 1
    }

    mutating func add(_ report: DeviceReport) {
        guard report.outcome.isFailure else { return }
        let key = Key(
            day: UTCDay.number(report.at),
            model: StoredText.clean(report.model),
            version: StoredText.clean(report.version),
            asset: StoredText.clean(report.asset),
            architecture: StoredText.clean(report.architecture ?? "")
        )
        // What a compiled asset is for is known; of a portable one a device says what it likes. Neither may be hidden by
        // what others ask in vain.
        let isPublished = key.asset.hasSuffix(".\(key.architecture).aimodelc")
        let place = isPublished || take(key, from: \.openReports) ? key : key.withoutArchitecture
        counts[place, default: Counts()].loadFailures += 1
    }

    /// Adds all to the table. Before the transaction is committed; then `clear`.
    func save(in file: LedgerFile) throws(SQLiteError) {
        let upsert = try file.statement(
            """
            INSERT INTO daily (day, model, version, asset, architecture, downloads, completed, bytes_sent, misses,
                devices, load_failures)
            VALUES (strftime('%Y-%m-%d', ?1, 'unixepoch'), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            ON CONFLICT (day, model, version, asset, architecture) DO UPDATE SET
                downloads = downloads + excluded.downloads, completed = completed + excluded.completed,
                bytes_sent = bytes_sent + excluded.bytes_sent, misses = misses + excluded.misses,
                devices = devices + excluded.devices, load_failures = load_failures + excluded.load_failures
            """
        )
        for (key, counts) in counts where counts != Counts() {
            try upsert.statement.bind(1, key.day * 86_400)
            try upsert.statement.bind(2, key.model)
            try upsert.statement.bind(3, key.version)
            try upsert.statement.bind(4, key.asset)
            try upsert.statement.bind(5, key.architecture)
            try upsert.statement.bind(6, counts.downloads)
            try upsert.statement.bind(7, counts.completed)
            try upsert.statement.bind(8, counts.bytesSent)
            try upsert.statement.bind(9, counts.misses)
            try upsert.statement.bind(10, counts.devices)
            try upsert.statement.bind(11, counts.loadFailures)
            try upsert.statement.run()
        }
    }

    mutating func clear() {
        counts.removeAll(keepingCapacity: true)
    }

    /// Whether a row that anybody's question asks for may be made, or is there already.
    private mutating func take(_ key: Key, from open: WritableKeyPath<Self, Set<Key>>) -> Bool {
        if key.day > openDay {
            openDay = key.day
            openMisses = []
            openReports = []
        }
        if self[keyPath: open].contains(key) { return true }
        guard self[keyPath: open].count < Self.openLimit else { return false }
        self[keyPath: open].insert(key)
        return true
    }
}
