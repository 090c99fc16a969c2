internal import HTTPWire
internal import ModelCatalog
internal import ModelStore

/// Findings and outcome of a publication, for people or programs.
struct PublishReport {
    private var shown: [PublishFinding] = []
    private let asJSON: Bool

    init(asJSON: Bool) {
        self.asJSON = asJSON
    }

    private var errors: Int { shown.count { $0.isError } }
    private var warnings: Int { shown.count { !$0.isError } }

    /// One readable list on standard error; as JSON the findings go with the outcome.
    mutating func show(_ findings: [PublishFinding]) {
        shown += findings
        guard !asJSON else { return }
        for finding in findings {
            let weight = finding.isError ? Terminal.red("error") : Terminal.yellow("warning")
            Output.errorText(
                "\(weight)  \(Terminal.bold(finding.id.rawValue))  \(finding.path)\n    \(finding.message)\n"
            )
        }
    }

    func showRefusal() {
        if asJSON { return Output.json([("outcome", .string("refused")), ("findings", findings)]) }
        let also = warnings > 0 ? ", \(warnings) warning\(warnings == 1 ? "" : "s")" : ""
        Output.error(
            "\(errors) finding\(errors == 1 ? "" : "s") stand\(errors == 1 ? "s" : "")\(also); nothing was published"
        )
    }

    /// `dryRun`: what would have come of it.
    /// `promotion`: what became of the channel, if one was named. As JSON its failure stands beside the outcome.
    func show(
        _ outcome: PublishOutcome,
        _ plan: ReleasePlan,
        dryRun: Bool,
        _ promotion: Result<RecordChange, ChangeError>?
    ) {
        switch outcome {
        case .published(let manifest, let stored, let linked):
            if asJSON {
                return Output.json(
                    [("outcome", .string(dryRun ? "dry-run" : "published"))] + identity(plan) + [
                        ("size", .int(Int64(clamping: manifest.size))),
                        ("storedBytes", .int(Int64(clamping: stored))),
                        ("linkedBytes", .int(Int64(clamping: linked))),
                        ("findings", findings),
                    ] + channel(promotion)
                )
            }
            Output.line(
                "\(dryRun ? "would publish" : "published") \(plan.model) \(plan.version): \(assets(plan)), \(ByteCount.text(manifest.size)), "
                    + "\(ByteCount.text(stored)) of it new on disk"
            )
        case .alreadyPublished:
            if asJSON {
                return Output.json(
                    [("outcome", .string("already-published"))] + identity(plan) + [("findings", findings)]
                        + channel(promotion)
                )
            }
            Output.line("\(plan.model) \(plan.version) is published already, with the same bytes")
        }
    }

    private func assets(_ plan: ReleasePlan) -> String {
        "\(plan.assets.count) asset\(plan.assets.count == 1 ? "" : "s")"
    }

    private func identity(_ plan: ReleasePlan) -> [(String, JSONValue)] {
        [("model", .string(plan.model.text)), ("version", .string(plan.version.text))]
    }

    private func channel(_ promotion: Result<RecordChange, ChangeError>?) -> [(String, JSONValue)] {
        switch promotion {
        case nil: []
        case .success(let change): [("channelVersion", change.channel.map { .string($0.version.text) } ?? .null)]
        case .failure(let error): [("channelError", .string(error.description))]
        }
    }

    private var findings: JSONValue {
        .array(
            shown.map {
                .object([
                    ("finding", .string($0.id.rawValue)),
                    ("severity", .string($0.isError ? "error" : "warning")),
                    ("path", .string($0.path)),
                    ("message", .string($0.message)),
                ])
            }
        )
    }
}
