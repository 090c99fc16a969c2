internal import Glibc
internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog
internal import ModelStore

/// `missing`: the architectures that a build forgot.
enum MissingCommand: Command {
    static let name = "missing"

    static let help = """
        Usage: aimodel-host missing [MODEL] [options]

        Lists the architectures that devices asked for and did not get, most asked first, each with the line that compiles
        what is missing. Run it in the folder of the release that it is of, and publish that as a new version: what is
        published never changes. What a version has by now that devices are given instead is named as such, without a line.

        Options:
          --root DIR    the folder that holds Public/ and manifests/ (default: the working directory)
        \(LedgerSource.help)
          --since TIME  how far to look back: 30m, 12h, 7d (default: 7d)
          --json        the same as JSON

        Exit status: 0 nothing is missing; 1 something is, or it cannot be told.

        """

    static func run(_ arguments: [String]) throws {
        let arguments = try Arguments(arguments, options: ["root", "database", "since"], flags: ["json"])
        guard arguments.positional.count <= 1 else { throw UsageError("missing takes one model at most") }
        let model = try arguments.positional.first.map { text throws(UsageError) in try Names.model(text) }
        let period = try Period(arguments)
        let source = try LedgerSource(arguments)
        let scope = LedgerScope(model: model?.text, since: period.since, limit: MissingReport.limit)
        let (asked, dropped) = try source.ask { ledger throws(LedgerError) in
            (try ledger.missingVariants(scope), try ledger.dropped(scope))
        }
        let store = try PublishedStore(root: try arguments.root())
        try store.requireAnything()
        if let model, asked.isEmpty { _ = try store.entry(model.text) }
        let report = MissingReport(asked, dropped, in: VariantSearch(store.snapshot, store.manifests))
        if arguments.has("json") {
            Output.json([("since", .string(Instant.text(unixMilliseconds: period.since)))] + report.json)
        } else {
            Output.text(report.text(of: period, model: model?.text))
        }
        if report.isAnythingMissing { exit(Exit.failure) }
    }
}
