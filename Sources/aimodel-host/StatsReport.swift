internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog

// What `stats` says to people.
extension Stats {
    func text(of period: Period) -> String {
        let time = "\(period.text), since \(Instant.text(unixMilliseconds: period.since))"
        var paragraphs: [String] = []
        if isEmpty {
            let what = scope.model.map { "nothing of \($0)" } ?? "nothing"
            paragraphs.append("\(what) was recorded in \(time)\n")
        } else {
            paragraphs.append((scope.model.map { "\($0) in " } ?? "") + time + "\n")
        }
        if !downloads.isEmpty { paragraphs.append("Downloads\n" + downloadTable) }
        if !adoption.isEmpty {
            paragraphs.append("Devices, by the version that each was last known to have\n" + adoptionTable)
        }
        if !health.isEmpty { paragraphs.append("Reports of devices, by variant\n" + healthTable) }
        let remarks = missingRemark + spanRemark + Losses.lines(dropped).map { $0 + "\n" }
        if !remarks.isEmpty { paragraphs.append(remarks.joined()) }
        return paragraphs.joined(separator: "\n")
    }

    private var downloadTable: String {
        var table = TextTable([
            ("MODEL", .left), ("VERSION", .left), ("BEGUN", .right), ("COMPLETED", .right), ("", .right),
            ("SENT", .right),
            ("ANSWERS", .right), ("CUT", .right), ("RESUMED", .right),
        ])
        for row in downloads {
            table.append([
                row.model, row.version, "\(row.begun)", "\(row.completed)", Self.percent(row.completed, of: row.begun),
                Self.size(row.bytesSent), "\(row.answers)", "\(row.cut)", "\(row.resumed)",
            ])
        }
        return table.text
    }

    private var adoptionTable: String {
        var table = TextTable([
            ("MODEL", .left), ("VERSION", .left), ("ARCHITECTURE", .left), ("DEVICES", .right), ("", .right),
            ("LAST HEARD OF", .left),
        ])
        var all: [String: Int64] = [:]
        for row in adoption { all[row.model, default: 0] += row.devices }
        for row in adoption {
            table.append([
                row.model, row.version, row.architecture ?? "(portable, or not told)", "\(row.devices)",
                Self.percent(row.devices, of: all[row.model] ?? 0), Instant.text(unixMilliseconds: row.last),
            ])
        }
        return table.text
    }

    private var healthTable: String {
        var table = TextTable([
            ("MODEL", .left), ("VERSION", .left), ("ASSET", .left), ("DEVICES", .right), ("LOADED", .right),
            ("FAILED", .right), ("", .right), ("COLD LOAD", .right), ("WHAT FAILED", .left),
        ])
        for row in health {
            let failed = row.failures
            let kinds = [
                ("load", row.loadFailed), ("specialization", row.specializationFailed), ("corrupt", row.corrupt),
                ("fallback used", row.fallbackUsed),
            ]
            table.append([
                row.model, row.version, row.asset, "\(row.devices)", "\(row.loaded)", "\(failed)",
                Self.percent(failed, of: failed + row.loaded),
                row.coldLoadAverage.map { "\(Int64($0.rounded())) ms" } ?? "-",
                kinds.filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", "),
            ])
        }
        return table.text
    }

    private var missingRemark: [String] {
        guard !missing.isEmpty else { return [] }
        let architectures = Set(missing.map(\.architecture)).count
        let asked = missing.reduce(0) { $0 + $1.asked }
        return [
            "in vain: \(asked) question\(asked == 1 ? "" : "s") for \(architectures) architecture"
                + "\(architectures == 1 ? "" : "s"); aimodel-host missing tells which\n"
        ]
    }

    /// Where the time is not that of which something is known.
    private var spanRemark: [String] {
        guard let begin = span.begin, let end = span.end else { return ["the ledger holds nothing yet\n"] }
        var remarks: [String] = []
        if begin > scope.since { remarks.append("the ledger begins at \(Instant.text(unixMilliseconds: begin))\n") }
        if end < scope.since { remarks.append("the ledger ends at \(Instant.text(unixMilliseconds: end))\n") }
        if !rolledUp.isEmpty {
            let begun = rolledUp.reduce(0) { $0 + $1.downloads }
            let completed = rolledUp.reduce(0) { $0 + $1.completed }
            let sent = rolledUp.reduce(0) { $0 + $1.bytesSent }
            let before = span.oldestTransfer.map { " before \(Instant.text(unixMilliseconds: $0).prefix(10))" } ?? ""
            remarks.append(
                "not in the table: \(begun) downloads begun, \(completed) completed, \(Self.size(sent)) sent on days"
                    + "\(before) of which only the sums are kept\n"
            )
        }
        return remarks
    }

    private static func size(_ octets: Int64) -> String { ByteCount.text(UInt64(clamping: octets)) }

    /// With one decimal, rounded down: 100 % is said of nothing less.
    private static func percent(_ part: Int64, of whole: Int64) -> String {
        guard whole > 0 else { return "-" }
        let permille = part * 1000 / whole
        return "\(permille / 10).\(permille % 10) %"
    }
}

