/// A buffer that goes round between the thread that reads a file and the one that hashes an archive.
// @unchecked: it has one holder at a time. The reader takes it from the free ones, fills it, and hands it over by a
// queue under a lock; the hasher only reads it, and puts it back by the same lock. An array would do, were it not
// copied whenever a reference to it lives a moment too long.
final class PieceBuffer: @unchecked Sendable {
    /// Octets. Large enough that handing one over costs nothing, small enough for a core's cache.
    static let size = 1024 * 1024

    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: PieceBuffer.size, alignment: 4096)

    deinit {
        bytes.deallocate()
    }

    /// The first `count` octets.
    func octets(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }
}
