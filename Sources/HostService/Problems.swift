internal import HTTPWire
internal import ModelCatalog

/// The refusals of this service. Each says what is wrong, where, and what to do.
extension Problem {
    init(
        _ code: ProblemCode,
        _ detail: String,
        at instance: String?,
        _ members: [(String, JSONValue)] = []
    ) {
        self.init(ProblemDetails(code, detail: detail, instance: instance, members: members))
    }

    static func unknownResource(_ instance: String?) -> Problem {
        Problem(
            .unknownResource,
            "There is nothing at this path. Published models are listed at /models.",
            at: instance
        )
    }

    static func badRequest(_ detail: String, at instance: String? = nil) -> Problem {
        Problem(.badRequest, detail, at: instance)
    }

    static func unknownModel(_ name: String, close: [String], at instance: String) -> Problem {
        let hint = close.first.map { " Did you mean \($0)?" } ?? " All models are listed at /models."
        return Problem(
            .unknownModel,
            "No model named \(name) is published here." + hint,
            at: instance,
            [("model", .string(name)), ("models", .array(close.map { .string($0) }))]
        )
    }

    static func unknownVersion(_ text: String, of entry: ModelEntry, at instance: String) -> Problem {
        let versions = entry.versions.lazy
            .map(\.version)
            .filter { entry.withdrawal(of: $0) == nil }
            .prefix(50)
        return Problem(
            .unknownVersion,
            "\(entry.name) has no version \(text). /models/\(entry.name) lists what there is.",
            at: instance,
            [
                ("model", .string(entry.name.text)),
                ("version", .string(text)),
                ("versions", .array(versions.map { .string($0.text) })),
                ("latest", .text(entry.latest?.text)),
            ]
        )
    }

    static func unknownChannel(_ text: String, of entry: ModelEntry, at instance: String) -> Problem {
        let names = [ChannelName.latest.text] + entry.channelNames.map(\.text)
        let latest = PublishedPath.model(entry.name) + ChannelName.latest.text
        let misplaced =
            text == "resolve"
            ? " resolve stands behind a version or a channel, as in \(latest)/resolve?arch=h18p." : ""
        return Problem(
            .unknownChannel,
            "\(entry.name) has no channel \(text). Its channels: \(names.joined(separator: ", "))." + misplaced,
            at: instance,
            [
                ("model", .string(entry.name.text)),
                ("channel", .string(text)),
                ("channels", .array(names.map { .string($0) })),
            ]
        )
    }

    static func versionWithdrawn(_ withdrawal: Withdrawal, of entry: ModelEntry, at instance: String) -> Problem {
        let instead = withdrawal.replacement.map { " Take \($0) instead." } ?? ""
        return Problem(
            .versionWithdrawn,
            "\(entry.name) \(withdrawal.version) was withdrawn: \(withdrawal.reason)." + instead,
            at: instance,
            [
                ("model", .string(entry.name.text)),
                ("version", .string(withdrawal.version.text)),
                ("replacement", .text(withdrawal.replacement?.text)),
                ("reason", .string(withdrawal.reason)),
            ]
        )
    }

    static func variantWithdrawn(
        _ withdrawal: Withdrawal,
        portable: Asset?,
        in manifest: Manifest,
        at instance: String
    ) -> Problem {
        Problem(
            .variantWithdrawn,
            "The variant for \(withdrawal.architecture?.text ?? "this architecture") of \(manifest.model) "
                + "\(manifest.version) was withdrawn: \(withdrawal.reason)." + way(out: portable),
            at: instance,
            [
                ("architecture", .text(withdrawal.architecture?.text)),
                ("reason", .string(withdrawal.reason)),
                ("portable", PublishedPath(manifest).reference(portable)),
            ]
        )
    }

    static func noVariant(
        base: String,
        architecture: Architecture,
        available: [Architecture],
        portable: Asset?,
        in manifest: Manifest,
        at instance: String
    ) -> Problem {
        Problem(
            .noVariantForArchitecture,
            "\(manifest.model) \(manifest.version) is here, but \(base) was not compiled for \(architecture). "
                + "This is no network failure: the same request will not succeed later." + way(out: portable),
            at: instance,
            [
                ("architecture", .string(architecture.text)),
                ("availableArchitectures", .array(available.map { .string($0.text) })),
                ("portable", PublishedPath(manifest).reference(portable)),
            ]
        )
    }

