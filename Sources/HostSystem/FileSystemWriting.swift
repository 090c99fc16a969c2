internal import Glibc

extension FileDescriptor {
    /// Makes the folder at `path`, a path of the operator's; one that is there is no error, whoever made it.
    package static func makeFolder(_ path: String, permissions: UInt32 = 0o755) throws(Errno) {
        do throws(Errno) {
            _ = try retryingInterrupts { mkdir(path, mode_t(permissions)) }
        } catch .exists {}
    }

    /// Opens `name` in this folder as a file to hold a lock on, and makes it where it is not there. A link is refused.
    ///
    /// For reading and writing, since over NFS flock(2) becomes a lock of octets, and an exclusive one of those wants a
    /// file that may be written.
    package func openLockFile(_ name: String) throws(Errno) -> FileDescriptor {
        let number = raw
        return FileDescriptor(
            owning: try retryingInterrupts {
                openat(number, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, mode_t(0o644))
            }
        )
    }

    /// flock(2), waiting until nobody else holds a lock that excludes this one. It goes when the last descriptor of
    /// this open file is closed, a killed process's as well.
    package func lock(exclusive: Bool = true) throws(Errno) {
        _ = try retryingInterrupts { flock(raw, exclusive ? LOCK_EX : LOCK_SH) }
    }

    /// The same without waiting: false where somebody else holds the file.
    package func lockIfFree(exclusive: Bool = true) throws(Errno) -> Bool {
        do throws(Errno) {
            _ = try retryingInterrupts { flock(raw, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) }
            return true
        } catch .again {
            return false
        }
    }
}

extension Errno {
    package static let exists = Errno(rawValue: EEXIST)
}
