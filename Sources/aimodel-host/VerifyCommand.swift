internal import Glibc
internal import HTTPWire
internal import ModelCatalog
internal import ModelStore

/// `verify`: reads every byte again and holds it against the manifests.
enum VerifyCommand: Command {
    static let name = "verify"

    static let help = """
        Usage: aimodel-host verify [MODEL [VERSION]] [options]

        Reads every published byte again, on all cores, and holds it against the manifests. Names each file that is
        damaged, missing, or surplus.

        Options:
          --root DIR    the folder that holds Public/ and manifests/ (default: the working directory)
          --json        findings as JSON on standard output

        Exit status: 0 all is as the manifests say; 1 findings stand.

        """

    static func run(_ arguments: [String]) throws {
        let arguments = try Arguments(arguments, options: ["root"], flags: ["json"])
        guard arguments.positional.count <= 2 else { throw UsageError("verify takes a model and a version at most") }
        let model = try arguments.positional.first.map { text throws(UsageError) in try Names.model(text) }
        let version = try arguments.positional.dropFirst().first.map { text throws(UsageError) in
            try Names.version(text)
        }
        let bar = ProgressBar("verifying")
        let report: VerifyReport
        do {
            report = try StoreVerifier(root: try arguments.root())
                .verify(model: model, version: version, progress: { bar.update(done: $0.done, total: $0.total) })
            bar.finish()
        } catch {
            bar.finish()
            throw error
        }
        show(report, asJSON: arguments.has("json"))
        if !report.findings.isEmpty { exit(Exit.failure) }
    }

    private static func show(_ report: VerifyReport, asJSON: Bool) {
        if asJSON {
            return Output.json([
                ("versions", .int(Int64(report.versions))),
                ("files", .int(Int64(report.files))),
                ("size", .int(Int64(clamping: report.size))),
                (
                    "findings",
                    .array(
                        report.findings.map {
                            .object([
                                ("path", .string($0.path)),
                                ("kind", .string($0.kind.rawValue)),
                                ("message", .string($0.message)),
                            ])
                        }
                    )
                ),
            ])
        }
        for finding in report.findings {
            Output.line("\(Terminal.redResult(finding.kind.rawValue))  \(finding.path)\n  \(finding.message)")
        }
        let looked = "\(report.versions) versions, \(report.files) files, \(ByteCount.text(report.size)) read"
        Output.line(report.findings.isEmpty ? "all is well: \(looked)" : "\(report.findings.count) findings: \(looked)")
    }
}
