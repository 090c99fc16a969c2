package import ModelCatalog
internal import Synchronization

/// The manifests that were read, bounded in memory: those not used for longest go first.
///
/// What is held belongs to the stamp of the entry it was asked with; an entry of another stamp is read anew. Any
/// thread may use it; only `load` and `summary` wait for the disk, and never while holding the lock.
package final class ManifestCache: Sendable {
    private struct Key: Hashable, Sendable {
        var model: ModelName
        var version: Version
    }

    private struct Stamped<Content: Sendable>: Sendable {
        var stamp: FileStamp
        var content: Content
    }

    private struct State: Sendable {
        var manifests: BoundedCache<Key, Stamped<LoadedManifest>>
        /// What is known of a version without its manifest, failures too: kept apart, so that a listing of thousands
        /// of versions does not push out what downloads need.
        var outcomes: BoundedCache<Key, Stamped<Result<VersionSummary, ManifestFailure>>>
    }

    /// Octets, as estimated.
    package static let defaultLimit = 64 * 1024 * 1024
    /// Octets; some 40,000 summaries.
    package static let defaultSummaryLimit = 16 * 1024 * 1024

    private let state: Mutex<State>
    private let reader: ManifestReader
    private let findings: CatalogFindings

    /// Limits in octets, estimated. A manifest above the limit is held alone.
    package init(
        store: StoreFolder,
        findings: CatalogFindings,
        limit: Int = ManifestCache.defaultLimit,
        summaryLimit: Int = ManifestCache.defaultSummaryLimit
    ) {
        state = Mutex(State(manifests: BoundedCache(limit: limit), outcomes: BoundedCache(limit: summaryLimit)))
        reader = ManifestReader(store: store)
        self.findings = findings
    }

    /// What is held of this version, without the disk: nil when it has to be loaded.
    package func cached(_ model: ModelName, _ entry: VersionEntry) -> Result<LoadedManifest, ManifestFailure>? {
        let key = Key(model: model, version: entry.version)
        return state.withLock { state in
            if let held = state.manifests.value(for: key), held.stamp == entry.stamp { return .success(held.content) }
            if let held = state.outcomes.value(for: key), held.stamp == entry.stamp,
                case .failure(let failure) = held.content
            {
                return .failure(failure)
            }
            return nil
        }
    }

    /// What is held of this version, or else what its file says now. Waits for the disk.
    ///
    /// Two threads may read the same file at once; each gets what it read.
    package func load(_ model: ModelName, _ entry: VersionEntry) -> Result<LoadedManifest, ManifestFailure> {
        if let held = cached(model, entry) { return held }
        return read(model, entry, keepingManifest: true)
    }

    /// The summary that is held, without the disk: nil when it has to be made.
    package func cachedSummary(_ model: ModelName, _ entry: VersionEntry) -> Result<VersionSummary, ManifestFailure>? {
        let key = Key(model: model, version: entry.version)
        return state.withLock { state in
            guard let held = state.outcomes.value(for: key), held.stamp == entry.stamp else { return nil }
            return held.content
        }
    }

    /// The summary that is held, or else made from the file; the manifest itself is then let go. Waits for the disk.
    package func summary(_ model: ModelName, _ entry: VersionEntry) -> Result<VersionSummary, ManifestFailure> {
        if let held = cachedSummary(model, entry) { return held }
        return (cached(model, entry) ?? read(model, entry, keepingManifest: false)).map { VersionSummary($0.manifest) }
    }

    /// Octets that the manifests held are estimated to take, and their number.
    package var use: (octets: Int, manifests: Int, summaries: Int) {
        state.withLock { ($0.manifests.cost, $0.manifests.count, $0.outcomes.count) }
    }

    private func read(
        _ model: ModelName,
        _ entry: VersionEntry,
        keepingManifest: Bool
    ) -> Result<LoadedManifest, ManifestFailure> {
        let (result, stable) = reader.read(model, entry)
        let key = Key(model: model, version: entry.version)
        let path = StoreLayout.manifestPath(model, entry.version)
        switch result {
        case .success(let loaded):
            state.withLock { state in
                if keepingManifest {
                    let held = Stamped(stamp: entry.stamp, content: loaded)
                    state.manifests.insert(held, for: key, cost: loaded.cost)
                }
                let summary = VersionSummary(loaded.manifest)
                Self.hold(.success(summary), key, entry.stamp, cost: summary.cost, &state)
            }
            findings.clear(path, stamp: entry.stamp)
        case .failure(let failure):
            // Not held while the file is being written, nor what may pass without the file changing.
            if stable && failure.isOfContent {
                state.withLock { state in
                    Self.hold(.failure(failure), key, entry.stamp, cost: 512, &state)
                }
            }
            if failure.isOfFile { findings.report(path, "\(failure)", stamp: entry.stamp) }
        }
        return result
    }

    private static func hold(
        _ outcome: Result<VersionSummary, ManifestFailure>,
        _ key: Key,
        _ stamp: FileStamp,
        cost: Int,
        _ state: inout State
    ) {
        // The key's texts and the slot itself: about 250 octets.
        state.outcomes.insert(Stamped(stamp: stamp, content: outcome), for: key, cost: 250 + cost)
    }
}

extension VersionSummary {
    /// About how many octets of memory it takes.
    fileprivate var cost: Int { 128 + architectures.count * MemoryLayout<Architecture>.stride }
}
