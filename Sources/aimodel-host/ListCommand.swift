internal import HTTPWire
internal import ModelCatalog
internal import ModelStore

/// `list`: what is published.
enum ListCommand: Command {
    static let name = "list"

    static let help = """
        Usage: aimodel-host list [MODEL] [options]

        Lists what is published: each version with its date, its size as devices see it, what it takes on the disk (files
        of one content are stored once, within a version and across versions), its architectures and channels.

        Options:
          --root DIR    the folder that holds Public/ and manifests/ (default: the working directory)
          --json        the same as JSON

        A version whose manifest cannot be used is named on standard error, and the exit status is 1.

        """

    static func run(_ arguments: [String]) throws {
        let arguments = try Arguments(arguments, options: ["root"], flags: ["json"])
        guard arguments.positional.count <= 1 else { throw UsageError("list takes one model at most") }
        let root = try arguments.root()
        let store = try PublishedStore(root: root)
        var entries = store.snapshot.sortedNames.compactMap { store.snapshot.model($0) }
        if let name = arguments.positional.first { entries = [try store.entry(name)] }
        let sizes = try StoredSizes(root: root)
        let models = try entries.map { try PublishedModel($0, store.manifests, sizes) }
        if arguments.has("json") {
            let value = JSONValue.object([("models", .array(models.map(\.json)))])
            Output.line(String(decoding: value.encode(), as: UTF8.self))
        } else {
            Output.text(models.isEmpty ? "nothing is published\n" : PublishedModel.table(of: models))
            let versions = models.flatMap { model in model.rows.map { (model: model.entry.name, version: $0.version) } }
            if versions.count > 1 {
                let apparent = models.flatMap(\.rows).reduce(0 as UInt64) { $0 + ($1.summary?.size ?? 0) }
                let stored = try sizes.stored(versions)
                Output.line(
                    "\(versions.count) versions, \(ByteCount.text(apparent)), stored in \(ByteCount.text(stored))"
                )
            }
        }
        for model in models {
            for (channel, version) in model.leadingNowhere {
                Output.errorText(
                    "\(Terminal.yellow("finding:")) channel \(channel) of \(model.entry.name) points at \(version), which is "
                        + "not published; promote another version\n"
                )
            }
        }
        try store.requireAnything()
        let unusable = models.flatMap(\.rows).count { $0.summary == nil }
        guard unusable == 0 else { throw UnusableManifests(count: unusable) }
    }

    private struct UnusableManifests: Error, CustomStringConvertible {
        let count: Int

        var description: String {
            "\(count) manifest\(count == 1 ? "" : "s") cannot be used, as said above; restore from a copy, or remove"
        }
    }
}

extension PublishedModel {
    /// What `list` says of models.
    fileprivate static func table(of models: [PublishedModel]) -> String {
        var table = TextTable(["MODEL", "VERSION", "DATE", "SIZE", "STORED", "ARCHITECTURES", "CHANNELS"])
        for model in models {
            for row in model.rows {
                var architectures = (row.summary?.architectures ?? []).map(\.text).joined(separator: " ")
                if row.summary == nil { architectures = "(its manifest cannot be used)" }
                table.append([
                    model.entry.name.text,
                    row.version.text,
                    String(row.summary?.createdAt.text.prefix(10) ?? "-"),
                    row.summary.map { ByteCount.text($0.size) } ?? "-",
                    row.sizes.map { ByteCount.text($0.stored) } ?? "-",
                    architectures.isEmpty ? "portable only" : architectures,
                    row.withdrawal != nil
                        ? "withdrawn"
                        : row.channels.map { $0.share < 100 ? "\($0.name) (\($0.share) %)" : $0.name.text }
                            .joined(separator: " "),
                ])
            }
        }
        return table.text
    }
}
