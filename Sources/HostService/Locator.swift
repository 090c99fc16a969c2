internal import HTTPWire
internal import HostSystem
internal import ModelCatalog
internal import ModelStore

/// Finds what a path names in the catalog. May be used from any thread.
///
/// With `mayWait` false it answers only from memory and the kernel's caches, and returns nil where that is not enough;
/// the same question then goes to a thread that may wait. One walk serves both, so they cannot differ.
struct Locator: Sendable {
    let manifests: ManifestCache
    let opener: FileOpener
    let documents = DocumentCache()

    init(manifests: ManifestCache, opener: FileOpener) {
        self.manifests = manifests
        self.opener = opener
    }

    /// Why a walk ends before its goal.
    enum Detour: Error {
        case problem(Problem)
        case wouldWait
    }

    /// One walk.
    struct Walk {
        let inquiry: Inquiry
        let snapshot: CatalogSnapshot
        let mayWait: Bool

        var instance: String { inquiry.instance }
        var segments: [String] { inquiry.path.segments }
        var isFolder: Bool { inquiry.path.isFolder }
        /// The form that a listing should have.
        var form: DocumentCache.Form { inquiry.prefersHTML ? .page : .json }
    }

    func locate(_ inquiry: Inquiry, in snapshot: CatalogSnapshot, mayWait: Bool) -> Sighting? {
        let walk = Walk(inquiry: inquiry, snapshot: snapshot, mayWait: mayWait)
        do throws(Detour) {
            return sighting(of: try locate(walk), walk)
        } catch {
            switch error {
            case .problem(let problem): return sighting(of: .problem(problem), walk)
            case .wouldWait: return nil
            }
        }
    }

    private func locate(_ walk: Walk) throws(Detour) -> Located {
        switch walk.segments.first {
        case nil where walk.inquiry.prefersHTML:
            return .redirect(Redirect(location: PublishedPath.models, status: 302, isNegotiated: true))
        case "models" where walk.segments.count == 1:
            return try models(walk)
        case "models":
            return try model(walk)
        case "problems":
            return try problemPage(walk)
        default:
            throw .problem(.unknownResource(walk.instance))
        }
    }

    /// `/models/{model}` and all below.
    private func model(_ walk: Walk) throws(Detour) -> Located {
        let name = walk.segments[1]
        guard let entry = walk.snapshot.model(name) else {
            try mayTakeLong(walk, unless: walk.snapshot.sortedNames.count <= Self.shortList)
            let close = SpellingSuggestions.close(to: name, among: walk.snapshot.sortedNames, limit: 3)
            throw .problem(.unknownModel(name, close: close, at: walk.instance))
        }
        guard entry.record.isKnown else {
            // What was withdrawn is not known, and a withdrawn version must not come back by a fault of a file.
            throw .problem(.unreadableRecord(of: entry, at: walk.instance))
        }
        guard walk.segments.count > 2 else { return try versions(of: entry, walk) }
        let third = walk.segments[2]
        if third.utf8.first.map({ $0 >= 0x30 && $0 <= 0x39 }) == true {
            guard let version = Version(third), let published = entry.version(version) else {
                throw .problem(.unknownVersion(third, of: entry, at: walk.instance))
            }
            return try self.version(published, of: entry, channel: nil, walk)
        }
        return try channel(third, of: entry, walk)
    }

    /// `/models/{model}/{channel}` and all below: `resolve` is answered in place, all else by a redirect.
    private func channel(_ text: String, of entry: ModelEntry, _ walk: Walk) throws(Detour) -> Located {
        try mayUseDevice(walk)
        guard let channel = ChannelName(text),
            case .version(let version) = entry.lookUp(channel, device: walk.inquiry.device)
        else {
            if text == ChannelName.latest.text {
                throw .problem(.unknownVersion(text, of: entry, at: walk.instance))
            }
            throw .problem(.unknownChannel(text, of: entry, at: walk.instance))
        }
        guard let published = entry.version(version) else {
            throw .problem(.unknownVersion(version.text, of: entry, at: walk.instance))
        }
        if walk.segments.count == 4, walk.segments[3] == "resolve" {
            return try self.version(published, of: entry, channel: channel, walk)
        }
        if let withdrawal = entry.withdrawal(of: version) {
            throw .problem(.versionWithdrawn(withdrawal, of: entry, at: walk.instance))
        }
        let tail = walk.inquiry.path.rawTail(after: 2)
        let query = walk.inquiry.rawQuery.map { "?" + $0 } ?? ""
        let folder = PublishedPath(entry.name, version).folder.dropLast()
        return .redirect(Redirect(location: folder + tail + query))
    }

