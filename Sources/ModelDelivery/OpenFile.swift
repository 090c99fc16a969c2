#if canImport(Darwin)
internal import Darwin
#elseif os(Linux)
internal import Glibc
#endif

/// An open file; closed with its owner. Links are not followed.
struct OpenFile: ~Copyable, Sendable {
    let path: String
    private let descriptor: CInt

    /// For reading and writing; an empty one is made where there is none.
    init(writing path: String) throws(DeliveryError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw SystemFiles.failure("open", path) }
    }

    init(reading path: String) throws(DeliveryError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw SystemFiles.failure("open", path) }
    }

    deinit { close(descriptor) }

    func size() throws(DeliveryError) -> UInt64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemFiles.failure("stat", path) }
        return UInt64(status.st_size)
    }

    /// Writes all of it. A write may take less than it was given, with no error: the rest is written then.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DeliveryError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemFiles.failure("write", path)
            }
            // POSIX allows it for a device that is full; to try again for ever would hang.
            guard count > 0 else { throw SystemFiles.failure("write", path, ENOSPC) }
            done += count
        }
    }

    /// Writes a small file from its beginning.
    func write(_ bytes: [UInt8]) throws(DeliveryError) {
        // `withUnsafeBytes` forgets which kind of error its closure throws.
        try bytes.withUnsafeBytes { buffer -> Result<Void, DeliveryError> in
            do throws(DeliveryError) {
                return .success(try write(buffer, at: 0))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Reads up to the room that there is; 0 at the end of the file.
    func read(into room: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DeliveryError) -> Int {
        while true {
            let count = pread(descriptor, room.baseAddress, room.count, off_t(offset))
            if count >= 0 { return count }
            guard errno == EINTR else { throw SystemFiles.failure("read", path) }
        }
    }

    func truncate(to size: UInt64) throws(DeliveryError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw SystemFiles.failure("truncate", path) }
    }

    /// Has the system begin to write what was written, once for each stretch of 8 MiB that `to` passes, so that `sync`
    /// finds little left to wait for. Without effect off Linux.
    func startWriteback(from offset: UInt64, to end: UInt64) {
        #if os(Linux)
        let stretch: UInt64 = 8 << 20
        guard end / stretch > offset / stretch else { return }
        let start = (offset / stretch) * stretch
        // Linux begins to write dirty pages that nobody needs, and keeps them until they are written. A hint: where it
        // fails, `sync` does all of it and says what is wrong.
        _ = posix_fadvise(descriptor, off_t(start), off_t(end / stretch * stretch - start), POSIX_FADV_DONTNEED)
        #endif
    }

    /// Has its bytes written to the disk.
    func sync() throws(DeliveryError) {
        #if canImport(Darwin)
        // fsync leaves the order of writes to the drive's cache; a barrier keeps bytes before the names that follow.
        if fcntl(descriptor, F_BARRIERFSYNC) != -1 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw SystemFiles.failure("fsync", path) }
    }

    /// Takes the file for this owner until it is closed, against other owners in this process and in others.
    ///
    /// - Parameter waiting: whether to wait for whoever has it.
    /// - Returns: false where another has it.
    func lock(waiting: Bool) throws(DeliveryError) -> Bool {
        while flock(descriptor, LOCK_EX | (waiting ? 0 : LOCK_NB)) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw SystemFiles.failure("flock", path) }
        }
        return true
    }
}

extension OpenFile {
    /// Writes a small file as a whole: beside, to the disk, then renamed, so that nobody ever sees half of it.
    static func replace(_ path: String, with bytes: [UInt8], draft: String) throws(DeliveryError) {
        try SystemFiles.removeFile(draft)
        do {
            let file = try OpenFile(writing: draft)
            try file.write(bytes)
            try file.sync()
        }
        try SystemFiles.rename(draft, path)
        try SystemFiles.syncFolder(path.parentFolder)
    }

    /// The bytes of a small file; nil where there is none, or one of more than `limit`.
    static func contents(_ path: String, limit: Int = 64 << 20) -> [UInt8]? {
        guard let file = try? OpenFile(reading: path), let size = try? file.size(), size <= UInt64(limit) else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                (try? file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: UInt64(done))) ?? 0
            }
            guard count > 0 else { return nil }
            done += count
        }
        return bytes
    }
}

extension String {
    /// What stands before the last slash.
    var parentFolder: String { lastIndex(of: "/").map { String(self[..<$0]) } ?? "." }
}
