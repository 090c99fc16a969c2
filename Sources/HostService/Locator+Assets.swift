internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog
internal import ModelStore

/// What stands below a version: assets, their archives, and companions.
extension Locator {
    /// Whether the name is an asset's by its ending, published or not. By octets: some characters join the dot that
    /// follows them, and then `String.hasSuffix` sees no ending.
    static func isAssetName(_ name: String) -> Bool {
        [AssetName.portableSuffix, AssetName.compiledSuffix].contains { suffix in
            name.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        }
    }

    func asset(
        _ name: String,
        in manifest: Manifest,
        of entry: ModelEntry,
        _ walk: Walk
    ) throws(Detour) -> Located {
        let asset = try available(name, in: manifest, of: entry, walk)
        let below = walk.segments.dropFirst(4).joined(separator: "/")
        if !walk.isFolder, let file = asset.file(at: below) {
            let path = StoreLayout.publicPath(manifest.model, manifest.version, asset: asset.name, file: file.path)
            let identity = FileIdentity(file, of: asset, in: manifest)
            return .file(try open(file, at: path, called: "\(name)/\(below)", identity, in: manifest, walk))
        }
        let isShort = asset.files.count <= Self.shortList
        if below.isEmpty, !walk.inquiry.prefersHTML {
            return try document(walk, as: .json, isShort: isShort) { Listing.asset(asset, of: manifest) }
        }
        guard asset.hasFolder(below) else {
            throw .problem(.unknownFile(below, asset: name, in: manifest, at: walk.instance))
        }
        return try document(walk, as: walk.form, isShort: isShort) {
            folder(below.isEmpty ? name : "\(name)/\(below)", asset.folderEntries(in: below) ?? [], manifest, walk)
        }
    }

    /// The asset of that name, if devices may have it.
    func available(
        _ name: String,
        in manifest: Manifest,
        of entry: ModelEntry,
        _ walk: Walk
    ) throws(Detour) -> Asset {
        guard let asset = manifest.asset(named: name) else {
            try mayTakeLong(walk, unless: manifest.assets.count <= Self.shortList)
            throw .problem(absent(name, in: manifest, of: entry, walk))
        }
        if let architecture = asset.architecture,
            let withdrawal = entry.withdrawal(of: manifest.version, architecture: architecture)
        {
            let portable = manifest.asset(base: asset.name.base, kind: .portable)
            throw .problem(.variantWithdrawn(withdrawal, portable: portable, in: manifest, at: walk.instance))
        }
        return asset
    }

    /// Why a version has no asset of that name.
    func absent(_ name: String, in manifest: Manifest, of entry: ModelEntry, _ walk: Walk) -> Problem {
        guard let wanted = AssetName(name), manifest.bases.contains(wanted.base) else {
            return .unknownAsset(name, in: manifest, at: walk.instance)
        }
        let available = Resolution.availableArchitectures(of: wanted.base, manifest: manifest, entry: entry)
        switch wanted.kind {
        case .portable:
            return .noPortableVariant(base: wanted.base, available: available, in: manifest, at: walk.instance)
        case .compiled(let architecture):
            var problem = Problem.noVariant(
                base: wanted.base,
                architecture: architecture,
                available: available,
                portable: manifest.asset(base: wanted.base, kind: .portable),
                in: manifest,
                at: walk.instance
            )
            problem.gap = Gap(version: manifest.version, base: wanted.base, architecture: architecture)
            return problem
        }
    }

    /// The asset whose archive bears this name, published or not; nil for other names.
    static func archivedName(_ name: String) -> String? {
        guard name.utf8.suffix(4).elementsEqual(".tar".utf8) else { return nil }
        let asset = String(decoding: name.utf8.dropLast(4), as: UTF8.self)
        return isAssetName(asset) ? asset : nil
    }

    /// A whole tree as one archive. Every file is opened or looked at first: once the head is out, a refusal is not
    /// possible.
    func archive(
        of name: String,
        in manifest: Manifest,
        of entry: ModelEntry,
        _ walk: Walk
    ) throws(Detour) -> Located {
        let asset = try available(name, in: manifest, of: entry, walk)
        let identity = FileIdentity(
            archiveOf: asset.name,
            model: manifest.model,
            version: manifest.version,
            size: asset.archive.size
        )
        let isHeld = asset.files.count <= ArchiveSource.heldFiles
        try mayTakeLong(walk, unless: isHeld)
        var source = ArchiveSource(asset, of: manifest, opener: opener)
        for file in source.layout.files {
            if isHeld {
                let path = source.path(file)
                source.held.append(
                    try open(file, at: path, called: "\(name)/\(file.path)", identity, in: manifest, walk).content
                )
                continue
            }
            switch opener.look(at: source.path(file), size: file.size, mayWait: walk.mayWait) {
            case .whole: continue
            case .wouldWait: throw .wouldWait
            case .damaged:
                throw .problem(.damaged("The file \(name)/\(file.path)", at: walk.instance).refusing(identity))
            case .exhausted:
                throw .problem(.overCapacity(at: walk.instance).refusing(identity))
            }
        }
        let description = PreparedFile.Description(
            path: StoreLayout.publicFolder(manifest.model, manifest.version) + "/" + asset.archive.name,
            size: asset.archive.size,
            digest: asset.archive.digest,
            lastModified: lastModified(manifest),
            mediaType: "application/x-tar",
            subject: .download(identity)
        )
        return .file(PreparedFile(description, content: .archive(source)))
    }

    func companion(in manifest: Manifest, _ walk: Walk) throws(Detour) -> Located {
        let path = walk.segments.dropFirst(3).joined(separator: "/")
        if !walk.isFolder, let file = manifest.companion(at: path) {
            let place = StoreLayout.publicPath(manifest.model, manifest.version, companion: file.path)
            let identity = FileIdentity(
                companion: path,
                model: manifest.model,
                version: manifest.version,
                size: file.size
            )
            return .file(try open(file, at: place, called: path, identity, in: manifest, walk))
        }
        guard manifest.hasCompanionFolder(path) else {
            throw .problem(.unknownFile(path, asset: nil, in: manifest, at: walk.instance))
        }
        return try document(walk, as: walk.form, isShort: manifest.companions.count <= Self.shortList) {
            folder(path, manifest.companionEntries(in: path) ?? [], manifest, walk)
        }
    }

    /// - Parameters:
    ///   - path: below the document root.
    ///   - name: below the version.
    ///   - identity: what it is a download of.
    private func open(
        _ file: ManifestFile,
        at path: String,
        called name: String,
        _ identity: FileIdentity,
        in manifest: Manifest,
        _ walk: Walk
    ) throws(Detour) -> PreparedFile {
        let description = PreparedFile.Description(
            path: path,
            size: file.size,
            digest: file.digest,
            lastModified: lastModified(manifest),
            mediaType: MediaType.of(name),
            subject: .download(identity)
        )
        switch opener.open(description, mayWait: walk.mayWait) {
        case .opened(let file): return file
        case .wouldWait: throw .wouldWait
        case .damaged: throw .problem(.damaged("The file \(name)", at: walk.instance).refusing(identity))
        case .exhausted: throw .problem(.overCapacity(at: walk.instance).refusing(identity))
        }
    }
}
