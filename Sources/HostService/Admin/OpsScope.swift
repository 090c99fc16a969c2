internal import HTTPWire
internal import HostTelemetry

/// How far back a question goes: whole hours, from 1 to 90 days of them.
struct OpsPeriod: Hashable, Sendable {
    let hours: Int64

    static let standard = OpsPeriod(hours: 7 * 24)
    private static let longest: Int64 = 90 * 24

    private init(hours: Int64) {
        self.hours = hours
    }

    /// Reads `36h` or `7d`.
    ///
    /// - Returns: nil for anything else, and for what is shorter than `1h` or longer than `90d`.
    init?(_ text: String) {
        let digits = text.utf8.dropLast()
        guard let unit = text.utf8.last, !digits.isEmpty, digits.count <= 4,
            digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let number = Int64(String(decoding: digits, as: UTF8.self))
        else { return nil }
        switch unit {
        case UInt8(ascii: "h"): hours = number
        case UInt8(ascii: "d"): hours = number * 24
        default: return nil
        }
        guard 1...Self.longest ~= hours else { return nil }
    }

    var milliseconds: Int64 { hours * 3_600_000 }

    /// As it would be asked for.
    var text: String { hours.isMultiple(of: 24) ? "\(hours / 24)d" : "\(hours)h" }
}

/// What a question of the administration's API is limited to: `?model=Sam3&since=7d`.
struct OpsScope: Hashable, Sendable {
    /// nil asks about all models.
    var model: String?
    var period = OpsPeriod.standard

    init(model: String? = nil, period: OpsPeriod = .standard) {
        self.model = model
        self.period = period
    }

    init(_ query: QueryParameters, at instance: String) throws(Problem) {
        let since: String?
        do throws(MalformedParameter) {
            model = try query.value("model")
            since = try query.value("since")
        } catch {
            throw .invalidParameter(error.name, error.description, at: instance)
        }
        guard let since else { return }
        guard let period = OpsPeriod(since) else {
            throw .invalidParameter("since", "since is a time span from 1h to 90d, such as 12h or 7d.", at: instance)
        }
        self.period = period
    }

    /// The same for the ledger, as of `now` (Unix milliseconds). A row more than `limit` tells that there are more.
    func inLedger(at now: Int64, limit: Int) -> LedgerScope {
        LedgerScope(model: model, since: now - period.milliseconds, limit: limit + 1)
    }
}