    /// `/models/{model}/{version}` and all below.
    private func version(
        _ published: VersionEntry,
        of entry: ModelEntry,
        channel: ChannelName?,
        _ walk: Walk
    ) throws(Detour) -> Located {
        if let withdrawal = entry.withdrawal(of: published.version) {
            throw .problem(.versionWithdrawn(withdrawal, of: entry, at: walk.instance))
        }
        let loaded = try manifest(published, of: entry, walk)
        guard walk.segments.count > 3 else {
            return try top(of: loaded, entry, walk)
        }
        let first = walk.segments[3]
        if walk.segments.count == 4, !walk.isFolder {
            if first == "manifest.json" { return .file(prepared(loaded)) }
            if first == "resolve" { return try resolve(loaded.manifest, of: entry, channel: channel, walk) }
        }
        if walk.segments.count == 4, !walk.isFolder, let name = Self.archivedName(first) {
            return try archive(of: name, in: loaded.manifest, of: entry, walk)
        }
        if Self.isAssetName(first) {
            return try asset(first, in: loaded.manifest, of: entry, walk)
        }
        return try companion(in: loaded.manifest, walk)
    }

    /// The manifest is served from memory, as the octets that were read.
    private func prepared(_ loaded: LoadedManifest) -> PreparedFile {
        PreparedFile(
            PreparedFile.Description(
                path: StoreLayout.manifestPath(loaded.manifest.model, loaded.manifest.version),
                size: UInt64(loaded.bytes.count),
                digest: loaded.digest,
                lastModified: lastModified(loaded.manifest),
                mediaType: "application/json",
                subject: .manifest(loaded.manifest.model, loaded.manifest.version)
            ),
            content: .memory(loaded.bytes)
        )
    }

    /// The publisher's clock may be ahead of ours.
    func lastModified(_ manifest: Manifest) -> HTTPDate? {
        let seconds = manifest.createdAt.unixSeconds
        return seconds <= CoarseClock.unixSeconds() ? HTTPDate(seconds: seconds) : nil
    }

    // MARK: Shared steps

    func manifest(
        _ published: VersionEntry,
        of entry: ModelEntry,
        _ walk: Walk
    ) throws(Detour) -> LoadedManifest {
        let outcome =
            walk.mayWait ? manifests.load(entry.name, published) : manifests.cached(entry.name, published)
        switch outcome {
        case nil:
            throw .wouldWait
        case .success(let loaded):
            return loaded
        case .failure(.missing):
            throw .problem(.unknownVersion(published.version.text, of: entry, at: walk.instance))
        case .failure(.exhausted):
            throw .problem(.overCapacity(at: walk.instance))
        case .failure:
            throw .problem(.unreadableManifest(of: published.version, entry, at: walk.instance))
        }
    }

    /// So many names, files or assets are gone through while other requests wait: some tenths of a millisecond.
    static let shortList = 200

    func documentKey(_ walk: Walk, as form: DocumentCache.Form) -> DocumentCache.Key {
        let path = Array(walk.segments.joined(separator: "/").utf8)
        return DocumentCache.Key(generation: walk.snapshot.generation, path: path, form: form)
    }

    /// The document that answers this walk, made by `make` unless one that was made before is held.
    ///
    /// - Parameters:
    ///   - form: all that it hangs on beside the snapshot and the path.
    ///   - isShort: made in no time, and so on the loop.
    func document(
        _ walk: Walk,
        as form: DocumentCache.Form,
        isShort: Bool,
        _ make: () -> Document
    ) throws(Detour) -> Located {
        let key = documentKey(walk, as: form)
        if !isShort {
            if let held = documents.held(key) { return .document(held) }
            try mayTakeLong(walk)
        }
        return .document(documents.share(make(), as: key))
    }

    /// What grows with the catalog, or with a release, is made where it holds nobody up.
    func mayTakeLong(_ walk: Walk, unless isShort: Bool = false) throws(Detour) {
        if !walk.mayWait, !isShort { throw .wouldWait }
    }
}
