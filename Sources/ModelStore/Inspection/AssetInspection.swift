internal import HostSystem
internal import ModelCatalog

/// A look into one asset: whether it holds what a device loads, for the architecture that its name says.
struct AssetInspection {
    private let branch: ReleaseBranch
    private let folder: [UInt8]
    /// Nil for `<base>.aimodelc`.
    private let name: AssetName?
    /// What stands directly in the asset, by the octets of its name.
    private let direct: [[UInt8]: ReleaseEntry]
    /// Whatever of that carries an architecture, sorted by name.
    private let marks: [(entry: ReleaseEntry, mark: ArchitectureMark)]

    static let hashName = "main.hash"
    static let metadataName = "metadata.json"
    static let portableProgram = "main.mlirb"
    static let resourcesName = "resources.bin"
    /// Octets.
    static let maximumMetadataSize = 16 * 1024 * 1024

    /// - Parameters:
    ///   - branch: whose top is a folder.
    ///   - name: nil for a compiled asset without an architecture in its name.
    init(_ branch: ReleaseBranch, name: AssetName?) {
        let folder = branch.top.octets
        var direct: [[UInt8]: ReleaseEntry] = [:]
        var marks: [(entry: ReleaseEntry, mark: ArchitectureMark)] = []
        for entry in branch.below where !entry.below(top: folder.count).contains(UInt8(ascii: "/")) {
            direct[Array(entry.name)] = entry
            if let text = String(validating: entry.name, as: UTF8.self),
                let mark = ArchitectureMark(text, expected: name?.architecture)
            {
                marks.append((entry, mark))
            }
        }
        self.branch = branch
        self.folder = folder
        self.name = name
        self.direct = direct
        self.marks = marks
    }

    /// The architectures that the content carries.
    var architecturesInside: Set<Architecture> { Set(marks.map(\.mark.architecture)) }

    /// - Throws: where something in it cannot be read.
    func inspect(_ source: borrowing SourceFolder, _ findings: inout FindingList) throws(InspectionError) {
        // A tree of links is no empty one: what it was meant to hold is not known.
        guard branch.below.contains(where: { !$0.isFolder }) else {
            findings.add(.emptyAsset, at: folder, "holds no file; build it again, or remove the folder")
            return
        }
        checkArchitectures(&findings)
        checkPrograms(&findings)
        if name?.kind != .portable { checkDelegates(&findings) }
        try checkHash(source, &findings)
        try checkMetadata(source, &findings)
    }

    // MARK: Architectures

    private func checkArchitectures(_ findings: inout FindingList) {
        guard let name else {
            let found = architecturesInside.sorted()
            if found.count > 1 {
                let list = found.map(\.text).joined(separator: " and ")
                findings.add(.architectureMismatch, at: folder, "holds \(list) in one; compile one asset for each")
            }
            return
        }
        for (entry, mark) in marks where mark.architecture != name.architecture {
            if let expected = name.architecture {
                findings.add(
                    .architectureMismatch,
                    at: entry.octets,
                    "is for \(mark.architecture), but the asset's name says \(expected): a device takes what is inside, "
                        + "and refuses the other; compile for \(expected) into an empty folder, or name the asset after "
                        + "\(mark.architecture)"
                )
            } else {
                findings.add(
                    .architectureMismatch,
                    at: entry.octets,
                    "is for \(mark.architecture), in a portable asset: other devices refuse the whole of it; move it "
                        + "into \(name.base).\(mark.architecture).aimodelc, or remove it"
                )
            }
        }
    }

    // MARK: Programs

    /// The program that a device loads, where it is a file: `main.mlirb`, or `main-<arch>.mlirb`, the one of the name's
    /// architecture before others.
    private var program: ReleaseEntry? {
        if name?.kind == .portable { return direct[Array(Self.portableProgram.utf8)].flatMap { $0.isFile ? $0 : nil } }
        let programs = marks.filter { $0.mark.isMain && $0.mark.kind == .program && $0.entry.isFile }
        return (programs.first { $0.mark.architecture == name?.architecture } ?? programs.first)?.entry
    }

