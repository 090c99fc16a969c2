internal import HostSystem
internal import ModelCatalog

/// Whether the parts of a release belong together: its assets, what the folder's manifest.json promises, and what the
/// outer metadata.json refers to.
struct ReleaseConsistency {
    let contents: ReleaseContents
    let tree: ReleaseTree
    let document: ReleaseDocument

    private static let metadataName = "metadata.json"
    /// Octets.
    private static let maximumMetadataSize = 16 * 1024 * 1024

    private var names: [AssetName] { contents.names.sorted() }

    // MARK: Variants

    /// Every base has its portable form, and every architecture one of those that are known.
    func checkVariants(_ findings: inout FindingList) {
        var told: Set<[UInt8]> = []
        for name in names where name.kind != .portable {
            let portable = name.base + AssetName.portableSuffix
            let isThere = names.contains { $0.text.utf8.elementsEqual(portable.utf8) }
            if !isThere, told.insert(Array(portable.utf8)).inserted {
                findings.add(
                    .missingPortable,
                    at: Array(portable.utf8),
                    "\(name.base) is here in compiled form only, which leaves nothing for other devices; "
                        + "add \(portable)"
                )
            }
            if let architecture = name.architecture, !architecture.hasKnownForm {
                findings.add(
                    .unknownArchitecture,
                    at: Array(name.text.utf8),
                    "\(architecture) is not of the form h, digits, letter, as in h18p; look whether it is misspelled"
                )
            }
        }
    }

    // MARK: manifest.json

    /// - Parameter decidesModel: whether the release is published under the document's `base`.
    func checkDocument(decidesModel: Bool, _ findings: inout FindingList) {
        let bases = contents.bases
        if decidesModel, let base = document.base, bases.count == 1, let only = bases.first,
            !base.utf8.elementsEqual(only.utf8)
        {
            findings.add(
                .unresolvedAsset,
                at: Array(ReleaseDocument.name.utf8),
                "the base is \(base), but the folder holds \(only); set it right, or give --model"
            )
        }
        guard let listed = document.architectures else { return }
        checkListed(Set(listed), &findings)
        for name in names {
            guard let architecture = name.architecture, !listed.contains(architecture.text) else { continue }
            findings.add(
                .unlistedArchitecture,
                at: Array(name.text.utf8),
                "\(ReleaseDocument.name) does not list \(architecture); add it to the list, or remove the folder"
            )
        }
    }

    /// Each base that was compiled at all is there for each architecture of the list: a device needs all of a release's
    /// bases for its own architecture, and another base's does not help it. A base in portable form only was not meant
    /// to be compiled.
    private func checkListed(_ listed: Set<String>, _ findings: inout FindingList) {
        // A tree that does not say what it is for has a finding of its own.
        let unnamed = contents.unnamed.reduce(into: Set<Architecture>()) {
            $0.formUnion(AssetInspection($1, name: nil).architecturesInside)
        }
        let compiled = contents.bases(where: { $0.kind != .portable })
        for text in listed.sorted() {
            let architecture = Architecture(text)
            if let architecture, unnamed.contains(architecture) { continue }
            for base in compiled.isEmpty ? [likelyBase] : compiled {
                let isThere = contents.names.contains {
                    $0.architecture != nil && $0.architecture == architecture && $0.base.utf8.elementsEqual(base.utf8)
                }
                if isThere { continue }
                let asset = "\(base).\(text)\(AssetName.compiledSuffix)"
                findings.add(
                    .missingArchitecture,
                    at: Array(asset.utf8),
                    "\(ReleaseDocument.name) lists \(text), but the folder holds no \(asset); compile it, or take "
                        + "\(text) off the list"
                )
            }
        }
    }

    /// The base that something compiled would have been made of, where nothing is there that was compiled.
    private var likelyBase: String {
        let bases = contents.bases
        let documented = document.base.flatMap { base in bases.first { $0.utf8.elementsEqual(base.utf8) } }
        return documented ?? bases.first ?? document.base ?? "<base>"
    }

    // MARK: The outer metadata.json

    /// - Throws: where it cannot be read.
    func checkReferences(
        in source: borrowing SourceFolder,
        _ findings: inout FindingList
    ) throws(InspectionError) {
        let path = Array(Self.metadataName.utf8)
        guard let entry = tree.branches[path]?.top, entry.isFile, !findings.isAbout(path) else { return }
        let content = try source.content(of: path, limit: Self.maximumMetadataSize)
        do throws(DocumentFault) {
            let assets = try StrictJSON.document(content, limit: Self.maximumMetadataSize)["assets"]
            for reference in Self.texts(in: assets) where !resolves(reference) {
                findings.add(
                    .unresolvedAsset,
                    at: path,
                    "names the asset \(reference), which the folder does not hold; add it, or name the one that is here"
                )
            }
        } catch {
            findings.add(.unsupportedAssetVersion, at: path, "\(error); write it again")
        }
    }

    /// Strings, alone, in an array or as the values of an object; what else may stand there is not known.
    private static func texts(in value: StrictJSON?) -> Set<String> {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.reduce(into: []) { $0.formUnion(texts(in: $1)) }
        case .object(let members): members.values.reduce(into: []) { $0.formUnion(texts(in: $1)) }
        default: []
        }
    }

    /// The name of an asset, or the portable or architecture-less name of a base that is here in compiled form. Nothing
    /// else will do: what a device is sent to look for must be something that it can load.
    private func resolves(_ reference: String) -> Bool {
        let octets = Array(reference.utf8)
        if contents.names.contains(where: { $0.text.utf8.elementsEqual(octets) }) { return true }
        // A tree that does not say what it is for has a finding of its own.
        if contents.unnamed.contains(where: { $0.top.octets == octets }) { return true }
        for suffix in [AssetName.compiledSuffix, AssetName.portableSuffix] where octets.hasSuffix(suffix) {
            let base = octets.dropLast(suffix.utf8.count)
            return contents.names.contains { $0.kind != .portable && $0.base.utf8.elementsEqual(base) }
        }
        return false
    }
}

extension ReleaseContents {
    /// The models of the release, sorted by their octets, each once.
    var bases: [String] { bases(where: { _ in true }) }

    /// The models of those assets that `isIncluded` says.
    func bases(where isIncluded: (AssetName) -> Bool) -> [String] {
        var bases: [String] = []
        for base in names.filter(isIncluded).map(\.base).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            if let last = bases.last, last.utf8.elementsEqual(base.utf8) { continue }
            bases.append(base)
        }
        return bases
    }
}
