/// The octets that a loop has received for the connection it serves at this moment.
///
/// One buffer a loop: a connection owns memory for input only while a request of it is incomplete (its stash), so that
/// ten thousand idle ones cost nothing. Used on the loop's thread only.
final class InputWindow {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private var start = 0
    private var end = 0

    /// `capacity`: at least the largest head and the largest discarded body together, and some more to read into.
    init(capacity: Int) {
        buffer = .allocate(capacity: capacity)
        buffer.initialize(repeating: 0)
    }

    deinit {
        buffer.deallocate()
    }

    var count: Int { end - start }
    var isEmpty: Bool { start == end }

    /// The octets that are there. Valid until the window is changed.
    var octets: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: buffer[start..<end])
    }

    /// Begins with what a connection had left over.
    func load(_ stash: [UInt8]) {
        start = 0
        end = stash.count
        precondition(end <= buffer.count)
        stash.withUnsafeBufferPointer { _ = buffer.update(fromContentsOf: $0) }
    }

    /// Drops `count` octets at the front.
    func consume(_ count: Int) {
        precondition(count <= end - start)
        start += count
        if start == end { clear() }
    }

    func clear() {
        start = 0
        end = 0
    }

    /// Room for what is received next, `limit` octets at most; empty only when a full window is in use.
    func room(atMost limit: Int = .max) -> UnsafeMutableRawBufferPointer {
        if start > 0, buffer.count - end < buffer.count / 4 {
            // The two places may overlap; update(fromContentsOf:) of the standard library moves them as memmove does.
            _ = buffer.update(fromContentsOf: buffer[start..<end])
            end -= start
            start = 0
        }
        return UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[end...].prefix(limit)))
    }

    /// `count` octets were written into the room.
    func received(_ count: Int) {
        end += count
        precondition(end <= buffer.count)
    }
}
