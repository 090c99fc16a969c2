internal import Glibc

extension FileDescriptor {
    /// Opens `name` in this folder as a file to hold a lock on, and makes it where it is not there. A link is refused.
    ///
    /// For reading and writing, since over NFS flock(2) becomes a lock of octets, and an exclusive one of those wants a
    /// file that may be written; by all whom the umask lets, since several operators may share a store.
    package func openLockFile(_ name: String) throws(Errno) -> FileDescriptor {
        let number = raw
        return FileDescriptor(
            owning: try retryingInterrupts {
                openat(number, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, mode_t(0o666))
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

    /// Lets go of the lock before the file is closed.
    package func unlock() throws(Errno) {
        _ = try retryingInterrupts { flock(raw, LOCK_UN) }
    }
}
