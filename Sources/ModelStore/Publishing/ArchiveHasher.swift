internal import HostSystem
internal import ModelCatalog

/// The way of what one thread reads to the one that hashes the archive. Buffers go round on it: who reads waits until
/// one is free, so memory is bounded whichever of the two is slower.
final class ArchiveFeed: Sendable {
    fileprivate enum Piece: Sendable {
        case octets(PieceBuffer, count: Int)
        case headers([UInt8])
        case zeros(Int)
    }

    fileprivate struct Queue: Sendable {
        var pieces: [Piece] = []
        var free: [PieceBuffer]
        var ended = false
    }

    fileprivate let queue: Monitor<Queue>
    private let leadsToArchive: Bool

    private init(buffers: Int, leadsToArchive: Bool) {
        queue = Monitor(Queue(free: (0..<buffers).map { _ in PieceBuffer() }))
        self.leadsToArchive = leadsToArchive
    }

    /// For an archive's hasher.
    fileprivate static func toArchive() -> ArchiveFeed { ArchiveFeed(buffers: 4, leadsToArchive: true) }

    /// For files that are in no archive: what is added is done with.
    static func toNowhere() -> ArchiveFeed { ArchiveFeed(buffers: 1, leadsToArchive: false) }

    /// A buffer, whose content is arbitrary; waits until one is free. Give it back with `add`.
    func takeBuffer() -> PieceBuffer {
        queue.await { $0.free.popLast() }
    }

    /// Adds the first `count` octets of a buffer that `takeBuffer` gave, and takes it back.
    func add(_ buffer: PieceBuffer, count: Int) {
        queue.update {
            if leadsToArchive { $0.pieces.append(.octets(buffer, count: count)) } else { $0.free.append(buffer) }
        }
    }

    func add(headers: [UInt8]) {
        queue.update { $0.pieces.append(.headers(headers)) }
    }

    /// `count` zeros.
    func add(zeros count: Int) {
        queue.update { $0.pieces.append(.zeros(count)) }
    }

    fileprivate func next() -> Piece? {
        let next: Piece?? = queue.await { queue in
            if !queue.pieces.isEmpty { return .some(queue.pieces.removeFirst()) }
            return queue.ended ? .some(nil) : nil
        }
        return next ?? nil
    }
}

/// The SHA-256 of an asset's archive, taken on a thread of its own while another reads the files: each octet is hashed
/// twice, for its file and for the archive, and so two cores share one big file.
struct ArchiveHasher: ~Copyable {
    let feed: ArchiveFeed
    private let thread: OSThread
    private let result: Monitor<ContentDigest?>

    init() throws(PublishError) {
        let feed = ArchiveFeed.toArchive()
        let result = Monitor<ContentDigest?>(nil)
        self.feed = feed
        self.result = result
        do throws(Errno) {
            thread = try OSThread(name: "archive-hash") {
                let digest = Self.digest(of: feed)
                result.update { $0 = digest }
            }
        } catch {
            throw .noThread(error)
        }
    }

    /// The digest of all that was added; ends the thread.
    consuming func finish() -> ContentDigest {
        let result = result
        feed.queue.update { $0.ended = true }
        thread.join()
        return result.await { $0 }
    }

    /// Ends the thread; what is still to be hashed is dropped.
    consuming func abandon() {
        feed.queue.update {
            $0.pieces = []
            $0.ended = true
        }
        thread.join()
    }

    private static func digest(of feed: ArchiveFeed) -> ContentDigest {
        var hash = SHA256()
        let zeros = [UInt8](repeating: 0, count: 1024)
        while let piece = feed.next() {
            switch piece {
            case .octets(let buffer, let count):
                hash.update(buffer.octets(count))
                feed.queue.update { $0.free.append(buffer) }
            case .headers(let bytes):
                hash.update(bytes)
            case .zeros(var count):
                while count > 0 {
                    let part = min(count, zeros.count)
                    zeros.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<part])) }
                    count -= part
                }
            }
        }
        return ContentDigest(finishing: hash)
    }
}

extension ContentDigest {
    /// The digest of all that was added to `hash`.
    init(finishing hash: consuming SHA256) {
        guard let digest = ContentDigest(bytes: hash.finish()) else {
            preconditionFailure("a SHA-256 digest has \(ContentDigest.byteCount) octets")
        }
        self = digest
    }
}
