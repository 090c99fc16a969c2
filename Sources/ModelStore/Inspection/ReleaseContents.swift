internal import HostSystem
internal import ModelCatalog

/// What the entries at the top of a release's folder are.
struct ReleaseContents {
    /// Folders with an asset's name, sorted by it.
    private(set) var assets: [(name: AssetName, branch: ReleaseBranch)] = []
    /// Folders `<base>.aimodelc`.
    private(set) var unnamed: [ReleaseBranch] = []
    /// What bears an asset's name: an asset, or what is refused in its place, which is not missing too. What is let pass
    /// although no asset comes of it is not among them: the release is judged by what is published.
    private(set) var names: Set<AssetName> = []
    /// Files that are published beside the assets.
    private(set) var companions: [ReleaseEntry] = []

    init(_ tree: ReleaseTree, _ findings: inout FindingList) {
        for (_, branch) in tree.branches { add(branch, &findings) }
        assets.sort { $0.name < $1.name }
        unnamed.sort { $0.top.octets.lexicographicallyPrecedes($1.top.octets) }
        companions.sort { $0.octets.lexicographicallyPrecedes($1.octets) }
    }

    private mutating func add(_ branch: ReleaseBranch, _ findings: inout FindingList) {
        let top = branch.top
        for entry in branch.below { Self.checkNesting(entry, &findings) }
        // A name that is no text is refused as it is.
        guard let text = String(validating: top.octets, as: UTF8.self) else { return }
        switch AssetNaming(text) {
        case .asset(let name):
            if !Self.isLeftOut(branch, findings) { names.insert(name) }
            if top.isFolder { assets.append((name, branch)) }
            if top.isFile { findings.add(.notABundle, at: top.octets, Self.plainFile) }
        case .noArchitecture:
            if top.isFile { findings.add(.notABundle, at: top.octets, Self.plainFile) }
            guard top.isFolder else { return }
            unnamed.append(branch)
            findings.add(.noArchitectureInName, at: top.octets, Self.nameless(branch))
            addCompanions(branch)
        case .misspelledSuffix:
            if !top.isUnsafe { findings.add(.notABundle, at: top.octets, Self.misspelled) }
            addCompanions(branch)
        case .noBase:
            if !findings.isAbout(top.octets) { findings.add(.unsafeName, at: top.octets, Self.noBase) }
        case .archive:
            findings.add(.unsafeName, at: top.octets, Self.archive)
        case .other:
            if text == ReleaseDocument.name, top.isFile { return }
            if Manifest.reservedNames.contains(text), !top.isUnsafe {
                findings.add(.unsafeName, at: top.octets, Self.reserved)
            }
            addCompanions(branch)
        }
    }

    /// Whether nothing is published under that asset's name, and the operator let that pass. `AssetInspection` says by
    /// the same rule that an asset is empty.
    private static func isLeftOut(_ branch: ReleaseBranch, _ findings: FindingList) -> Bool {
        if branch.top.isFile { return findings.isAllowed(.notABundle) }
        let isEmpty = branch.top.isFolder && !branch.below.contains { !$0.isFolder }
        return isEmpty && findings.isAllowed(.emptyAsset)
    }

    private mutating func addCompanions(_ branch: ReleaseBranch) {
        companions += ([branch.top] + branch.below).filter(\.isFile)
    }

    /// An asset below the top, told of once: not again for what is nested in it in turn.
    private static func checkNesting(_ entry: ReleaseEntry, _ findings: inout FindingList) {
        let segments = entry.segments
        guard
            let last = segments.last, AssetNaming.isBundle(last), !entry.isUnsafe,
            !segments.dropFirst().dropLast().contains(where: AssetNaming.isBundle)
        else { return }
        if entry.isFolder {
            findings.add(
                .nestedAsset,
                at: entry.octets,
                "an asset below the top of the release is not offered to devices; move it to the top"
            )
        } else {
            findings.add(.notABundle, at: entry.octets, plainFile)
        }
    }

    // MARK: What is said

    private static let plainFile =
        "a plain file, where an asset is a folder; copy the tree that the build made, unpacked"

    private static let misspelled =
        "no device takes this for an asset: the suffix is .aimodel or .aimodelc in lower-case letters; rename it"

    private static let noBase =
        "an asset's name is <base>.aimodel or <base>.<arch>.aimodelc, of 251 octets at most; rename it"

    private static let archive = "this is the address of an asset's archive, which the server makes itself; remove it"

    private static let reserved = "this name has a meaning of its own in the server's addresses; rename it"

    private static func nameless(_ branch: ReleaseBranch) -> String {
        let inside = AssetInspection(branch, name: nil).architecturesInside.sorted()
        let architecture = inside.count == 1 ? inside.first?.text : nil
        let name = "<base>.\(architecture ?? "<arch>")\(AssetName.compiledSuffix)"
        return "the name does not say for which architecture it is compiled; rename it to \(name)"
    }
}
