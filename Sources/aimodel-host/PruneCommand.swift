internal import HTTPWire
internal import ModelCatalog
internal import ModelStore

/// `prune`: removes old versions.
enum PruneCommand: Command {
    static let name = "prune"

    static let help = """
        Usage: aimodel-host prune MODEL --keep N [options]

        Removes old versions of a model, and gives their room back: files that other versions share stay. Never removed
        is a version that a channel points at, or would after a rollback, the latest one, or one that another points its
        devices to. Downloads under way end as they began.

        Options:
          --root DIR    the folder that holds Public/ and manifests/ (default: the working directory)
          --keep N      releases that stay, newest first; withdrawn ones are not counted. Prereleases that are newer
                        than the latest release are counted by themselves
          --dry-run     only say what would go, and how much room that gives
          --json        the same as JSON on standard output

        """

    static func run(_ arguments: [String]) throws {
        let arguments = try Arguments(arguments, options: ["root", "keep"], flags: ["dry-run", "json"])
        guard arguments.positional.count == 1 else { throw UsageError("prune takes a model") }
        guard let keep = try arguments.number("keep", in: 1...1_000_000) else { throw UsageError("prune needs --keep") }
        let model = try Names.model(arguments.positional[0])
        let pruner = try StorePruner(root: try arguments.root())
        let isRehearsal = arguments.has("dry-run")
        let plan = isRehearsal ? try pruner.plan(model, keep: keep) : try pruner.prune(model, keep: keep)
        if arguments.has("json") {
            return Output.json([
                ("model", .string(model.text)),
                ("dryRun", .bool(isRehearsal)),
                ("removed", .array(plan.removed.map { .string($0.text) })),
                (
                    "kept",
                    .array(
                        plan.kept.map {
                            .object([
                                ("version", .string($0.version.text)), ("reason", .string($0.reason.description)),
                            ])
                        }
                    )
                ),
                ("freedBytes", .int(Int64(clamping: plan.freed))),
            ])
        }
        for kept in plan.kept { Output.line("keep    \(kept.version)  \(kept.reason)") }
        for version in plan.removed { Output.line("\(isRehearsal ? "would remove" : "removed")  \(version)") }
        Output.line(
            plan.removed.isEmpty
                ? "nothing to remove"
                : "\(isRehearsal ? "would free" : "freed") \(ByteCount.text(plan.freed))"
        )
    }
}
