internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog

/// What the ledger learns of a walk, from its question and its end.
///
/// Only what is asked of a published model is told: names that clients make up must not fill the ledger.
extension Locator {
    func sighting(of located: Located, _ walk: Walk) -> Sighting {
        let observation = observation(of: located, walk)
        return Sighting(located: located, observation: observation.isEmpty ? nil : observation)
    }

    private func observation(of located: Located, _ walk: Walk) -> Observation {
        var observation = Observation()
        guard walk.segments.count > 2, walk.segments[0] == "models", let entry = walk.snapshot.model(walk.segments[1])
        else { return observation }
        switch located {
        // A manifest that is sent is told of when it is; so are files, when they have been.
        case .file, .redirect:
            break
        case .document(let document):
            guard let offer = document.offer else { break }
            observation.check = check(entry, offer.isUpdate ? .updateOffered : .upToDate, walk)
            observation.check?.offeredVersion = offer.version.text
            observation.misses = offer.gaps.map { miss($0, entry, .portable, walk) }
        case .problem(let problem):
            if isQuestionForVersion(walk) {
                observation.check = check(entry, .problem(problem.details.code.rawValue), walk)
                observation.check?.offeredVersion = problem.gap?.version.text ?? namedVersion(entry, walk)?.text
            }
            if let gap = problem.gap { observation.misses = [miss(gap, entry, .problem, walk)] }
            if let file = problem.refused {
                observation.refused = (file, UInt16(clamping: problem.details.code.status))
            }
        }
        return observation
    }

    private func isQuestionForVersion(_ walk: Walk) -> Bool {
        walk.segments.count == 4 && !walk.isFolder && ["resolve", "manifest.json"].contains(walk.segments[3])
    }

    /// The published version that the path names; nil for a channel.
    private func namedVersion(_ entry: ModelEntry, _ walk: Walk) -> Version? {
        Version(walk.segments[2]).flatMap { entry.version($0)?.version }
    }

    private func check(_ entry: ModelEntry, _ outcome: VersionCheck.Outcome, _ walk: Walk) -> VersionCheck {
        VersionCheck(
            at: 0,
            model: entry.name.text,
            channel: ChannelName(walk.segments[2])?.text,
            installedVersion: asked("installed", walk).flatMap { Version($0)?.text },
            architecture: asked("arch", walk).flatMap { Architecture($0)?.text },
            platform: platform(walk),
            osVersion: asked("os", walk).flatMap { OSVersion($0)?.text },
            client: 0,
            outcome: outcome
        )
    }

    private func miss(
        _ gap: Gap,
        _ entry: ModelEntry,
        _ answer: VariantMiss.AnsweredWith,
        _ walk: Walk
    ) -> VariantMiss {
        VariantMiss(
            at: 0,
            model: entry.name.text,
            version: gap.version.text,
            base: gap.base,
            architecture: gap.architecture.text,
            platform: platform(walk),
            answeredWith: answer,
            client: 0
        )
    }

    private func platform(_ walk: Walk) -> String? {
        asked("platform", walk).map { Inquiry.cut($0) }
    }

    /// The value of a parameter, where there is one that can be read.
    private func asked(_ name: String, _ walk: Walk) -> String? {
        guard let text = try? walk.inquiry.query.value(name), !text.isEmpty else { return nil }
        return text
    }
}
