internal import Glibc

/// Calls that take a whole path: for files of the operator's own, such as a database, never for published ones.
package enum FileSystemPath {
    /// What stat(2) says of `path`, links followed. The file is not opened.
    package static func status(_ path: String) throws(Errno) -> FileStatus {
        var value = stat()
        _ = try retryingInterrupts { stat(path, &value) }
        return FileStatus(value)
    }

    /// rename(2).
    package static func rename(_ path: String, to other: String) throws(Errno) {
        _ = try retryingInterrupts { Glibc.rename(path, other) }
    }

    /// unlink(2).
    package static func remove(_ path: String) throws(Errno) {
        _ = try retryingInterrupts { unlink(path) }
    }

    /// mkdir(2) with mode 0755, as the umask cuts it; a folder that is there is no error.
    package static func makeFolder(_ path: String) throws(Errno) {
        do throws(Errno) {
            _ = try retryingInterrupts { mkdir(path, 0o755) }
        } catch {
            guard error.rawValue == EEXIST else { throw error }
        }
    }
}

extension FileSystemPath {
    /// The octets of the file at `path`, links followed. EFBIG where there are more than `limit`.
    package static func contents(of path: String, atMost limit: Int) throws(Errno) -> [UInt8] {
        // O_NONBLOCK: a FIFO must not hold the caller.
        let file = FileDescriptor(
            owning: try retryingInterrupts { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        )
        var octets: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = try retryingInterrupts { read(file.raw, &piece, piece.count) }
            if count == 0 { return octets }
            octets += piece[..<count]
            if octets.count > limit { throw Errno(rawValue: EFBIG) }
        }
    }
}
