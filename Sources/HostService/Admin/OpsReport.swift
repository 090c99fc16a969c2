internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog

/// Rows of the ledger as the administration's API writes them. Pure: what is asked and when is decided elsewhere.
enum OpsReport {
    /// `rows`, cut at `limit`, and whether there were more.
    static func list<Row>(_ rows: [Row], limit: Int, _ json: (Row) -> JSONValue) -> [(String, JSONValue)] {
        [("rows", .array(rows.prefix(limit).map(json))), ("more", .bool(rows.count > limit))]
    }

    /// Unix milliseconds as RFC 3339 writes them, in whole seconds.
    static func moment(_ milliseconds: Int64) -> JSONValue {
        .text(Instant(unixSeconds: milliseconds / 1000)?.text)
    }

    static func json(_ row: AdoptionOfDay) -> JSONValue {
        .object([
            ("day", .string(row.day)), ("model", .string(row.model)), ("version", .string(row.version)),
            ("devices", .int(row.devices)),
        ])
    }

    static func json(_ row: Adoption) -> JSONValue {
        .object([
            ("model", .string(row.model)), ("version", .string(row.version)), ("architecture", .text(row.architecture)),
            ("devices", .int(row.devices)), ("last", moment(row.last)),
        ])
    }

    static func json(_ row: BandwidthOfHour) -> JSONValue {
        .object([
            ("hour", moment(row.hour)), ("model", .string(row.model)), ("requests", .int(row.requests)),
            ("bytesSent", .int(row.bytesSent)),
        ])
    }

    static func json(_ row: StuckDownload) -> JSONValue {
        .object([
            ("model", .string(row.model)), ("version", .string(row.version)), ("asset", .string(row.asset)),
            ("architecture", .text(row.architecture)), ("device", .text(row.device)), ("firstAt", moment(row.first)),
            ("lastAt", moment(row.last)), ("requests", .int(row.requests)), ("bytesCovered", .int(row.bytesCovered)),
            ("bytesTotal", .int(row.bytesTotal)),
        ])
    }

    static func json(_ row: VariantHealth) -> JSONValue {
        .object([
            ("model", .string(row.model)), ("version", .string(row.version)), ("asset", .string(row.asset)),
            ("architecture", .text(row.architecture)), ("reports", .int(row.reports)), ("devices", .int(row.devices)),
            ("loaded", .int(row.loaded)), ("loadFailed", .int(row.loadFailed)),
            ("specializationFailed", .int(row.specializationFailed)), ("corrupt", .int(row.corrupt)),
            ("fallbackUsed", .int(row.fallbackUsed)), ("removed", .int(row.removed)),
            ("coldLoadMilliseconds", row.coldLoadAverage.map { .int(Int64($0.rounded())) } ?? .null),
        ])
    }

    static func json(_ row: DroppedRecords) -> JSONValue {
        .object([
            ("kind", .string(row.kind)), ("reason", .string(row.reason)), ("count", .int(row.count)),
            ("lastAt", moment(row.last)),
        ])
    }

    /// How downloads of each version ended and how answers were cut, joined: most downloads first.
    static func rates(_ completion: [CompletionRate], _ resumption: [ResumeRate]) -> [JSONValue] {
        struct Key: Hashable { let model, version: String }
        let cuts = Dictionary(
            resumption.map { (Key(model: $0.model, version: $0.version), $0) },
            uniquingKeysWith: { $1 }
        )
        let begun = Set(completion.map { Key(model: $0.model, version: $0.version) })
        let whole = completion.map { row in
            rate(row, cuts[Key(model: row.model, version: row.version)], model: row.model, version: row.version)
        }
        // Answers within the scope whose downloads began before it.
        let rest = resumption.filter { !begun.contains(Key(model: $0.model, version: $0.version)) }
        return whole + rest.map { rate(nil, $0, model: $0.model, version: $0.version) }
    }

    private static func rate(
        _ completion: CompletionRate?,
        _ resumption: ResumeRate?,
        model: String,
        version: String
    ) -> JSONValue {
        .object([
            ("model", .string(model)), ("version", .string(version)), ("transfers", .int(completion?.transfers ?? 0)),
            ("completed", .int(completion?.completed ?? 0)), ("bytesSent", .int(completion?.bytesSent ?? 0)),
            ("bytesCovered", .int(completion?.bytesCovered ?? 0)), ("answers", .int(resumption?.requests ?? 0)),
            ("cut", .int(resumption?.cut ?? 0)), ("resumed", .int(resumption?.resumed ?? 0)),
        ])
    }
}

extension ModelMatrix {
    var json: [(String, JSONValue)] {
        [
            ("architectures", .array(architectures.map { .string($0.text) })),
            ("architecturesOmitted", .count(architecturesOmitted)),
            ("versions", .array(rows.map { Self.json($0) })),
            ("versionsOmitted", .count(versionsOmitted)),
        ]
    }

    private static func json(_ row: Row) -> JSONValue {
        .object([
            ("version", .string(row.version.text)),
            ("createdAt", .text(row.manifest?.createdAt.text)),
            ("size", row.manifest.map { .size($0.size) } ?? .null),
            ("minDeploymentVersion", .text(row.manifest?.minDeploymentVersion?.text)),
            (
                "channels",
                .array(
                    row.channels.map { .object([("name", .string($0.name.text)), ("share", .count($0.share))]) }
                )
            ),
            ("withdrawn", row.withdrawal.map { json($0) } ?? .null),
            ("problem", row.manifest == nil ? .string(ProblemCode.assetDamaged.rawValue) : .null),
            ("cells", .array(row.cells.map { json($0) })),
        ])
    }

    private static func json(_ cell: Cell) -> JSONValue {
        .object([
            ("architecture", .string(cell.architecture.text)), ("state", .string(cell.state.rawValue)),
            ("asked", .int(cell.asked)), ("devices", .int(cell.devices)),
            ("withdrawn", cell.withdrawal.map { json($0) } ?? .null),
        ])
    }

    private static func json(_ withdrawal: Withdrawal) -> JSONValue {
        .object([
            ("reason", .string(withdrawal.reason)), ("replacement", .text(withdrawal.replacement?.text)),
            ("at", .string(withdrawal.at)),
        ])
    }
}
