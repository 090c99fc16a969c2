internal import Glibc
internal import HostSystem
internal import ModelCatalog
internal import ModelStore

/// `publish`: inspects a build's output folder and publishes it.
enum PublishCommand: Command {
    static let name = "publish"

    static let help = """
        Usage: aimodel-host publish FOLDER [options]

        Inspects a build's output folder, reports everything that is wrong with it at once, and, if nothing is, publishes
        it: a running server serves it within a second. A version is whole or absent, whatever happens meanwhile, and
        never changes once it is published; the same bytes again are no error.

        Options:
          --root DIR                   the folder that holds Public/ and manifests/ (default: the working directory)
          --model M                    the model's name (default: `base` in the folder's manifest.json)
          --version V                  the version (default: `version` in the folder's manifest.json)
          --min-deployment-version X   the system version that it needs at least, such as 27.0
          --compile-info FILE          JSON with what the compiler was told, for all architectures or for each:
                                       {"platform": "iOS", "preferredCompute": "gpu", "expectFrequentReshapes": false}
          --channel C                  promote the version to this channel when it is published
          --allow FINDING              let this finding pass as a warning; may stand more than once
          --dry-run                    read everything and say what would come of it; nothing is written
          --json                       findings and outcome as JSON on standard output

        Exit status: 0 published, or published already; 1 findings stand, or it failed; 2 the command line is wrong.

        """

    static func run(_ arguments: [String]) throws {
        let arguments = try Arguments(
            arguments,
            options: ["root", "model", "version", "min-deployment-version", "compile-info", "channel", "allow"],
            flags: ["dry-run", "json"]
        )
        guard arguments.positional.count == 1 else { throw UsageError("publish takes one folder") }
        let root = try arguments.root()
        let channel = try arguments.one("channel").map { text throws(UsageError) in try Names.channel(text) }
        // Before anything is published under it.
        if let channel, channel.isReserved { throw ChangeError.reservedChannel(channel) }
        let inspection = try inspect(arguments.positional[0], try options(arguments))
        var report = PublishReport(asJSON: arguments.has("json"))
        report.show(inspection.findings)
        guard let plan = inspection.plan else {
            report.showRefusal()
            exit(Exit.failure)
        }
        let isRehearsal = arguments.has("dry-run")
        ControlSignal.takeOver()
        let publisher = try ReleasePublisher(root: root)
        let outcome: PublishOutcome
        do {
            outcome = try publish(plan, by: publisher, dryRun: isRehearsal)
            report.show(publisher.allowedFindings)
        } catch let error as PublishError {
            let findings = error.findings()
            if findings.isEmpty { throw error }
            report.show(publisher.allowedFindings + findings)
            report.showRefusal()
            exit(Exit.failure)
        }
        var promotion: Result<RecordChange, ChangeError>?
        if let channel, !isRehearsal { promotion = promote(plan, to: channel, in: root) }
        report.show(outcome, plan, dryRun: isRehearsal, promotion)
        if let channel, let change = try promotion?.get(), !arguments.has("json") {
            RecordReport(change).show(plan.model, channel, asJSON: false)
        }
    }

    private static func promote(
        _ plan: ReleasePlan,
        to channel: ChannelName,
        in root: String
    ) -> Result<RecordChange, ChangeError> {
        do throws(ChangeError) {
            return .success(try RecordEditor(root: root).promote(plan.model, plan.version, to: channel, at: .now()))
        } catch {
            return .failure(error)
        }
    }

    private static func inspect(_ folder: String, _ options: ReleaseOptions) throws -> Inspection {
        do throws(InspectionError) {
            return try ReleaseInspector.inspect(folder, options)
        } catch {
            if error.isUsage { throw UsageError(error.description) }
            throw error
        }
    }

    /// Publishes; Ctrl-C and SIGTERM end it with nothing left behind.
    private static func publish(
        _ plan: ReleasePlan,
        by publisher: ReleasePublisher,
        dryRun: Bool
    ) throws -> PublishOutcome {
        // It waits for a signal as long as the process lives, so nobody joins it.
        _ = try OSThread(name: "signals") {
            _ = ControlSignal.next()
            publisher.interrupt()
            // A second one ends at once. The next publication clears up.
            _ = ControlSignal.next()
            _exit(Exit.interrupted)
        }
        let bar = ProgressBar(dryRun ? "reading" : "publishing")
        defer { bar.finish() }
        do throws(PublishError) {
            return try publisher.publish(
                plan,
                createdAt: .now(),
                dryRun: dryRun,
                progress: { progress in
                    bar.update(done: progress.done, total: progress.total)
                }
            )
        } catch {
            bar.finish()
            guard case .interrupted = error else { throw error }
            Output.error(error.description)
            exit(Exit.interrupted)
        }
    }

    private static func options(_ arguments: Arguments) throws(UsageError) -> ReleaseOptions {
        var allowed: Set<FindingID> = []
        for text in arguments.all("allow") {
            guard let id = FindingID(rawValue: text) else {
                let known = FindingID.allCases.map(\.rawValue)
                let close = SpellingSuggestions.close(to: text, among: known, limit: 1).first
                throw UsageError(
                    "--allow \(text): there is no such finding" + (close.map { "; did you mean \($0)?" } ?? "")
                )
            }
            guard id.mayBeAllowed else { throw UsageError("--allow \(text): this finding is never allowed") }
            allowed.insert(id)
        }
        return ReleaseOptions(
            model: try arguments.one("model"),
            version: try arguments.one("version"),
            minDeploymentVersion: try arguments.one("min-deployment-version"),
            allowed: allowed,
            compileInfo: try arguments.one("compile-info")
        )
    }
}