    static func noPortableVariant(
        base: String,
        available: [Architecture],
        in manifest: Manifest,
        at instance: String
    ) -> Problem {
        Problem(
            .noPortableVariant,
            "\(manifest.model) \(manifest.version) holds no portable \(base).aimodel, only compiled variants.",
            at: instance,
            [("availableArchitectures", .array(available.map { .string($0.text) }))]
        )
    }

    private static func way(out portable: Asset?) -> String {
        portable == nil ? "" : " Take the portable asset named here instead."
    }

    static func requiresNewerOS(
        minimum: String,
        compatible: Version?,
        in manifest: Manifest,
        at instance: String
    ) -> Problem {
        let instead = compatible.map { " \($0) runs on this device." } ?? ""
        return Problem(
            .requiresNewerOS,
            "\(manifest.model) \(manifest.version) needs system version \(minimum) or later." + instead,
            at: instance,
            [
                ("minDeploymentVersion", .string(minimum)),
                ("compatibleVersion", .text(compatible?.text)),
            ]
        )
    }

    static func unknownAsset(_ name: String, in manifest: Manifest, at instance: String) -> Problem {
        Problem(
            .unknownAsset,
            "\(manifest.model) \(manifest.version) has no asset \(name).",
            at: instance,
            [
                ("asset", .string(name)),
                ("assets", .array(manifest.assets.map { .string($0.name.text) })),
            ]
        )
    }

    static func unknownFile(_ path: String, asset: String?, in manifest: Manifest, at instance: String) -> Problem {
        Problem(
            .unknownFile,
            "\(asset ?? "\(manifest.model) \(manifest.version)") has no file \(path). "
                + "The manifest at \(PublishedPath(manifest).manifest) lists every file.",
            at: instance,
            [("asset", .text(asset)), ("path", .string(path))]
        )
    }

    /// Something on this host is not what it should be; an operator finds the particulars on the admin listener.
    static func damaged(_ what: String, at instance: String) -> Problem {
        damaged(because: "\(what) on this host is not what its manifest says, so it is not sent.", at: instance)
    }

    /// A version whose manifest is there and says nothing that could be held on to.
    static func unreadableManifest(of version: Version, _ entry: ModelEntry, at instance: String) -> Problem {
        let what = "The manifest of \(entry.name) \(version)"
        return damaged(
            because: "\(what) on this host cannot be read, so nothing of this version is sent.",
            at: instance
        )
    }

    private static func damaged(because reason: String, at instance: String) -> Problem {
        let detail = reason + " Its operator has been told; try again later, or at another host."
        var problem = Problem(.assetDamaged, detail, at: instance)
        problem.retryAfter = 60
        return problem
    }

    /// Channels and withdrawals of a model cannot be read.
    static func unreadableRecord(of entry: ModelEntry, at instance: String) -> Problem {
        damaged(
            because: "The record of \(entry.name) on this host, which says what was withdrawn, cannot be read.",
            at: instance
        )
    }

    static func overCapacity(at instance: String?) -> Problem {
        var problem = Problem(
            .overCapacity,
            "This host has no room for the request just now, or its disk does not answer. Try again in some seconds.",
            at: instance
        )
        problem.retryAfter = 5
        return problem
    }

    static func invalidParameter(_ name: String, _ detail: String, at instance: String) -> Problem {
        Problem(.invalidParameter, detail, at: instance, [("parameter", .string(name))])
    }

    static func methodNotAllowed(_ method: String, at instance: String?) -> Problem {
        var problem = Problem(
            .methodNotAllowed,
            "\(method) is not possible here; use GET or HEAD.",
            at: instance
        )
        problem.allow = CrossOrigin.methods
        return problem
    }
}

extension JSONValue {
    /// A string, or null.
    static func text(_ text: String?) -> JSONValue {
        text.map { .string($0) } ?? .null
    }

    /// A size in octets. JSON has one kind of number; sizes stay below 2^63.
    static func size(_ octets: UInt64) -> JSONValue {
        .int(Int64(clamping: octets))
    }
}
