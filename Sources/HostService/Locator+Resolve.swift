internal import HTTPWire
internal import ModelCatalog
internal import ModelStore

/// `resolve`: which assets of a version this device should download.
extension Locator {
    func resolve(
        _ manifest: Manifest,
        of entry: ModelEntry,
        channel: ChannelName?,
        _ walk: Walk
    ) throws(Detour) -> Located {
        let question = try question(walk)
        let key = documentKey(walk, as: .resolution(question, of: manifest))
        if !manifest.isShort {
            if let held = documents.held(key) { return .document(held) }
            try mayTakeLong(walk)
        }
        let resolution: Resolution
        do throws(ResolutionRefusal) {
            resolution = try Resolution.resolve(question, manifest: manifest, entry: entry, channel: channel)
        } catch {
            throw .problem(try problem(error, question, manifest, entry, walk))
        }
        let body = resolution.json(PublishedPath(manifest)).encode()
        var document = Document(body: body, cacheControl: "private, no-cache")
        document.offer = Offer(resolution, to: question.architecture)
        return .document(documents.share(document, as: key))
    }

    private func problem(
        _ refusal: ResolutionRefusal,
        _ question: DeviceQuestion,
        _ manifest: Manifest,
        _ entry: ModelEntry,
        _ walk: Walk
    ) throws(Detour) -> Problem {
        switch refusal {
        case .noVariant(let base, let architecture, let available, let portable):
            var problem = Problem.noVariant(
                base: base,
                architecture: architecture,
                available: available,
                portable: portable,
                in: manifest,
                at: walk.instance
            )
            problem.gap = Gap(version: manifest.version, base: base, architecture: architecture)
            return problem
        case .variantWithdrawn(let withdrawal, _, let portable):
            return .variantWithdrawn(withdrawal, portable: portable, in: manifest, at: walk.instance)
        case .requiresNewerOS(let minimum):
            let compatible = try newestVersion(for: question, of: entry, walk)
            return .requiresNewerOS(minimum: minimum, compatible: compatible, in: manifest, at: walk.instance)
        }
    }

    /// The newest version that this device would be given, neither prerelease nor withdrawn.
    private func newestVersion(
        for question: DeviceQuestion,
        of entry: ModelEntry,
        _ walk: Walk
    ) throws(Detour) -> Version? {
        try mayTakeLong(walk)
        var manifestsLeft = Self.manifestsForSuggestion
        for published in entry.versions where manifestsLeft > 0 {
            guard !published.version.isPrerelease, entry.withdrawal(of: published.version) == nil,
                case .success(let summary) = manifests.summary(entry.name, published)
            else { continue }
            if let os = question.os, let minimum = summary.minDeploymentVersion, os < minimum { continue }
            // Whether there is something for this architecture is known from the manifest alone.
            manifestsLeft -= 1
            guard case .success(let loaded) = manifests.load(entry.name, published) else { continue }
            if (try? Resolution.resolve(question, manifest: loaded.manifest, entry: entry)) != nil {
                return published.version
            }
        }
        return nil
    }

    /// Manifests that one refusal may read to suggest a version; more would let a question cost the host too much.
    private static let manifestsForSuggestion = 16

    /// The question as its parameters ask it. A parameter that is not known is ignored; one that is known and makes
    /// no sense is refused, for a guess would send a device the wrong gigabytes.
    private func question(_ walk: Walk) throws(Detour) -> DeviceQuestion {
        guard let architecture = try parameter("arch", walk, parse: { Architecture($0) }, form: "h18p") else {
            throw .problem(
                .invalidParameter(
                    "arch",
                    "The parameter arch is missing: what AIModel.deviceArchitectureName returns, such as arch=h18p.",
                    at: walk.instance
                )
            )
        }
        try mayUseDevice(walk)
        return DeviceQuestion(
            architecture: architecture,
            os: try parameter("os", walk, parse: { OSVersion($0) }, form: "27.1"),
            platform: try parameter("platform", walk, parse: { Inquiry.cut($0) }, form: "iOS"),
            installed: try parameter("installed", walk, parse: { Version($0) }, form: "1.3.2"),
            device: walk.inquiry.device,
            fallback: try parameter(
                "fallback",
                walk,
                parse: { DeviceQuestion.Fallback(rawValue: $0) },
                form: "portable or none"
            ) ?? .portable
        )
    }

    /// Who asks decides which version of a channel it is; a name that cannot be read must not decide as none.
    func mayUseDevice(_ walk: Walk) throws(Detour) {
        guard let fault = walk.inquiry.malformedDevice else { return }
        throw .problem(.invalidParameter(fault.name, fault.description, at: walk.instance))
    }

    /// The value of a parameter; nil where it is absent or empty.
    private func parameter<Value>(
        _ name: String,
        _ walk: Walk,
        parse: (String) -> Value?,
        form: String
    ) throws(Detour) -> Value? {
        let text: String?
        do throws(MalformedParameter) {
            text = try walk.inquiry.query.value(name)
        } catch {
            throw .problem(.invalidParameter(name, error.description, at: walk.instance))
        }
        guard let text, !text.isEmpty else { return nil }
        guard let value = parse(text) else {
            throw .problem(
                .invalidParameter(
                    name,
                    "The parameter \(name) is \(text), which is not of its form, such as \(form).",
                    at: walk.instance
                )
            )
        }
        return value
    }
}

extension Resolution {
    fileprivate func json(_ base: PublishedPath) -> JSONValue {
        let assets = choices.map { choice in
            let asset = choice.asset
            return JSONValue.object([
                ("base", .string(choice.base)),
                ("name", .string(asset.name.text)),
                ("kind", .string(asset.kindText)),
                ("architecture", .text(asset.architecture?.text)),
                ("reason", .string(choice.reason.rawValue)),
                ("url", .string(base.path(asset.name.text))),
                (
                    "archive",
                    .object([
                        ("url", .string(base.path(asset.archive.name))),
                        ("size", .size(asset.archive.size)),
                        ("digest", .string(asset.archive.digest.prefixed)),
                    ])
                ),
                ("size", .size(asset.size)),
                ("requiredFreeBytes", .size(asset.requiredFreeBytes)),
                ("compile", asset.compileEntry),
                ("digest", .string(asset.digest.prefixed)),
            ])
        }
        let companions = companions.map { file in
            JSONValue.object([
                ("path", .string(file.path.text)),
                ("url", .string(base.path(file.path.text))),
                ("size", .size(file.size)),
                ("digest", .string(file.digest.prefixed)),
            ])
        }
        return .object([
            ("model", .string(model.text)),
            ("version", .string(version.text)),
            ("channel", .text(channel?.text)),
            ("updateAvailable", .bool(updateAvailable)),
            ("assets", .array(assets)),
            ("companions", .array(companions)),
        ])
    }
}

extension DocumentCache.Form {
    /// Of who asks nothing goes in that the answer does not hang on: devices of one kind share it.
    fileprivate static func resolution(_ question: DeviceQuestion, of manifest: Manifest) -> DocumentCache.Form {
        let impersonal = DeviceQuestion(
            architecture: question.architecture,
            os: question.os,
            fallback: question.fallback
        )
        return .resolution(manifest.version, impersonal, isInstalled: question.installed == manifest.version)
    }
}
