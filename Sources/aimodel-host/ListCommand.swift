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
        let findings = CatalogFindings(onFinding: { Output.errorText("\(Terminal.yellow("finding:")) \($0)\n") })
        let root = try arguments.root()
        let store = try StoreFolder(root: root)
        let snapshot = try CatalogScanner(store: store, findings: findings).scan()
        let manifests = ManifestCache(store: store, findings: findings)

        var entries = snapshot.sortedNames.compactMap { snapshot.model($0) }
        if let name = arguments.positional.first {
            guard let entry = snapshot.model(name) else { throw UnknownModel(name: name, known: snapshot.sortedNames) }
            entries = [entry]
        }
        let sizes = try StoredSizes(root: root)
        let models = try entries.map { try PublishedModel($0, manifests, sizes) }
        if arguments.has("json") {
            let value = JSONValue.object([("models", .array(models.map(\.json)))])
            Output.line(String(decoding: value.encode(), as: UTF8.self))
        } else {
            Output.text(models.isEmpty ? "nothing is published\n" : Table.text(of: models))
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
        // Perhaps the wrong folder: "nothing" must not look like an answer then.
        if models.isEmpty, findings.count > 0 { throw NothingFound(root: root) }
        let unusable = models.flatMap(\.rows).count { $0.summary == nil }
        guard unusable == 0 else { throw UnusableManifests(count: unusable) }
    }

    private struct UnknownModel: Error, CustomStringConvertible {
        let name: String
        let known: [String]

        var description: String {
            let close = SpellingSuggestions.close(to: name, among: known, limit: 1).first
            return "no model \(name) is published" + (close.map { "; did you mean \($0)?" } ?? "")
        }
    }

    private struct NothingFound: Error, CustomStringConvertible {
        let root: String
        var description: String {
            "nothing is published below \(root), and what was found is named above; is it the folder?"
        }
    }

    private struct UnusableManifests: Error, CustomStringConvertible {
        let count: Int

        var description: String {
            "\(count) manifest\(count == 1 ? "" : "s") cannot be used, as said above; restore from a copy, or remove"
        }
    }
}

/// Columns of text.
private enum Table {
    static func text(of models: [PublishedModel]) -> String {
        var lines = [["MODEL", "VERSION", "DATE", "SIZE", "STORED", "ARCHITECTURES", "CHANNELS"]]
        for model in models {
            for row in model.rows {
                var architectures = (row.summary?.architectures ?? []).map(\.text).joined(separator: " ")
                if row.summary == nil { architectures = "(its manifest cannot be used)" }
                lines.append([
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
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            var text = ""
            for (column, cell) in line.enumerated() {
                text += cell
                if column < line.count - 1 {
                    text += String(repeating: " ", count: widths[column] - cell.count + 2)
                }
            }
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }
        .joined()
    }
}
