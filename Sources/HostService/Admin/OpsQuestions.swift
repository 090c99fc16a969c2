internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog
internal import ModelStore

/// What stands below `/api/`.
enum OpsResource: String, CaseIterable, Sendable {
    /// All that the ops page shows, in one answer.
    case overview
    case models, adoption, bandwidth, rates, stuck, health, missing, dropped, status
}

/// The questions of one request, asked and answered on the thread of its job.
struct OpsQuestions: ~Copyable {
    typealias Members = [(String, JSONValue)]

    let snapshot: CatalogSnapshot
    let manifests: ManifestCache
    let scope: OpsScope
    /// Unix milliseconds.
    let now: Int64
    private let ledger: OpsLedger
    private let isKept: Bool

    /// Rows of one answer, and the models that a list names.
    static let rowLimit = 1000
    static let hourLimit = 5000
    static let stuckLimit = 100
    /// Each is looked for in what is published, and anyone may ask for architectures that do not exist.
    static let missingLimit = 200
    static let modelLimit = 200
    /// Milliseconds without a request after which a download counts as stuck.
    static let stuckAfter: Int64 = 3_600_000

    /// - Parameter ledgerPath: nil where nothing is recorded.
    init(snapshot: CatalogSnapshot, manifests: ManifestCache, ledgerPath: String?, scope: OpsScope, now: Int64) {
        self.snapshot = snapshot
        self.manifests = manifests
        self.scope = scope
        self.now = now
        ledger = OpsLedger(path: ledgerPath)
        isKept = ledgerPath != nil
    }

    /// What frames every answer: when, and about what.
    var frame: Members {
        [
            ("at", OpsReport.moment(now)), ("since", OpsReport.moment(now - scope.period.milliseconds)),
            ("period", .string(scope.period.text)), ("model", .text(scope.model)), ("ledger", .bool(isKept)),
        ]
    }

    // MARK: What the ledger says

    func adoption() throws(OpsFailure) -> Members {
        let scope = scope.inLedger(at: now, limit: Self.rowLimit)
        let days = try ledger.rows { reader throws(LedgerError) in try reader.adoptionByDay(scope) }
        let current = try ledger.rows { reader throws(LedgerError) in try reader.adoption(scope) }
        return OpsReport.list(days, limit: Self.rowLimit) { OpsReport.json($0) } + [
            ("now", .array(current.prefix(Self.rowLimit).map { OpsReport.json($0) }))
        ]
    }

    func bandwidth() throws(OpsFailure) -> Members {
        let scope = scope.inLedger(at: now, limit: Self.hourLimit)
        let rows = try ledger.rows { reader throws(LedgerError) in try reader.bandwidthByHour(scope) }
        return OpsReport.list(rows, limit: Self.hourLimit) { OpsReport.json($0) }
    }

    func rates() throws(OpsFailure) -> Members {
        let scope = scope.inLedger(at: now, limit: Self.rowLimit)
        let completion = try ledger.rows { reader throws(LedgerError) in try reader.completionRates(scope) }
        let resumption = try ledger.rows { reader throws(LedgerError) in try reader.resumeRates(scope) }
        return OpsReport.list(OpsReport.rates(completion, resumption), limit: Self.rowLimit) { $0 }
    }

    func stuck() throws(OpsFailure) -> Members {
        let scope = scope.inLedger(at: now, limit: Self.stuckLimit)
        let idleSince = now - Self.stuckAfter
        let rows = try ledger.rows { reader throws(LedgerError) in
            try reader.stuckDownloads(scope, idleSince: idleSince)
        }
        return OpsReport.list(rows, limit: Self.stuckLimit) { OpsReport.json($0) }
    }

    func health() throws(OpsFailure) -> Members {
        OpsReport.list(try variantHealth(of: scope), limit: Self.rowLimit) { OpsReport.json($0) }
    }

    func missing() throws(OpsFailure) -> Members {
        let misses = try missingVariants(of: scope)
        return [
            ("rows", .array(wanted(misses).map(\.json))), ("more", .bool(misses.count > Self.missingLimit)),
        ]
    }

    /// The model does not count here: what is lost may have been about any.
    func dropped() throws(OpsFailure) -> Members {
        let scope = scope.inLedger(at: now, limit: Self.rowLimit)
        let rows = try ledger.rows { reader throws(LedgerError) in try reader.dropped(scope) }
        return OpsReport.list(rows, limit: Self.rowLimit) { OpsReport.json($0) }
    }

    // MARK: What is published

