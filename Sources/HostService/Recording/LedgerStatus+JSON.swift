internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog

extension LedgerStatus {
    /// How the ledger fares, for operators. Moments as RFC 3339 writes them.
    var json: JSONValue {
        .object([
            ("isWritable", .bool(isWritable)),
            ("queuedRows", .count(queuedRows)),
            ("queueCapacity", .count(queueCapacity)),
            ("writtenRows", .count(writtenRows)),
            ("size", .count(databaseSize)),
            ("logSize", .count(logSize)),
            ("dropped", .array(losses)),
            ("lastFailure", lastFailure?.json ?? .null),
            ("damagedFile", .text(damagedFile)),
            ("timesBegunAnew", .count(timesBegunAnew)),
        ])
    }

    private var losses: [JSONValue] {
        dropped.sorted {
            ($0.key.kind.rawValue, $0.key.reason.rawValue) < ($1.key.kind.rawValue, $1.key.reason.rawValue)
        }
        .map { key, count in
            .object([
                ("kind", .string(key.kind.rawValue)),
                ("reason", .string(key.reason.rawValue)),
                ("count", .count(count)),
            ])
        }
    }
}

extension LedgerStatus.Failure {
    fileprivate var json: JSONValue {
        .object([
            ("reason", .string(reason.rawValue)),
            ("message", .string(message)),
            ("since", .text(Instant(unixSeconds: since / 1000)?.text)),
            ("until", .text(until.flatMap { Instant(unixSeconds: $0 / 1000)?.text })),
        ])
    }
}
