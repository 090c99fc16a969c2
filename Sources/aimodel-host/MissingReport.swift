internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog
internal import ModelStore

/// What `missing` says.
struct MissingReport {
    /// One variant, over the versions in which devices asked for it.
    private struct Variant {
        /// Of the newest of them.
        let fate: VariantFate
        /// Newest version first; at least one.
        var rows: [MissingVariant]

        var asked: Int64 { rows.reduce(0) { $0 + $1.asked } }

        var isMissing: Bool {
            if case .missing = fate { return true }
            return false
        }

        var source: CompileSource? {
            if case .missing(let source) = fate { return source }
            return nil
        }
    }

    /// What makes rows one variant. Versions before one that has it are settled, those after it may not be.
    private struct Key: Hashable {
        let model: String
        /// Octets: names that look the same may be two.
        let base: [UInt8]
        let architecture: String
        let publishedIn: Version?
        let isMissing: Bool
    }

    /// Rows that are looked at, most asked first: who asks for names at random must not make this endless.
    static let limit = 10_000

    /// What is missing, most asked first; then what is not any more.
    private let variants: [Variant]
    private let dropped: [DroppedRecords]
    private let isCut: Bool

    init(_ asked: [MissingVariant], _ dropped: [DroppedRecords], in search: VariantSearch) {
        var places: [Key: Int] = [:]
        var variants: [Variant] = []
        let rows = asked.map { (row: $0, version: Version($0.version)) }
            .sorted { one, other in
                guard let left = one.version, let right = other.version else { return one.version != nil }
                return left > right
            }
        for (row, version) in rows {
            let fate = Self.fate(of: row, version, in: search)
            let key = Self.key(row, fate)
            if let place = places[key] {
                variants[place].rows.append(row)
            } else {
                places[key] = variants.count
                variants.append(Variant(fate: fate, rows: [row]))
            }
        }
        let order = variants.indices.sorted { one, other in
            let (left, right) = (variants[one], variants[other])
            if left.isMissing != right.isMissing { return left.isMissing }
            return left.asked == right.asked ? one < other : left.asked > right.asked
        }
        self.variants = order.map { variants[$0] }
        self.dropped = dropped.filter { $0.kind == RecordKind.variantMiss.rawValue }
        isCut = asked.count >= Self.limit
    }

    var isAnythingMissing: Bool { variants.contains(where: \.isMissing) }

    private static func fate(of row: MissingVariant, _ version: Version?, in search: VariantSearch) -> VariantFate {
        // The server records names that it has parsed; what is none of these is of nothing that is published.
        guard let version, let model = ModelName(row.model), let architecture = Architecture(row.architecture) else {
            return .unpublished
        }
        return search.fate(of: row.base, for: architecture, since: version, of: model)
    }

    private static func key(_ row: MissingVariant, _ fate: VariantFate) -> Key {
        var publishedIn: Version?
        var isMissing = false
        switch fate {
        case .published(let version): publishedIn = version
        case .missing: isMissing = true
        case .unpublished: break
        }
        return Key(
            model: row.model,
            base: Array(row.base.utf8),
            architecture: row.architecture,
            publishedIn: publishedIn,
            isMissing: isMissing
        )
    }
}

extension MissingReport {
    // MARK: For people

    func text(of period: Period, model: String?) -> String {
        let time = "\(period.text), since \(Instant.text(unixMilliseconds: period.since))"
        let subject = model.map { " of \($0)" } ?? ""
        var text = ""
        if variants.isEmpty {
            text += "no device asked for a variant\(subject) that was not there in \(time)\n"
        } else if !isAnythingMissing {
            text += "nothing\(subject) is missing any more that was asked for in \(time)\n"
        } else {
            let count = variants.count { $0.isMissing }
            text += "\(count == 1 ? "1 variant" : "\(count) variants")\(subject) missing, asked for in \(time)\n"
        }
        for variant in variants { text += "\n" + Self.paragraph(variant) }
        if isCut || !dropped.isEmpty { text += "\n" }
        if isCut { text += "more was asked for; these are the \(Self.limit) that were most often\n" }
        return text + Losses.lines(dropped).map { $0 + "\n" }.joined()
    }

    private static func paragraph(_ variant: Variant) -> String {
        let row = variant.rows[0]
        let name = Output.printable("\(row.base).\(row.architecture).aimodelc, of \(row.model)", inLine: true)
        var text = "\(name): asked for \(times(variant.asked))"
        switch variant.fate {
        case .published(let version): text += "; not missing any more, \(version) has it"
        case .unpublished: text += "; nothing of the model is published any more"
        case .missing: break
        }
        text += "\n"
        for row in variant.rows {
            let portable =
                row.answeredPortable == 0 ? "" : ", answered with the portable form \(times(row.answeredPortable))"
            let devices = row.devices == 1 ? "1 device" : "\(row.devices) devices"
            text += Output.printable(
                "  \(row.version)  \(times(row.asked)) by \(devices)\(portable), last "
                    + Instant.text(unixMilliseconds: row.last),
                inLine: true
            )
            text += "\n"
        }
        guard variant.isMissing else { return text }
        guard let source = variant.source else {
            return text + "  no release has the portable form that it could be compiled from\n"
        }
        return text + "  in the release's folder of \(source.version):\n  \(source.line)\n"
    }

    private static func times(_ count: Int64) -> String { count == 1 ? "once" : "\(count) times" }

    // MARK: For programs

    var json: [(String, JSONValue)] {
        [("variants", .array(variants.map(Self.json))), ("cut", .bool(isCut)), ("dropped", Losses.json(dropped))]
    }

    private static func json(_ variant: Variant) -> JSONValue {
        let row = variant.rows[0]
        var publishedIn: Version?
        if case .published(let version) = variant.fate { publishedIn = version }
        return .object([
            ("model", .string(row.model)),
            ("base", .string(row.base)),
            ("architecture", .string(row.architecture)),
            ("asked", .int(variant.asked)),
            ("missing", .bool(variant.isMissing)),
            ("publishedIn", .optional(publishedIn?.text)),
            ("compileIn", .optional(variant.source?.version.text)),
            ("compile", .optional(variant.source?.line.text)),
            (
                "versions",
                .array(
                    variant.rows.map {
                        .object([
                            ("version", .string($0.version)),
                            ("asked", .int($0.asked)),
                            ("devices", .int($0.devices)),
                            ("answeredPortable", .int($0.answeredPortable)),
                            ("first", .string(Instant.text(unixMilliseconds: $0.first))),
                            ("last", .string(Instant.text(unixMilliseconds: $0.last))),
                        ])
                    }
                )
            ),
        ])
    }
}
