internal import HTTPWire
internal import ModelCatalog
internal import ModelStore

/// A model as `list` shows it.
struct PublishedModel {
    struct Row {
        let version: Version
        /// nil where the manifest cannot be used.
        let summary: VersionSummary?
        let sizes: VersionSizes?
        /// Those that lead here, with the percentage of devices.
        let channels: [(name: ChannelName, share: Int)]
        let withdrawal: Withdrawal?
    }

    let entry: ModelEntry
    let rows: [Row]

    init(_ entry: ModelEntry, _ manifests: ManifestCache, _ sizes: StoredSizes) throws {
        self.entry = entry
        rows = try entry.versions.compactMap { published in
            let loaded = manifests.summary(entry.name, published)
            // Pruned since the folder was read.
            if case .failure(.missing) = loaded { return nil }
            var channels = entry.record.channels.filter { $0.value.version == published.version }
                .map { (name: $0.key, share: $0.value.share) }
                .sorted { $0.name < $1.name }
            if entry.latest == published.version { channels.append((.latest, 100)) }
            let summary = try? loaded.get()
            return Row(
                version: published.version,
                summary: summary,
                sizes: try summary.map { try sizes.sizes(of: published.version, of: entry.name, apparent: $0.size) },
                channels: channels,
                withdrawal: entry.withdrawal(of: published.version)
            )
        }
    }

    /// Channels that point at a version that is not there.
    var leadingNowhere: [(ChannelName, Version)] {
        entry.record.channels.map { ($0.key, $0.value.version) }
            .filter { entry.version($0.1) == nil }
            .sorted { $0.0 < $1.0 }
    }

    var json: JSONValue {
        .object([
            ("model", .string(entry.name.text)),
            ("latest", entry.latest.map { .string($0.text) } ?? .null),
            ("versions", .array(rows.map { Self.json($0) })),
        ])
    }

    private static func json(_ row: Row) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("version", .string(row.version.text)),
            ("createdAt", row.summary.map { .string($0.createdAt.text) } ?? .null),
            ("size", row.summary.map { .int(Int64(clamping: $0.size)) } ?? .null),
            ("storedSize", row.sizes.map { .int(Int64(clamping: $0.stored)) } ?? .null),
            ("architectures", .array((row.summary?.architectures ?? []).map { .string($0.text) })),
            (
                "channels",
                .array(
                    row.channels.map {
                        .object([("name", .string($0.name.text)), ("share", .int(Int64($0.share)))])
                    }
                )
            ),
            ("withdrawn", .bool(row.withdrawal != nil)),
        ]
        if row.summary == nil { members.append(("problem", .string(ProblemCode.assetDamaged.rawValue))) }
        return .object(members)
    }
}
