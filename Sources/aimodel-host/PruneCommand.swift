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
        devices to; nor, unless forced, one that devices asked for within the last \(PruneGuard.days) days by the ledger
        that serve writes. Downloads under way end as they began.

        Options:
          --root DIR    the folder that holds Public/ and manifests/ (default: the working directory)
          --keep N      releases that stay, newest first; withdrawn ones are not counted. Prereleases that are newer
                        than the latest release are counted by themselves
        \(LedgerSource.help)
          --force       remove versions that devices still ask for, and do so though the ledger cannot be read
          --dry-run     only say what would go, and how much room that gives
          --json        the same as JSON on standard output

        Where there is no ledger in its usual place, nothing is known of who asks, and that is said. A ledger that was named
        and is not there, or that cannot be read, is a failure: nothing is removed.

        """

    static func run(_ arguments: [String]) throws {
        let arguments = try Arguments(
            arguments,
            options: ["root", "keep", "database"],
            flags: ["dry-run", "force", "json"]
        )
        guard arguments.positional.count == 1 else { throw UsageError("prune takes a model") }
        guard let keep = try arguments.number("keep", in: 1...1_000_000) else { throw UsageError("prune needs --keep") }
        let model = try Names.model(arguments.positional[0])
        let source = try LedgerSource(arguments)
        let pruner = try StorePruner(root: try arguments.root())
        let isForced = arguments.has("force")
        let known: PruneGuard
        do throws(LedgerFailure) {
            known = try PruneGuard(source, model, isForced: isForced)
        } catch {
            throw UnknownAskers(failure: error)
        }
        let protected = isForced ? [] : Set(known.asked.keys)
        let isRehearsal = arguments.has("dry-run")
        let plan =
            isRehearsal
            ? try pruner.plan(model, keep: keep, protecting: protected)
            : try pruner.prune(model, keep: keep, protecting: protected)
        for note in known.notes { Output.note(note) }
        show(plan, known, isRehearsal: isRehearsal, asJSON: arguments.has("json"))
    }

    private struct UnknownAskers: Error, CustomStringConvertible {
        let failure: LedgerFailure
        var description: String { "\(failure). Nothing was removed; --force removes without asking the ledger" }
    }

    private static func show(_ plan: PrunePlan, _ known: PruneGuard, isRehearsal: Bool, asJSON: Bool) {
        if asJSON {
            return Output.json([
                ("model", .string(plan.model.text)),
                ("dryRun", .bool(isRehearsal)),
                ("removed", .array(plan.removed.map { .string($0.text) })),
                ("kept", .array(plan.kept.map { json($0, known) })),
                (
                    "removedThoughAsked",
                    .array(plan.removed.compactMap { version in known.asked[version].map { json(version, $0) } })
                ),
                ("freedBytes", .int(Int64(clamping: plan.freed))),
                ("ledgerRead", .bool(known.isKnown)),
            ])
        }
        for kept in plan.kept {
            let asked = kept.reason == .protected ? known.asked[kept.version].map { ": \($0.text)" } ?? "" : ""
            Output.line("keep    \(kept.version)  \(kept.reason)\(asked)")
        }
        for version in plan.removed {
            let asked = known.asked[version].map { "  though devices still ask for it: \($0.text)" } ?? ""
            Output.line("\(isRehearsal ? "would remove" : "removed")  \(version)\(asked)")
        }
        Output.line(
            plan.removed.isEmpty
                ? "nothing to remove"
                : "\(isRehearsal ? "would free" : "freed") \(ByteCount.text(plan.freed))"
        )
    }

    private static func json(_ kept: KeptVersion, _ known: PruneGuard) -> JSONValue {
        var members = [("version", .string(kept.version.text)), ("reason", JSONValue.string(kept.reason.description))]
        if let asked = known.asked[kept.version] { members += Self.members(asked) }
        return .object(members)
    }

    private static func json(_ version: Version, _ asked: PruneGuard.Asked) -> JSONValue {
        .object([("version", .string(version.text))] + members(asked))
    }

    private static func members(_ asked: PruneGuard.Asked) -> [(String, JSONValue)] {
        [("asked", .int(asked.requests)), ("lastAsked", .string(Instant.text(unixMilliseconds: asked.last)))]
    }
}
