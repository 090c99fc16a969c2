internal import ModelCatalog
internal import ModelStore

/// `promote`: points a channel at a version.
enum PromoteCommand: Command {
    static let name = "promote"

    static let help = """
        Usage: aimodel-host promote MODEL VERSION --channel C [options]

        Points a channel at a published version, for all devices or for a stable share of them. A running server
        follows within a second.

        Options:
          --root DIR    the folder that holds Public/ and manifests/ (default: the working directory)
          --channel C   the channel, such as stable; it is made if there is none of that name
          --percent N   the share of devices that get the version, 1 to 100 (default: 100). A device stays in as the
                        share grows; one that does not say which it is gets the version before until 100
          --json        the channel as it is now, as JSON on standard output

        """

    static func run(_ arguments: [String]) throws {
        let arguments = try Arguments(arguments, options: ["root", "channel", "percent"], flags: ["json"])
        guard arguments.positional.count == 2 else { throw UsageError("promote takes a model and a version") }
        guard let channel = try arguments.one("channel") else { throw UsageError("promote needs --channel") }
        let name = try Names.channel(channel)
        let model = try Names.model(arguments.positional[0])
        let version = try Names.version(arguments.positional[1])
        let percent = try arguments.number("percent", in: 1...100) ?? 100
        let change = try RecordEditor(root: try arguments.root())
            .promote(model, version, to: name, percent: percent, at: .now())
        RecordReport(change).show(model, name, asJSON: arguments.has("json"))
    }
}

/// `rollback`: points a channel back at what it pointed at before.
enum RollbackCommand: Command {
    static let name = "rollback"

    static let help = """
        Usage: aimodel-host rollback MODEL --channel C [options]

        Points a channel back at what it pointed at before, for all devices; again, it goes further back. What was
        withdrawn or pruned meanwhile is passed over.

        Options:
          --root DIR    the folder that holds Public/ and manifests/ (default: the working directory)
          --channel C   the channel
          --json        the channel as it is now, as JSON on standard output

        """

    static func run(_ arguments: [String]) throws {
        let arguments = try Arguments(arguments, options: ["root", "channel"], flags: ["json"])
        guard arguments.positional.count == 1 else { throw UsageError("rollback takes a model") }
        guard let channel = try arguments.one("channel") else { throw UsageError("rollback needs --channel") }
        let name = try Names.channel(channel)
        let model = try Names.model(arguments.positional[0])
        let change = try RecordEditor(root: try arguments.root()).rollBack(model, channel: name)
        RecordReport(change).show(model, name, asJSON: arguments.has("json"))
    }
}
