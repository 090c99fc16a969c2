internal import HostSystem
internal import ModelCatalog
internal import Synchronization

/// Reads a release once, from beginning to end: the digests of its files and archives come of it, and where there is a
/// destination, the files in it.
final class ReleaseReading: Sendable {
    private let folder: FileDescriptor
    private let hashMismatchAllowed: Bool
    private let duplicates: LikelyDuplicates
    /// Nil: nothing is written.
    private let destination: StagedContents?
    private let meter: PublishMeter
    private let finished = Mutex<[FinishedWork]>([])
    private let mismatches = Mutex<[HashMismatch]>([])

    /// What stands for a digest that nobody asks for.
    private static let unknown = ContentDigest(finishing: SHA256())

    /// `folder` is the release's.
    init(
        _ folder: consuming FileDescriptor,
        _ plan: ReleasePlan,
        _ duplicates: LikelyDuplicates,
        to destination: StagedContents?,
        _ meter: PublishMeter
    ) {
        self.folder = folder
        hashMismatchAllowed = plan.hashMismatchAllowed
        self.duplicates = duplicates
        self.destination = destination
        self.meter = meter
    }

    func read(_ work: [PublishWork], _ control: PublishControl) throws(PublishError) -> [FinishedWork] {
        try PublishLanes.run(work, control) { [self] (work, lanes) throws(PublishError) in
            let finished = try read(work, lanes)
            self.finished.withLock { $0.append(finished) }
        }
        let mismatches = mismatches.withLock { $0 }.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        if !mismatches.isEmpty { try control.allowed.add(.hashMismatch(mismatches), if: hashMismatchAllowed) }
        return finished.withLock { $0 }
    }

    private func read(_ work: PublishWork, _ lanes: PublishLanes) throws(PublishError) -> FinishedWork {
        guard let asset = work.asset else {
            let feed = ArchiveFeed.toNowhere()
            var files: [ManifestFile] = []
            for file in work.files { files.append(try transfer(file, feed, lanes)) }
            return FinishedWork(asset: nil, files: files, archive: nil)
        }
        let hasher = try ArchiveHasher()
        let files: [ManifestFile]
        do throws(PublishError) {
            files = try readAsset(asset.name, work.files, hasher.feed, lanes)
        } catch {
            hasher.abandon()
            throw error
        }
        return FinishedWork(asset: asset, files: files, archive: hasher.finish())
    }

    /// The files in the order of the archive, with the archive's own octets between them.
    private func readAsset(
        _ name: AssetName,
        _ files: [PlannedFile],
        _ feed: ArchiveFeed,
        _ lanes: PublishLanes
    ) throws(PublishError) -> [ManifestFile] {
        // An archive's layout goes by paths and sizes alone.
        let layout = ArchiveLayout(
            name: name,
            files: files.map { ManifestFile(path: $0.source.path, size: $0.size, digest: Self.unknown) }
        )
        var read = layout.files
        // No span is empty, so no span tells of these.
        for (index, file) in files.enumerated() where file.size == 0 { read[index] = try transfer(file, feed, lanes) }
        for placed in layout.spans() {
            switch placed.span {
            case .bytes(let bytes): feed.add(headers: bytes)
            case .zeros(let count): feed.add(zeros: count)
            case .file(let index, _): read[index] = try transfer(files[index], feed, lanes)
            }
        }
        return read
    }

    // MARK: One file

    private func transfer(
        _ file: PlannedFile,
        _ feed: ArchiveFeed,
        _ lanes: PublishLanes
    ) throws(PublishError) -> ManifestFile {
        try lanes.check()
        // What is refused is read on for the programs alone, so that the operator hears of all of them at once.
        if isRefused, file.expected == nil {
            return ManifestFile(path: file.source.path, size: file.size, digest: Self.unknown)
        }
        let reader = try SourceReader.open(file.source, in: folder)
        let digest =
            reader.size <= UInt64(PieceBuffer.size)
            ? try transferInMemory(file, reader, feed) : try transferInPieces(file, reader, feed, lanes)
        if let expected = file.expected, expected != digest {
            let mismatch = HashMismatch(path: file.source.source, expected: expected, found: digest)
            mismatches.withLock { $0.append(mismatch) }
        }
        return ManifestFile(path: file.source.path, size: reader.size, digest: digest)
    }

    /// Whether the release is not published any more, whatever else is found.
    private var isRefused: Bool { !hashMismatchAllowed && mismatches.withLock { !$0.isEmpty } }

