internal import HostTransport
internal import ModelCatalog
internal import ModelStore

/// An asset as one archive, made on the fly: header blocks from the layout, files by sendfile.
///
///     offset 0                                                            size
///     | header | file 0 ......... |pad| header | file 1 ... |pad| ... |end|
///
/// Nothing of it exists on disk or in memory as a whole; a range begins anywhere.
struct ArchiveSource: Sendable {
    let layout: ArchiveLayout
    let model: ModelName
    let version: Version
    let asset: AssetName
    let opener: FileOpener
    /// The content of each file, open, so that an archive that is under way ends as it began, even if its version is
    /// pruned meanwhile. Empty for an asset of many files, which are opened as their turn comes.
    var held: [PreparedFile.Content] = []

    /// Assets of more files are not held open. A compiled tree has about ten, and most of them are kept in memory.
    static let heldFiles = 32

    init(_ asset: Asset, of manifest: Manifest, opener: FileOpener) {
        layout = ArchiveLayout(asset: asset)
        model = manifest.model
        version = manifest.version
        self.asset = asset.name
        self.opener = opener
    }

    /// Path of a file of the asset below the document root.
    func path(_ file: ManifestFile) -> String {
        StoreLayout.publicPath(model, version, asset: asset, file: file.path)
    }
}

/// A part of an archive, piece by piece.
struct ArchiveBody: BodyPieces {
    private let source: ArchiveSource
    private var offset: UInt64
    private var remaining: UInt64

    /// `count` octets of the archive from `offset`, which lie within it.
    init(_ source: ArchiveSource, offset: UInt64, count: UInt64) {
        self.source = source
        self.offset = offset
        remaining = count
    }

    mutating func next() -> BodyPiece? {
        guard remaining > 0 else { return nil }
        guard let placed = source.layout.span(containing: offset) else { return .unavailable }
        let skipped = offset - placed.offset
        let count = min(remaining, placed.end - offset)
        offset += count
        remaining -= count
        switch placed.span {
        case .bytes(let octets):
            return .memory(Array(octets[Int(skipped)..<Int(skipped + count)]))
        case .zeros:
            return .memory([UInt8](repeating: 0, count: Int(count)))
        case .file(let index, let size):
            if index < source.held.count { return Self.piece(of: source.held[index], offset: skipped, count: count) }
            // The kernel has just looked the path up, when the archive was located; so this does not wait for a disk.
            let path = source.path(source.layout.files[index])
            guard let file = source.opener.openShared(path, size: size) else { return .unavailable }
            return .file(file, offset: skipped, count: count)
        }
    }

    private static func piece(of content: PreparedFile.Content, offset: UInt64, count: UInt64) -> BodyPiece {
        switch content {
        case .memory(let octets): .memory(Array(octets[Int(offset)..<Int(offset + count)]))
        case .file(let file): .file(file, offset: offset, count: count)
        case .archive: .unavailable
        }
    }
}
