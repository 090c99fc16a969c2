internal import HostSystem
internal import ModelCatalog

/// Which large files probably need no room, told from their sizes and their ends: the same content comes in another
/// file of the release, or lies in the store.
///
/// Such a file is hashed before it is copied, and then mostly not copied. Only the digest decides; a wrong guess costs
/// a second reading. Files of one piece need no guess: they are hashed in memory.
struct LikelyDuplicates: Sendable {
    struct Signature: Hashable, Sendable {
        let size: UInt64
        /// Of the first and the last `sample` octets.
        let ends: ContentDigest
    }

    enum Likelihood: Equatable {
        case new
        /// Another file of the release has the same signature: the first of them to be read is copied, the others
        /// wait for it.
        case repeated(Signature)
        case stored
    }

    private static let sample = 64 * 1024

    private var signatures: [String: Signature] = [:]
    private var counts: [Signature: Int] = [:]
    private var stored: Set<Signature> = []

    /// Nothing is likely.
    init() {}

    /// Reads the ends of the large ones among `files`, and of those contents in the pool that are as long as one.
    init(files: [PlannedFile], in folder: borrowing FileDescriptor, pool: ContentPool?) throws(PublishError) {
        for file in files where file.size > UInt64(PieceBuffer.size) {
            let reader = try SourceReader.open(file.source, in: folder)
            guard let ends = Self.ends(reader.file, reader.size) else {
                throw .sourceChanged(path: file.source.source)
            }
            let signature = Signature(size: reader.size, ends: ends)
            signatures[file.treePath] = signature
            counts[signature, default: 0] += 1
        }
        guard let pool, !signatures.isEmpty else { return }
        let wanted = Set(signatures.values.map(\.size))
        for (size, paths) in pool.contents(ofAtLeast: UInt64(PieceBuffer.size)) where wanted.contains(size) {
            for path in paths {
                // One that is removed meanwhile is not there.
                guard let file = try? pool.open(path), let ends = Self.ends(file, size) else { continue }
                stored.insert(Signature(size: size, ends: ends))
            }
        }
    }

    func likelihood(_ file: PlannedFile) -> Likelihood {
        guard let signature = signatures[file.treePath] else { return .new }
        if stored.contains(signature) { return .stored }
        return counts[signature, default: 0] > 1 ? .repeated(signature) : .new
    }

    /// Octets on a disk of such blocks that these files will probably take, names and folders left out.
    func neededSpace(_ files: [PlannedFile], blockSize: UInt64) -> UInt64 {
        var needed: UInt64 = 0
        var counted: Set<Signature> = []
        for file in files {
            switch likelihood(file) {
            case .stored: continue
            case .repeated(let signature): if !counted.insert(signature).inserted { continue }
            case .new: break
            }
            let (blocks, rest) = file.size.quotientAndRemainder(dividingBy: blockSize)
            let (sum, overflow) = needed.addingReportingOverflow((blocks + (rest == 0 ? 0 : 1)) &* blockSize)
            needed = overflow ? .max : sum
        }
        return needed
    }

    /// Nil where the file cannot be read to its end.
    private static func ends(_ file: borrowing FileDescriptor, _ size: UInt64) -> ContentDigest? {
        var hash = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: sample, alignment: 16)
        defer { buffer.deallocate() }
        for start in [0, Int64(clamping: size) - Int64(sample)] {
            var filled = 0
            while filled < sample {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                guard case .octets(let count) = file.read(into: rest, at: start + Int64(filled)) else { return nil }
                filled += count
            }
            hash.update(UnsafeRawBufferPointer(buffer))
        }
        return ContentDigest(finishing: hash)
    }
}
