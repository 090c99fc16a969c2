internal import ModelCatalog
internal import ModelStore

/// `withdraw`: takes back a version, or one architecture of it.
enum WithdrawCommand: Command {
    static let name = "withdraw"

    static let help = """
        Usage: aimodel-host withdraw MODEL VERSION --reason TEXT [options]

        Takes back a version: from now on it answers 410 with the reason and the replacement. With --arch only the
        variant for one architecture is taken back, and its devices get the portable asset. The bytes stay until the
        version is pruned; downloads under way end as they began.

        Options:
          --root DIR        the folder that holds Public/ and manifests/ (default: the working directory)
          --arch A          only the variant for this architecture, such as h18p
          --reason TEXT     why, for the people who read the refusal
          --replacement V   the version to take instead
          --json            what was withdrawn, as JSON on standard output

        """

    static func run(_ arguments: [String]) throws {
        let arguments = try Arguments(arguments, options: ["root", "arch", "reason", "replacement"], flags: ["json"])
        guard arguments.positional.count == 2 else { throw UsageError("withdraw takes a model and a version") }
        guard let reason = try arguments.one("reason") else { throw UsageError("withdraw needs --reason") }
        let model = try Names.model(arguments.positional[0])
        let version = try Names.version(arguments.positional[1])
        let architecture = try arguments.one("arch").map { text throws(UsageError) in try Names.architecture(text) }
        let replacement = try arguments.one("replacement").map { text throws(UsageError) in try Names.version(text) }
        let change = try RecordEditor(root: try arguments.root()).withdraw(
            model,
            version,
            architecture: architecture,
            reason: reason,
            replacement: replacement,
            at: .now()
        )
        RecordReport(change).show(model, version, architecture, asJSON: arguments.has("json"))
    }
}
