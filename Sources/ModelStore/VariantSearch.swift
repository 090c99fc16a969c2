package import ModelCatalog

/// What has become of a variant that devices asked for and did not get.
package enum VariantFate: Hashable, Sendable {
    /// This version has it by now: nothing is to be done.
    case published(Version)
    /// It is still missing. nil where no release has a portable asset to compile it from.
    case missing(CompileSource?)
    /// No version of the model is published any more.
    case unpublished
}

/// What a missing variant is compiled from.
package struct CompileSource: Hashable, Sendable {
    /// The release in whose folder the line is to be run.
    package let version: Version
    package let line: CompileLine
}

/// Looks for variants in what is published now.
///
/// A version never changes, so a variant that was missing comes with a newer one. Devices that ask for a release are not
/// given a prerelease instead, nor anything that was withdrawn: neither counts as having it.
package struct VariantSearch {
    private let snapshot: CatalogSnapshot
    private let manifests: ManifestCache

    package init(_ snapshot: CatalogSnapshot, _ manifests: ManifestCache) {
        self.snapshot = snapshot
        self.manifests = manifests
    }

    /// What became of the variant of `base` for `architecture` that was not in `version`. Waits for the disk; a version
    /// whose manifest cannot be used is passed over, and among the findings.
    package func fate(of base: String, for architecture: Architecture, since version: Version, of model: ModelName)
        -> VariantFate
    {
        guard let entry = snapshot.model(model.text), !entry.versions.isEmpty else { return .unpublished }
        func succeeds(_ candidate: VersionEntry) -> Bool {
            candidate.version >= version && entry.withdrawal(of: candidate.version) == nil
                && (version.isPrerelease || !candidate.version.isPrerelease)
        }
        let successors = entry.versions.filter(succeeds)
        for candidate in successors where has(candidate, base, architecture, entry) {
            return .published(candidate.version)
        }
        // The newest that devices are given comes first; but one that was withdrawn can be compiled from too.
        for candidate in successors + entry.versions.filter({ !succeeds($0) }) {
            guard let manifest = try? manifests.load(model, candidate).get().manifest else { continue }
            guard let line = CompileLine(base: base, architecture: architecture, of: manifest) else { continue }
            return .missing(CompileSource(version: candidate.version, line: line))
        }
        return .missing(nil)
    }

    private func has(
        _ candidate: VersionEntry,
        _ base: String,
        _ architecture: Architecture,
        _ entry: ModelEntry
    ) -> Bool {
        // The summary is small and held: most versions need no look at their manifest.
        guard
            let summary = try? manifests.summary(entry.name, candidate).get(),
            summary.architectures.contains(architecture),
            let manifest = try? manifests.load(entry.name, candidate).get().manifest
        else { return false }
        return Resolution.availableArchitectures(of: base, manifest: manifest, entry: entry).contains(architecture)
    }
}