    private func checkPrograms(_ findings: inout FindingList) {
        if name?.kind == .portable {
            if direct[Array(Self.portableProgram.utf8)]?.isFolder ?? true {
                findings.add(
                    .missingProgram,
                    at: path(of: Self.portableProgram),
                    "is not there, and it is what a device loads of a portable asset; export the asset again"
                )
            }
        } else if !marks.contains(where: { $0.mark.isMain && $0.mark.kind == .program && !$0.entry.isFolder }) {
            findings.add(
                .missingProgram,
                at: path(of: "main-\(name?.architecture?.text ?? "<arch>").mlirb"),
                "is not there, and it is what a device loads of a compiled asset; compile the asset again"
            )
        }
    }

    // MARK: Delegates

    private func checkDelegates(_ findings: inout FindingList) {
        let delegates = marks.filter { $0.mark.kind == .delegates }
        // An empty folder is not published, so it is as good as none.
        let mainIsThere = delegates.contains { entry, mark in
            mark.isMain && (entry.isUnsafe || entry.isFolder && branch.below.contains { Self.is($0, in: entry) })
        }
        if !mainIsThere {
            findings.add(
                .missingDelegates,
                at: path(of: "main-\(name?.architecture?.text ?? "<arch>")-delegates"),
                "is not there, or holds no file, and it is what the hardware runs; compile the asset again, and copy the "
                    + "whole tree"
            )
        }
        for (folder, _) in delegates {
            for entry in branch.below where entry.isFile && entry.status.size == 0 {
                guard entry.name.elementsEqual(Self.resourcesName.utf8), Self.is(entry, in: folder) else { continue }
                findings.add(
                    .missingDelegates,
                    at: entry.octets,
                    "holds no weights: it is empty; compile the asset again"
                )
            }
        }
    }

    private static func `is`(_ entry: ReleaseEntry, in folder: ReleaseEntry) -> Bool {
        !entry.isFolder && entry.octets.starts(with: folder.octets + [UInt8(ascii: "/")])
    }

    // MARK: main.hash

    private func checkHash(_ source: borrowing SourceFolder, _ findings: inout FindingList) throws(InspectionError) {
        guard let entry = direct[Array(Self.hashName.utf8)], !entry.isFolder else {
            findings.add(
                .missingHash,
                at: path(of: Self.hashName),
                "is not there, and a device refuses an asset without it; build the asset again, or copy the whole tree"
            )
            return
        }
        guard entry.isFile, entry.status.size != ContentDigest.byteCount, !findings.isAbout(entry.octets) else {
            return
        }
        findings.add(
            .hashMismatch,
            at: entry.octets,
            "has \(entry.status.size) octets and not the \(ContentDigest.byteCount) of a SHA-256 (no hexadecimal digits, "
                + "no line feed); build the asset again"
        )
    }

    /// What `main.hash` says of the program; nil where either is not there or cannot be.
    func expectedProgramDigest(
        _ source: borrowing SourceFolder
    ) throws(InspectionError) -> (source: String, ContentDigest)? {
        guard let program = program?.path, let hash = direct[Array(Self.hashName.utf8)], hash.isFile else { return nil }
        let content = try source.content(of: hash.octets, limit: ContentDigest.byteCount)
        return content.flatMap { ContentDigest(bytes: $0) }.map { (program.text, $0) }
    }

    // MARK: metadata.json

    private func checkMetadata(_ source: borrowing SourceFolder, _ findings: inout FindingList) throws(InspectionError)
    {
        guard let entry = direct[Array(Self.metadataName.utf8)] else { return }
        // A pointer of Git LFS is no JSON either, but that is not what is wrong with it.
        if entry.isUnsafe || findings.isAbout(entry.octets) { return }
        guard entry.isFile else {
            findings.add(
                .unsupportedAssetVersion,
                at: entry.octets,
                "is a folder where a JSON file must be; build again"
            )
            return
        }
        let content = try source.content(of: entry.octets, limit: Self.maximumMetadataSize)
        let fault: String
        do throws(DocumentFault) {
            let version = try StrictJSON.document(content, limit: Self.maximumMetadataSize)["assetVersion"]
            if version == .string("2.0") { return }
            switch version {
            case .string(let text): fault = "assetVersion is \(text.debugDescription), and devices know \"2.0\" only"
            case nil: fault = "assetVersion is missing, and devices look for \"2.0\""
            default: fault = "assetVersion is no string, and devices look for \"2.0\""
            }
        } catch {
            fault = error.description
        }
        findings.add(.unsupportedAssetVersion, at: entry.octets, fault + "; build the asset again with current tools")
    }

    private func path(of name: String) -> [UInt8] { folder + [UInt8(ascii: "/")] + Array(name.utf8) }
}
