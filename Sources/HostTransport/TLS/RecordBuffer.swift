internal import HostSystem

/// What goes into the next record of TLS, gathered from an answer's head and body. One a loop, used on its thread only.
final class RecordBuffer {
    /// The most that a record holds (RFC 8446 5.1).
    private static let capacity = 16 << 10
    private let buffer: UnsafeMutableRawBufferPointer
    private var count = 0

    init() {
        buffer = .allocate(byteCount: Self.capacity, alignment: 64)
    }

    deinit {
        buffer.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// The octets that are there. Valid until the buffer is changed.
    var octets: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

    private var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: buffer[count...]) }

    func clear() { count = 0 }

    /// Adds as many of these octets as there is room for.
    func append(_ bytes: UnsafeRawBufferPointer) {
        let fitting = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.capacity - count))
        room.copyMemory(from: fitting)
        count += fitting.count
    }

    /// Adds as many octets of a file; may wait for the disk, as sendfile(2) may. Whatever is wrong with the file is seen
    /// again when nothing but it is left to be sent.
    func append(_ file: borrowing FileDescriptor, offset: UInt64, count wanted: UInt64) {
        let fitting = Int(min(wanted, UInt64(Self.capacity - count)))
        let part = UnsafeMutableRawBufferPointer(rebasing: room.prefix(fitting))
        guard !part.isEmpty, let read = try? file.fill(part, at: Int64(offset)) else { return }
        count += read
    }
}