// What `stats` says to programs.
extension Stats {
    var json: [(String, JSONValue)] {
        [
            ("model", .optional(scope.model)),
            ("since", .string(Instant.text(unixMilliseconds: scope.since))),
            ("ledgerBegins", .optional(span.begin.map { Instant.text(unixMilliseconds: $0) })),
            ("ledgerEnds", .optional(span.end.map { Instant.text(unixMilliseconds: $0) })),
            ("downloads", .array(downloads.map(json))),
            (
                "sumsOnly",
                .object([
                    ("begun", .int(rolledUp.reduce(0) { $0 + $1.downloads })),
                    ("completed", .int(rolledUp.reduce(0) { $0 + $1.completed })),
                    ("bytesSent", .int(rolledUp.reduce(0) { $0 + $1.bytesSent })),
                ])
            ),
            ("adoption", .array(adoption.map(json))),
            ("reports", .array(health.map(json))),
            (
                "missing",
                .object([
                    ("architectures", .count(Set(missing.map(\.architecture)).count)),
                    ("asked", .int(missing.reduce(0) { $0 + $1.asked })),
                ])
            ),
            ("dropped", Losses.json(dropped)),
        ]
    }

    private func json(_ row: Downloads) -> JSONValue {
        .object([
            ("model", .string(row.model)), ("version", .string(row.version)), ("begun", .int(row.begun)),
            ("completed", .int(row.completed)), ("bytesSent", .int(row.bytesSent)),
            ("bytesCovered", .int(row.bytesCovered)), ("answers", .int(row.answers)), ("cut", .int(row.cut)),
            ("resumed", .int(row.resumed)),
        ])
    }

    private func json(_ row: Adoption) -> JSONValue {
        .object([
            ("model", .string(row.model)), ("version", .string(row.version)),
            ("architecture", .optional(row.architecture)), ("devices", .int(row.devices)),
            ("last", .string(Instant.text(unixMilliseconds: row.last))),
        ])
    }

    private func json(_ row: VariantHealth) -> JSONValue {
        .object([
            ("model", .string(row.model)), ("version", .string(row.version)), ("asset", .string(row.asset)),
            ("architecture", .optional(row.architecture)), ("reports", .int(row.reports)),
            ("devices", .int(row.devices)), ("loaded", .int(row.loaded)), ("loadFailed", .int(row.loadFailed)),
            ("specializationFailed", .int(row.specializationFailed)), ("corrupt", .int(row.corrupt)),
            ("fallbackUsed", .int(row.fallbackUsed)), ("removed", .int(row.removed)),
            ("coldLoadMilliseconds", row.coldLoadAverage.map { .double($0) } ?? .null),
        ])
    }
}
