internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog

/// `stats`: what devices downloaded, and what came of it.
enum StatsCommand: Command {
    static let name = "stats"

    static let help = """
        Usage: aimodel-host stats [MODEL] [options]

        Sums up what the server recorded: downloads by version, how many were completed, cut and gone on with; which
        version devices have, by architecture; what they reported of each variant; and what could not be recorded.

        Options:
          --root DIR    the folder that holds Public/ and manifests/ (default: the working directory)
        \(LedgerSource.help)
          --since TIME  how far to look back: 30m, 12h, 7d (default: 7d)
          --json        the same as JSON

        BEGUN counts downloads of one asset by one device that began in that time, over however many requests they went;
        COMPLETED those of which every byte arrived, SENT what they took. ANSWERS are those with content, CUT the ones that
        ended early, RESUMED the ones that went on where another was cut. Times are UTC.

        Exit status: 0, also where nothing was recorded in that time; 1 there is no ledger, or it cannot be read.

        """

    static func run(_ arguments: [String]) throws {
        let arguments = try Arguments(arguments, options: ["root", "database", "since"], flags: ["json"])
        guard arguments.positional.count <= 1 else { throw UsageError("stats takes one model at most") }
        let model = try arguments.positional.first.map { text throws(UsageError) in try Names.model(text) }
        let period = try Period(arguments)
        let source = try LedgerSource(arguments)
        let stats = try source.ask { ledger throws(LedgerError) in
            try Stats(ledger, LedgerScope(model: model?.text, since: period.since, limit: Stats.limit))
        }
        if arguments.has("json") {
            Output.json(stats.json)
        } else {
            Output.text(stats.text(of: period))
        }
        if let model, stats.isEmpty,
            let meant = SpellingSuggestions.close(to: model.text, among: stats.others, limit: 1).first
        {
            Output.note("something was recorded of \(meant); did you mean that?")
        }
    }
}