    /// A file of one piece: its digest is known before anything is written.
    private func transferInMemory(
        _ file: PlannedFile,
        _ reader: borrowing SourceReader,
        _ feed: ArchiveFeed
    ) throws(PublishError) -> ContentDigest {
        let buffer = feed.takeBuffer()
        let count = try reader.fill(buffer, from: 0)
        try reader.checkUnchanged()
        var hash = SHA256()
        hash.update(buffer.octets(count))
        let digest = ContentDigest(finishing: hash)
        if let destination, !isRefused {
            try Self.place(digest, file, in: destination) { () throws(PublishError) in
                let output = try destination.create(file.treePath)
                try output.write(buffer.octets(count))
                try output.seal()
            }
        }
        feed.add(buffer, count: count)
        meter.add(count)
        return digest
    }

    private func transferInPieces(
        _ file: PlannedFile,
        _ reader: borrowing SourceReader,
        _ feed: ArchiveFeed,
        _ lanes: PublishLanes
    ) throws(PublishError) -> ContentDigest {
        guard let destination, !isRefused else { return try read(reader, feed, lanes) }
        switch duplicates.likelihood(file) {
        case .new:
            return try copy(file, reader, feed, lanes, destination)
        case .stored:
            return try hashFirst(file, reader, feed, lanes, destination, after: nil)
        case .repeated(let signature):
            guard destination.beginRepeated(signature) else {
                return try hashFirst(file, reader, feed, lanes, destination, after: signature)
            }
            defer { destination.endRepeated(signature) }
            return try copy(file, reader, feed, lanes, destination)
        }
    }

    /// Copies while hashing, since the content is probably new. Where it was there after all, the copy is replaced.
    private func copy(
        _ file: PlannedFile,
        _ reader: borrowing SourceReader,
        _ feed: ArchiveFeed,
        _ lanes: PublishLanes,
        _ destination: StagedContents
    ) throws(PublishError) -> ContentDigest {
        let output = try destination.create(file.treePath)
        let digest = try read(reader, feed, lanes, to: output)
        try Self.place(digest, file, in: destination) { () throws(PublishError) in try output.seal() }
        return digest
    }

    /// Hashes, and copies only where the content is nowhere: then by reading again.
    private func hashFirst(
        _ file: PlannedFile,
        _ reader: borrowing SourceReader,
        _ feed: ArchiveFeed,
        _ lanes: PublishLanes,
        _ destination: StagedContents,
        after signature: LikelyDuplicates.Signature?
    ) throws(PublishError) -> ContentDigest {
        let digest = try read(reader, feed, lanes)
        if let signature { destination.awaitRepeated(signature) }
        try Self.place(digest, file, in: destination) { () throws(PublishError) in
            let output = try destination.create(file.treePath)
            let again = try SourceReader.open(file.source, in: folder)
            let copied = try read(again, .toNowhere(), lanes, to: output, counted: false)
            guard copied == digest else { throw .sourceChanged(path: file.source.source) }
            try output.seal()
        }
        return digest
    }

    /// Reads the whole file by pieces, each of them hashed, written and passed on while a core's cache holds it.
    private func read(
        _ reader: borrowing SourceReader,
        _ feed: ArchiveFeed,
        _ lanes: PublishLanes,
        to output: StagedOutput? = nil,
        counted: Bool = true
    ) throws(PublishError) -> ContentDigest {
        // Of a clone, what it holds is hashed: that cannot change any more.
        var clone: StagedOutput?
        if let output, output.clone(reader.file) { clone = output }
        var hash = SHA256()
        var offset: UInt64 = 0
        while offset < reader.size {
            try lanes.check()
            let buffer = feed.takeBuffer()
            let count: Int
            if let clone {
                count = try clone.fill(buffer, from: offset, as: reader)
            } else {
                count = try reader.fill(buffer, from: offset)
            }
            hash.update(buffer.octets(count))
            if clone == nil { try output?.write(buffer.octets(count)) }
            offset += UInt64(count)
            feed.add(buffer, count: count)
            if counted { meter.add(count) }
        }
        try reader.checkUnchanged()
        return ContentDigest(finishing: hash)
    }

    /// Brings the content to its place: as a further name of one that is there, or as what `write` makes.
    private static func place(
        _ digest: ContentDigest,
        _ file: PlannedFile,
        in destination: StagedContents,
        _ write: () throws(PublishError) -> Void
    ) throws(PublishError) {
        do throws(PublishError) {
            if try destination.link(digest, size: file.size, to: file.treePath) { return }
            try write()
            try destination.bring(digest, size: file.size, at: file.treePath)
        } catch {
            destination.fail(digest)
            throw error
        }
    }
}
