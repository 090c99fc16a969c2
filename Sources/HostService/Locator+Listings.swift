internal import HTTPWire
internal import ModelCatalog
internal import ModelStore

/// Listings: of models, of a model's versions, of folders.
extension Locator {
    /// `/models`
    func models(_ walk: Walk) throws(Detour) -> Located {
        try document(walk, as: walk.form, isShort: false) {
            let names = walk.snapshot.sortedNames
            if walk.inquiry.prefersHTML {
                return ListingPage.page(
                    "Models",
                    parent: nil,
                    names.map { ListingPage.Row(folder: $0) },
                    at: PublishedPath.models
                )
            }
            return Listing.models(names.compactMap { walk.snapshot.model($0) })
        }
    }

    /// `/models/{model}`
    func versions(of entry: ModelEntry, _ walk: Walk) throws(Detour) -> Located {
        let key = documentKey(walk, as: walk.form)
        if let held = documents.held(key) { return .document(held) }
        try mayTakeLong(walk)
        var rows: [Listing.VersionRow] = []
        var isLasting = true
        for published in entry.versions {
            switch manifests.summary(entry.name, published) {
            case .success(let summary):
                rows.append(Listing.VersionRow(version: published.version, summary: summary))
            case .failure(.missing):
                // Removed since the snapshot was made.
                isLasting = false
            case .failure:
                // It may pass without a new snapshot.
                isLasting = false
                rows.append(Listing.VersionRow(version: published.version, summary: nil))
            }
        }
        let made = walk.inquiry.prefersHTML ? versionsPage(rows, of: entry) : Listing.versions(rows, of: entry)
        return .document(isLasting ? documents.share(made, as: key) : made)
    }

    private func versionsPage(_ rows: [Listing.VersionRow], of entry: ModelEntry) -> Document {
        let folder = PublishedPath.model(entry.name)
        let listed = rows.filter { entry.withdrawal(of: $0.version) == nil }
            .map { ListingPage.Row(folder: $0.version.text, size: $0.summary?.size) }
        return ListingPage.page(entry.name.text, parent: PublishedPath.models, listed, at: folder)
    }

    /// `/models/{model}/{version}`
    func top(of loaded: LoadedManifest, _ entry: ModelEntry, _ walk: Walk) throws(Detour) -> Located {
        let manifest = loaded.manifest
        return try document(walk, as: walk.form, isShort: manifest.isShort) {
            let entries = manifest.topEntries.filter { item in
                guard let architecture = AssetName(item.name)?.architecture else { return true }
                return entry.withdrawal(of: manifest.version, architecture: architecture) == nil
            }
            let description = ListingPage.Row(file: "manifest.json", size: UInt64(loaded.bytes.count))
            return folder("", entries, manifest, walk, and: [description])
        }
    }

    /// A folder below a version; `path` is empty for the version itself.
    ///
    /// - Parameter further: what stands on a page only.
    func folder(
        _ path: String,
        _ entries: [FolderEntry],
        _ manifest: Manifest,
        _ walk: Walk,
        and further: [ListingPage.Row] = []
    ) -> Document {
        let base = PublishedPath(manifest)
        guard walk.inquiry.prefersHTML else { return Listing.folder(path, entries, of: manifest) }
        let parent: String
        if path.isEmpty {
            parent = PublishedPath.model(manifest.model)
        } else {
            // By octets: a slash that a combining mark follows is no Character of its own.
            let above = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) }
            parent = above.map { base.path($0) + "/" } ?? base.folder
        }
        let rows = entries.map { entry in
            switch entry.kind {
            case .file(let file): ListingPage.Row(file: entry.name, size: file.size)
            case .folder(_, let size): ListingPage.Row(folder: entry.name, size: size)
            }
        }
        let title = "\(manifest.model) \(manifest.version)" + (path.isEmpty ? "" : " / \(path)")
        return ListingPage.page(
            title,
            parent: parent,
            rows + further,
            at: path.isEmpty ? base.folder : base.path(path) + "/"
        )
    }
}

extension Manifest {
    /// Whether what lists all of its assets and companions is a matter of a moment.
    var isShort: Bool { assets.count + companions.count <= Locator.shortList }
}