    /// Every model with what the ledger says of it, or the one that is asked for; without the ledger the numbers are
    /// null.
    func models() -> Members {
        let entries = snapshot.sortedNames.compactMap { snapshot.model($0) }
        let asked = scope.model.map { name in entries.filter { $0.name.text == name } } ?? entries
        var sums: ModelSums?
        var failure: OpsFailure?
        do throws(OpsFailure) {
            sums = isKept ? try modelSums() : nil
        } catch {
            failure = error
        }
        let rows = asked.prefix(Self.modelLimit).map { summary($0, sums) }
        return [
            ("rows", .array(rows)), ("omitted", .count(asked.count - rows.count)),
            ("ledgerProblem", .text(failure?.detail)),
        ]
    }

    private func modelSums() throws(OpsFailure) -> ModelSums {
        let completion = try modelRows { reader, scope throws(LedgerError) in try reader.completionRates(scope) }
        let bandwidth = try modelRows { reader, scope throws(LedgerError) in try reader.bandwidthByHour(scope) }
        return ModelSums(
            completion: completion,
            bandwidth: bandwidth,
            wanted: wanted(try missingVariants(of: scope)),
            health: try variantHealth(of: scope)
        )
    }

    /// Versions by architectures. Without the ledger nothing is known to be missing.
    func matrix(of entry: ModelEntry) -> Members {
        let misses = (try? missingVariants(of: OpsScope(model: entry.name.text, period: scope.period))) ?? []
        let manifests = manifests
        return ModelMatrix(entry, misses: misses) { try? manifests.load(entry.name, $0).get().manifest }.json
    }

    private func summary(_ entry: ModelEntry, _ sums: ModelSums?) -> JSONValue {
        let name = entry.name.text
        let channels = entry.channelNames.compactMap { name in
            entry.record.channels[name].map { channel in
                JSONValue.object([
                    ("name", .string(name.text)), ("version", .string(channel.version.text)),
                    ("share", .count(channel.share)),
                ])
            }
        }
        func sum(_ value: (ModelSums) -> [String: Int64]) -> JSONValue {
            sums.map { .int(value($0)[name] ?? 0) } ?? .null
        }
        return .object([
            ("model", .string(name)), ("latest", .text(entry.latest?.text)), ("channels", .array(channels)),
            ("versions", .count(entry.versions.count)), ("downloads", sum { $0.downloads }),
            ("completed", sum { $0.completed }), ("bytesSent", sum { $0.bytesSent }),
            ("missingAsked", sum { $0.missingAsked }), ("loadFailures", sum { $0.loadFailures }),
        ])
    }

    private func modelRows<Row>(
        _ question: (borrowing LedgerReader, LedgerScope) throws(LedgerError) -> [Row]
    ) throws(OpsFailure) -> [Row] {
        let scope = scope.inLedger(at: now, limit: Self.hourLimit)
        return try ledger.rows { reader throws(LedgerError) in try question(reader, scope) }
    }

    private func missingVariants(of scope: OpsScope) throws(OpsFailure) -> [MissingVariant] {
        let scope = scope.inLedger(at: now, limit: Self.missingLimit)
        return try ledger.rows { reader throws(LedgerError) in try reader.missingVariants(scope) }
    }

    private func variantHealth(of scope: OpsScope) throws(OpsFailure) -> [VariantHealth] {
        let scope = scope.inLedger(at: now, limit: Self.rowLimit)
        return try ledger.rows { reader throws(LedgerError) in try reader.variantHealth(scope) }
    }

    private func wanted(_ misses: [MissingVariant]) -> [WantedVariant] {
        let search = VariantSearch(snapshot, manifests)
        return misses.prefix(Self.missingLimit).map { WantedVariant($0, in: search) }
    }

}

/// What the ledger says of each model, summed over versions.
private struct ModelSums {
    private(set) var downloads: [String: Int64] = [:]
    private(set) var completed: [String: Int64] = [:]
    private(set) var bytesSent: [String: Int64] = [:]
    private(set) var missingAsked: [String: Int64] = [:]
    private(set) var loadFailures: [String: Int64] = [:]

    init(
        completion: [CompletionRate],
        bandwidth: [BandwidthOfHour],
        wanted: [WantedVariant],
        health: [VariantHealth]
    ) {
        for row in completion {
            downloads[row.model, default: 0] += row.transfers
            completed[row.model, default: 0] += row.completed
        }
        for row in bandwidth { bytesSent[row.model, default: 0] += row.bytesSent }
        for variant in wanted where variant.isMissing {
            missingAsked[variant.miss.model, default: 0] += variant.miss.asked
        }
        for row in health {
            loadFailures[row.model, default: 0] += row.loadFailed + row.specializationFailed + row.corrupt
        }
    }
}
