/// What the compiler was told, as far as the publisher knows.
package struct CompileFacts: Hashable, Sendable {
    /// As in `iOS`.
    package let platform: String?
    /// As in `gpu`.
    package let preferredCompute: String?
    package let expectFrequentReshapes: Bool?

    package init(platform: String? = nil, preferredCompute: String? = nil, expectFrequentReshapes: Bool? = nil) {
        self.platform = platform
        self.preferredCompute = preferredCompute
        self.expectFrequentReshapes = expectFrequentReshapes
    }
}

/// An asset's tree as one file; `ArchiveLayout` says which bytes it has.
package struct Archive: Hashable, Sendable {
    package let name: String
    /// In bytes.
    package let size: UInt64
    package let digest: ContentDigest
}

/// One asset of a release, with every file in it.
package struct Asset: Hashable, Sendable {
    package let name: AssetName
    /// The sum of the files' bytes.
    package let size: UInt64
    /// What a device should have free before it begins, in bytes.
    package let requiredFreeBytes: UInt64
    /// SHA-256 over `digestInput`.
    package let digest: ContentDigest
    package let archive: Archive
    package let compile: CompileFacts?
    /// Sorted by the bytes of the paths, each path once, at least one.
    package let files: [ManifestFile]

    /// - Parameters:
    ///   - files: in any order.
    ///   - digest: SHA-256 over `digestInput(files)`. This module cannot compute it.
    ///   - archiveDigest: SHA-256 over the archive's bytes.
    ///   - requiredFreeBytes: nil for `defaultRequiredFreeBytes`.
    /// - Throws: where there are no files, a path comes twice or is also a folder, or the archive would pass
    ///   `Manifest.maximumSize`.
    package init(
        name: AssetName,
        files: [ManifestFile],
        digest: ContentDigest,
        archiveDigest: ContentDigest,
        requiredFreeBytes: UInt64? = nil,
        compile: CompileFacts? = nil
    ) throws(ManifestError) {
        let sorted = files.sortedByPath()
        let place = "asset \(name)"
        guard !sorted.isEmpty else { throw .noFiles(at: place) }
        if let conflict = sorted.pathConflict() {
            throw .conflictingPaths(at: place, conflict.path, conflict.with)
        }
        guard let size = sorted.totalSize() else { throw .tooLarge(at: place) }
        let archiveSize = ArchiveLayout(name: name, sortedFiles: sorted).size
        guard archiveSize <= Manifest.maximumSize else { throw .tooLarge(at: place) }

        self.name = name
        self.size = size
        self.requiredFreeBytes = requiredFreeBytes ?? Self.defaultRequiredFreeBytes(size: size)
        self.digest = digest
        self.archive = Archive(name: name.archiveName, size: archiveSize, digest: archiveDigest)
        self.compile = compile
        self.files = sorted
        guard self.requiredFreeBytes <= Manifest.maximumSize else { throw .tooLarge(at: "\(place), requiredFreeBytes") }
    }

    package var fileCount: Int { files.count }

    /// The architecture of a compiled asset, nil for the portable one.
    package var architecture: Architecture? { name.architecture }

    /// The file at exactly this path, nil where the asset has none. A binary search by bytes.
    package func file(at path: String) -> ManifestFile? { files.file(atUTF8: path.utf8) }

    /// The same for the UTF-8 bytes of a path: nothing is allocated.
    package func file(atUTF8 path: some Collection<UInt8>) -> ManifestFile? { files.file(atUTF8: path) }

    /// Whether this asset has such a folder; as quick as to look a file up.
    package func hasFolder(_ folder: String) -> Bool { files.hasFolder(folder) }

    /// What a folder of this asset holds, nil where it is none. The asset itself is the folder "".
    package func folderEntries(in folder: String) -> [FolderEntry]? { files.folderEntries(in: folder) }

    /// 3 x `size` + 512 MiB (the download, the specialization, scratch), and no more than can be counted.
    package static func defaultRequiredFreeBytes(size: UInt64) -> UInt64 {
        let (tripled, overflow) = size.multipliedReportingOverflow(by: 3)
        guard !overflow, tripled <= Manifest.maximumSize - 512 << 20 else { return Manifest.maximumSize }
        return tripled + 512 << 20
    }

    /// The bytes that an asset's digest is taken over: `<hex>  <size>  <path>` and a line feed for each file, sorted by
    /// the bytes of the paths.
    package static func digestInput(_ files: [ManifestFile]) -> [UInt8] {
        var lines: [UInt8] = []
        for file in files.sortedByPath() {
            lines += file.digest.hex.utf8
            lines += "  \(file.size)  ".utf8
            lines += file.path.text.utf8
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }
}
