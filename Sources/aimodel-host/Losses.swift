internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog

/// What the server could not record.
enum Losses {
    /// A sentence for each kind and reason.
    static func lines(_ dropped: [DroppedRecords]) -> [String] {
        dropped.map { lost in
            let verdict = lost.reason == DropReason.sizeLimit.rawValue ? "made room for others" : "not recorded"
            let reason = Output.printable(lost.reason, inLine: true)
            let last = Instant.text(unixMilliseconds: lost.last)
            return "\(verdict): \(lost.count) \(name(lost)) (\(reason)), last \(last)"
        }
    }

    static func json(_ dropped: [DroppedRecords]) -> JSONValue {
        .array(
            dropped.map {
                .object([
                    ("kind", .string($0.kind)),
                    ("reason", .string($0.reason)),
                    ("count", .int($0.count)),
                    ("last", .string(Instant.text(unixMilliseconds: $0.last))),
                ])
            }
        )
    }

    /// What the count counts.
    private static func name(_ lost: DroppedRecords) -> String {
        switch RecordKind(rawValue: lost.kind) {
        case .download: "requests for files"
        case .transfer where lost.reason == DropReason.tooManyPieces.rawValue: "octets of transfers in too many pieces"
        case .transfer: "transfers"
        case .versionCheck: "version checks"
        case .variantMiss: "questions for missing variants"
        case .deviceReport: "reports of devices"
        case nil: Output.printable(lost.kind, inLine: true)
        }
    }
}
