/// What a version is: its assets, its companions, and every file in them. One that exists is sound: the initializer
/// is the only way to make one, and `decode` goes through it.
package struct Manifest: Hashable, Sendable {
    package let model: ModelName
    package let version: Version
    /// The publisher's; kept when a release is copied.
    package let createdAt: Instant
    package let minDeploymentVersion: OSVersion?
    /// Those that a compiled asset exists for, sorted.
    package let architectures: [Architecture]
    /// Sorted by the bytes of the names, at least one.
    package let assets: [Asset]
    /// Files beside the assets, for all architectures alike; sorted by the bytes of the paths.
    package let companions: [ManifestFile]
    /// The bytes of all assets and companions together.
    package let size: UInt64

    /// The schema that this module reads and writes.
    package static let schemaVersion = 1
    /// The greatest size of anything: the greatest file offset.
    package static let maximumSize = UInt64(Int64.max)
    /// Names that no companion bears at the top of a release.
    package static let reservedNames = ["resolve", "manifest.json"]

    /// - Parameters:
    ///   - assets: in any order.
    ///   - companions: in any order.
    /// - Throws: where there is no asset, a name comes twice, a companion bears a reserved name or an asset's, or the
    ///   sizes pass `maximumSize`.
    package init(
        model: ModelName,
        version: Version,
        createdAt: Instant,
        minDeploymentVersion: OSVersion? = nil,
        assets: [Asset],
        companions: [ManifestFile] = []
    ) throws(ManifestError) {
        guard !assets.isEmpty else { throw .noAssets }
        let assets = assets.sorted { $0.name < $1.name }
        for (asset, next) in zip(assets, assets.dropFirst()) where asset.name == next.name {
            throw .duplicateAsset(asset.name)
        }
        let companions = companions.sortedByPath()
        if let conflict = companions.pathConflict() {
            throw .conflictingPaths(at: "companions", conflict.path, conflict.with)
        }
        for companion in companions { try Self.check(companion: companion.path) }

        guard var size = companions.totalSize() else { throw .tooLarge(at: "companions") }
        for asset in assets {
            let (sum, overflow) = size.addingReportingOverflow(asset.size)
            guard !overflow, sum <= Self.maximumSize else { throw .tooLarge(at: "the release") }
            size = sum
        }

        self.model = model
        self.version = version
        self.createdAt = createdAt
        self.minDeploymentVersion = minDeploymentVersion
        self.architectures = Set(assets.compactMap(\.architecture)).sorted()
        self.assets = assets
        self.companions = companions
        self.size = size
    }

    /// The top of a release belongs to the assets and their archives, whether or not this release has the one named:
    /// a request for a variant that is not there must never find a companion instead.
    private static func check(companion path: RelativePath) throws(ManifestError) {
        let top = String(path.top)
        if reservedNames.contains(where: { sameBytes($0, top) }) { throw .reservedCompanion(path) }
        let stem = top.hasSuffix(AssetName.archiveSuffix) ? String(top.dropLast(AssetName.archiveSuffix.count)) : top
        if AssetName(top) != nil || AssetName(stem) != nil { throw .companionInPlaceOfAsset(path) }
    }

    /// The models of this release, sorted by their bytes: one for most, several for a pipeline.
    package var bases: [String] {
        var bases: [String] = []
        for base in assets.map(\.name.base).sorted(by: precedesByBytes) {
            if let last = bases.last, sameBytes(last, base) { continue }
            bases.append(base)
        }
        return bases
    }

    /// The asset of exactly this name, in a logarithmic number of comparisons.
    package func asset(named name: String) -> Asset? {
        var low = 0
        var high = assets.count
        while low < high {
            let middle = low + (high - low) / 2
            if precedesByBytes(assets[middle].name.text, name) { low = middle + 1 } else { high = middle }
        }
        guard low < assets.count, sameBytes(assets[low].name.text, name) else { return nil }
        return assets[low]
    }

    /// The asset of a base for one architecture, or its portable one. Its name is determined by these, and sought.
    package func asset(base: String, kind: AssetKind) -> Asset? {
        asset(named: AssetName.text(base: base, kind: kind))
    }

    /// The companion at exactly this path.
    package func companion(at path: String) -> ManifestFile? { companions.file(atUTF8: path.utf8) }

    /// The same for the UTF-8 bytes of a path: nothing is allocated.
    package func companion(atUTF8 path: some Collection<UInt8>) -> ManifestFile? { companions.file(atUTF8: path) }

    /// Whether there is such a folder among the companions; as quick as to look a file up.
    package func hasCompanionFolder(_ folder: String) -> Bool { companions.hasFolder(folder) }

    /// What a folder among the companions holds, nil where it is none; "" is the top of the release, assets left out.
    package func companionEntries(in folder: String) -> [FolderEntry]? { companions.folderEntries(in: folder) }

    /// What stands at the top of the release: each asset as a folder, and the companions.
    package var topEntries: [FolderEntry] {
        let folders = assets.map {
            FolderEntry(name: $0.name.text, kind: .folder(fileCount: $0.fileCount, size: $0.size))
        }
        return (folders + (companionEntries(in: "") ?? [])).sorted { precedesByBytes($0.name, $1.name) }
    }

    /// Whether two manifests promise the same bytes and say the same of them: all but `createdAt`.
    package func hasSameContent(as other: Manifest) -> Bool {
        model == other.model && version == other.version && minDeploymentVersion == other.minDeploymentVersion
            && assets == other.assets && companions == other.companions
    }
}
