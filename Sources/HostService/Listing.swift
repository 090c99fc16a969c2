internal import HTTPWire
internal import HostSystem
internal import ModelCatalog
internal import ModelStore

/// Listings as JSON, for programs.
enum Listing {
    struct VersionRow {
        let version: Version
        /// nil where the manifest cannot be used.
        let summary: VersionSummary?
    }

    static func models(_ entries: [ModelEntry]) -> Document {
        let rows = entries.map { entry in
            JSONValue.object([
                ("name", .string(entry.name.text)),
                ("latest", .text(entry.latest?.text)),
                ("newest", .text(entry.versions.first?.version.text)),
                ("channels", channels(of: entry)),
                ("url", .string(String(PublishedPath.model(entry.name).dropLast()))),
            ])
        }
        return document(.object([("models", .array(rows))]))
    }

    static func versions(_ rows: [VersionRow], of entry: ModelEntry) -> Document {
        let versions = rows.map { row in version(row, of: entry) }
        return document(
            .object([
                ("model", .string(entry.name.text)),
                ("latest", .text(entry.latest?.text)),
                ("channels", channels(of: entry)),
                ("versions", .array(versions)),
            ])
        )
    }

    private static func version(_ row: VersionRow, of entry: ModelEntry) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("version", .string(row.version.text)),
            ("url", .string(String(PublishedPath(entry.name, row.version).folder.dropLast()))),
        ]
        if let summary = row.summary {
            members += [
                ("createdAt", .string(summary.createdAt.text)),
                ("size", .size(summary.size)),
                ("minDeploymentVersion", .text(summary.minDeploymentVersion?.text)),
                ("architectures", .array(summary.architectures.map { .string($0.text) })),
            ]
        } else {
            members.append(("problem", .string(ProblemCode.assetDamaged.rawValue)))
        }
        if let withdrawal = entry.withdrawal(of: row.version) {
            members += [
                ("withdrawn", .bool(true)),
                ("reason", .string(withdrawal.reason)),
                ("replacement", .text(withdrawal.replacement?.text)),
            ]
        } else {
            members.append(("withdrawn", .bool(false)))
        }
        let architectures = (row.summary?.architectures ?? []).filter {
            entry.withdrawal(of: row.version, architecture: $0) != nil
        }
        members.append(("withdrawnArchitectures", .array(architectures.map { .string($0.text) })))
        return .object(members)
    }

    private static func channels(of entry: ModelEntry) -> JSONValue {
        .object(
            entry.record.channels.sorted { $0.key < $1.key }.map { name, channel in
                (
                    name.text,
                    .object([
                        ("version", .string(channel.version.text)),
                        ("share", .int(Int64(channel.share))),
                    ])
                )
            }
        )
    }

    static func folder(_ path: String, _ entries: [FolderEntry], of manifest: Manifest) -> Document {
        let base = PublishedPath(manifest)
        let rows = entries.map { entry in
            let url = JSONValue.string(base.path(path.isEmpty ? entry.name : "\(path)/\(entry.name)"))
            switch entry.kind {
            case .file(let file):
                return JSONValue.object([
                    ("name", .string(entry.name)),
                    ("kind", .string("file")),
                    ("size", .size(file.size)),
                    ("digest", .string(file.digest.prefixed)),
                    ("url", url),
                ])
            case .folder(let count, let size):
                return JSONValue.object([
                    ("name", .string(entry.name)),
                    ("kind", .string(AssetName(entry.name) != nil && path.isEmpty ? "asset" : "folder")),
                    ("size", .size(size)),
                    ("fileCount", .int(Int64(count))),
                    ("url", url),
                ])
            }
        }
        var members: [(String, JSONValue)] = [
            ("model", .string(manifest.model.text)),
            ("version", .string(manifest.version.text)),
            ("path", .string(path)),
            ("entries", .array(rows)),
        ]
        if path.isEmpty {
            members += [
                ("createdAt", .string(manifest.createdAt.text)),
                ("minDeploymentVersion", .text(manifest.minDeploymentVersion?.text)),
                ("size", .size(manifest.size)),
                ("manifest", .string(base.manifest)),
            ]
        }
        return document(.object(members))
    }

    /// An asset's entry of the manifest.
    static func asset(_ asset: Asset, of manifest: Manifest) -> Document {
        let base = PublishedPath(manifest)
        let files = asset.files.map { file in
            JSONValue.object([
                ("path", .string(file.path.text)),
                ("size", .size(file.size)),
                ("digest", .string(file.digest.prefixed)),
                ("url", .string(base.path("\(asset.name.text)/\(file.path.text)"))),
            ])
        }
        return document(
            .object([
                ("model", .string(manifest.model.text)),
                ("version", .string(manifest.version.text)),
                ("name", .string(asset.name.text)),
                ("base", .string(asset.name.base)),
                ("kind", .string(asset.kindText)),
                ("architecture", .text(asset.architecture?.text)),
                ("size", .size(asset.size)),
                ("fileCount", .int(Int64(asset.fileCount))),
                ("requiredFreeBytes", .size(asset.requiredFreeBytes)),
                ("digest", .string(asset.digest.prefixed)),
                ("archive", asset.archiveEntry),
                ("compile", asset.compileEntry),
                ("files", .array(files)),
            ])
        )
    }

    private static func document(_ value: JSONValue) -> Document {
        listed(value.encode(), mediaType: "application/json")
    }

    /// A listing may change with the next publication, so it is validated each time.
    static func listed(_ body: [UInt8], mediaType: String) -> Document {
        let digest = SHA256.digest(of: body)
        let hex = ContentDigest(bytes: digest)?.hex ?? ""
        return Document(
            mediaType: mediaType,
            body: body,
            cacheControl: "no-cache",
            etag: Array("\"\(hex)\"".utf8),
            isNegotiated: true
        )
    }
}

extension Asset {
    var kindText: String {
        switch name.kind {
        case .compiled: "compiled"
        case .portable: "portable"
        }
    }

    /// The archive as the manifest describes it.
    var archiveEntry: JSONValue {
        .object([
            ("name", .string(archive.name)),
            ("size", .size(archive.size)),
            ("digest", .string(archive.digest.prefixed)),
        ])
    }

    /// What the compiler was told, so that an app specializes with the same options; null where nobody said.
    var compileEntry: JSONValue {
        guard let compile else { return .null }
        return .object([
            ("platform", .text(compile.platform)),
            ("preferredCompute", .text(compile.preferredCompute)),
            ("expectFrequentReshapes", compile.expectFrequentReshapes.map { .bool($0) } ?? .null),
        ])
    }
}
