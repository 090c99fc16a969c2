internal import Foundation
internal import ModelCatalog
internal import Synchronization

/// A file that is being fetched, and the hash of what is on disk of it.
///
/// One thread appends. The hash follows on another, and reads what it hashes back from the file: so it is of what was
/// written, a partial of an earlier process is hashed in the same way, and no buffer grows where hashing is slower
/// than the network.
final class PartialFile: Sendable {
    let path: String
    /// What it will be, in bytes.
    let size: UInt64
    private let file: OpenFile
    private let writeFault: (@Sendable (UInt64, Int) -> Int32?)?
    private let written: Atomic<UInt64>
    /// Whether a thread is hashing, or is about to.
    private let isFollowing = Atomic(false)
    private let hashing = Mutex(Hashing())

    private struct Hashing: ~Copyable {
        var digest = StreamingDigest()
        var position: UInt64 = 0
        var failure: DeliveryError?
    }

    /// Bytes that are hashed at once; also what must have been written before the hash follows.
    static let piece = 1 << 18
    private static let queue = DispatchQueue(label: "ModelDelivery.digest", qos: .utility, attributes: .concurrent)

    /// Opens what an earlier attempt left; makes an empty one where there is nothing.
    init(path: String, size: UInt64, seams: DeliverySeams) throws(DeliveryError) {
        self.path = path
        self.size = size
        writeFault = seams.writeFault
        let file = try OpenFile(writing: path)
        written = Atomic(try file.size())
        self.file = file
    }

    /// Bytes on disk.
    var length: UInt64 { written.load(ordering: .acquiring) }

    func append(_ bytes: UnsafeRawBufferPointer) throws(DeliveryError) {
        let offset = length
        if let code = writeFault?(offset, bytes.count) { throw SystemFiles.failure("write", path, code) }
        try file.write(bytes, at: offset)
        let end = offset + UInt64(bytes.count)
        written.store(end, ordering: .releasing)
        file.startWriteback(from: offset, to: end)
        guard end >= UInt64(Self.piece), !isFollowing.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Self.queue.async { [self] in
            isFollowing.store(false, ordering: .releasing)
            catchUp()
        }
    }

    /// Cuts it to nothing.
    func startOver() throws(DeliveryError) {
        try hashing.withLock { hashing throws(DeliveryError) in
            written.store(0, ordering: .releasing)
            try file.truncate(to: 0)
            hashing = Hashing()
        }
    }

    /// The digest of all that is on disk.
    func digest() async throws(DeliveryError) -> ContentDigest {
        try await offThread { [self] (flag: CancelFlag) throws(DeliveryError) in
            catchUp(flag)
            return try hashing.withLock { hashing throws(DeliveryError) in
                var finished = Hashing()
                swap(&finished, &hashing)
                if let failure = finished.failure { throw failure }
                return finished.digest.finish()
            }
        }
    }

    /// Has its bytes written to the disk.
    func sync() async throws(DeliveryError) {
        try await offThread { [self] () throws(DeliveryError) in try file.sync() }
    }

    private func catchUp(_ flag: CancelFlag? = nil) {
        hashing.withLock { hashing in
            guard hashing.failure == nil else { return }
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.piece, alignment: 64)
            defer { room.deallocate() }
            do throws(DeliveryError) {
                while hashing.position < length {
                    try flag?.check()
                    let count = try file.read(into: room, at: hashing.position)
                    guard count > 0 else { throw SystemFiles.failure("read", path, 0) }
                    hashing.digest.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
                    hashing.position += UInt64(count)
                }
            } catch {
                hashing.failure = error
            }
        }
    }
}
