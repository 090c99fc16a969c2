/// Which bytes an asset's archive has, without making it.
///
///     offset 0                                                                                  size
///     | header(s) of files[0] | its bytes | zeros to 512 | header(s) of files[1] | ... | 1,024 zeros |
///
/// One number is kept for each file: where its headers begin. Headers are made when they are asked for, so an archive
/// of ten thousand files costs 80 kB, and any byte of it is found in a logarithmic number of steps.
package struct ArchiveLayout: Sendable {
    /// Some bytes that follow one another. Never empty.
    package enum Span: Hashable, Sendable {
        /// These.
        case bytes([UInt8])
        /// All of `files[index]`.
        case file(index: Int, size: UInt64)
        /// That many zeros.
        case zeros(Int)

        /// In bytes.
        package var length: UInt64 {
            switch self {
            case .bytes(let bytes): UInt64(bytes.count)
            case .file(_, let size): size
            case .zeros(let count): UInt64(count)
            }
        }
    }

    /// A span and where it begins in the archive.
    package struct PlacedSpan: Hashable, Sendable {
        package let offset: UInt64
        package let span: Span

        /// The offset of the byte after the last.
        package var end: UInt64 { offset + span.length }
    }

    package let assetName: AssetName
    /// In the order of the archive: the one that a manifest has them in.
    package let files: [ManifestFile]
    /// Of the whole archive, in bytes; a multiple of 512.
    package let size: UInt64

    /// Where the headers of each file begin; the last element is where the end blocks do.
    private let starts: [UInt64]

    private static let endBlocks = 2 * ArchiveHeader.blockSize

    package init(asset: Asset) {
        self.init(name: asset.name, sortedFiles: asset.files)
    }

    /// Before there is an asset, for its archive's digest is a part of it.
    ///
    /// - Parameter files: in any order; their sizes together within `Manifest.maximumSize`.
    package init(name: AssetName, files: [ManifestFile]) {
        self.init(name: name, sortedFiles: files.sortedByPath())
    }

    init(name: AssetName, sortedFiles files: [ManifestFile]) {
        var starts: [UInt64] = []
        starts.reserveCapacity(files.count + 1)
        var offset: UInt64 = 0
        for file in files {
            starts.append(offset)
            offset += UInt64(ArchiveHeader(asset: name, file: file).byteCount)
            offset += file.size + UInt64(Self.padding(of: file))
        }
        starts.append(offset)
        self.assetName = name
        self.files = files
        self.starts = starts
        self.size = offset + UInt64(Self.endBlocks)
    }

    /// The span that the byte at `offset` is in; nil at `size` and beyond.
    package func span(containing offset: UInt64) -> PlacedSpan? {
        guard offset < size else { return nil }
        let index = entry(containing: offset)
        guard index < files.count else {
            return PlacedSpan(offset: starts[index], span: .zeros(Self.endBlocks))
        }
        let file = files[index]
        let header = ArchiveHeader(asset: assetName, file: file)
        let contents = starts[index] + UInt64(header.byteCount)
        if offset < contents { return PlacedSpan(offset: starts[index], span: .bytes(header.bytes)) }
        if offset < contents + file.size {
            return PlacedSpan(offset: contents, span: .file(index: index, size: file.size))
        }
        return PlacedSpan(offset: contents + file.size, span: .zeros(Self.padding(of: file)))
    }

    /// The spans from the one that `offset` is in to the end, each made when it is its turn.
    package func spans(from offset: UInt64 = 0) -> Spans { Spans(layout: self, offset: offset) }

    package struct Spans: Sequence, IteratorProtocol, Sendable {
        private let layout: ArchiveLayout
        private var offset: UInt64

        fileprivate init(layout: ArchiveLayout, offset: UInt64) {
            self.layout = layout
            self.offset = offset
        }

        package mutating func next() -> PlacedSpan? {
            guard let placed = layout.span(containing: offset) else { return nil }
            offset = placed.end
            return placed
        }
    }

    /// The last entry that begins at or before `offset`.
    private func entry(containing offset: UInt64) -> Int {
        var low = 0
        var high = starts.count - 1
        while low < high {
            let middle = low + (high - low + 1) / 2
            if starts[middle] <= offset { low = middle } else { high = middle - 1 }
        }
        return low
    }

    private static func padding(of file: ManifestFile) -> Int {
        let rest = Int(file.size % UInt64(ArchiveHeader.blockSize))
        return rest == 0 ? 0 : ArchiveHeader.blockSize - rest
    }
}
