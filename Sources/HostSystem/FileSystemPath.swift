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
