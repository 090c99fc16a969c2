internal import CHostLinux
internal import Glibc

extension FileDescriptor {
    /// Makes the folder at `path`, a path of the operator's, with these permissions whatever the umask says; one that is
    /// there is no error, whoever made it, and stays as it is.
    package static func makeFolder(_ path: String, permissions: UInt32 = 0o755) throws(Errno) {
        do throws(Errno) {
            _ = try retryingInterrupts { mkdir(path, mode_t(permissions)) }
            try permit(permissions, AT_FDCWD, path)
        } catch .exists {}
    }

    /// Makes the folder `path` below this one, with these permissions whatever the umask says: who runs a command and who
    /// runs the server may be two users. False where something of that name is there already.
    package func makeFolder(below path: String, permissions: UInt32 = 0o755) throws(Errno) -> Bool {
        let number = raw
        do throws(Errno) {
            _ = try retryingInterrupts { mkdirat(number, path, mode_t(permissions)) }
        } catch .exists {
            return false
        }
        try Self.permit(permissions, number, path)
        return true
    }

    /// Gives a new folder what the umask took. The bits above stay: from a folder that hands its group on, the new one
    /// has inherited that.
    private static func permit(_ permissions: UInt32, _ folder: CInt, _ path: String) throws(Errno) {
        var value = stat()
        _ = try retryingInterrupts { fstatat(folder, path, &value, AT_SYMLINK_NOFOLLOW) }
        let wanted = value.st_mode & 0o7000 | mode_t(permissions)
        if value.st_mode & 0o7777 == wanted { return }
        _ = try retryingInterrupts { fchmodat(folder, path, wanted, 0) }
    }

    /// Makes the file `path` below this folder and opens it for reading and writing. EEXIST where something of that
    /// name is there, a link included.
    package func createFile(_ path: String, permissions: UInt32 = 0o644) throws(Errno) -> FileDescriptor {
        let number = raw
        return FileDescriptor(
            owning: try retryingInterrupts {
                openat(number, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(permissions))
            }
        )
    }

    /// Writes all of `bytes` at the current position. On failure, ENOSPC for one, a part may have been written.
    package func writeAll(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
        var rest = bytes
        while !rest.isEmpty {
            let written = try retryingInterrupts { write(raw, rest.baseAddress, rest.count) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// Writes all of `bytes` at the current position. On failure a part may have been written.
    package func writeAll(_ bytes: [UInt8]) throws(Errno) {
        var failure: Errno?
        bytes.withUnsafeBytes { pointer in
            do throws(Errno) { try writeAll(pointer) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Tells the disk to begin with these octets, so that a later `synchronize` has less to wait for. A file system that
    /// does not know how is no error.
    package func startWritingBack(from offset: UInt64, count: UInt64) {
        _ = chost_start_writing_back(raw, off_t(clamping: offset), off_t(clamping: count))
    }

    /// Makes this empty file share the blocks of `source`; false where the file system cannot, or they are two.
    package func clone(_ source: borrowing FileDescriptor) -> Bool {
        chost_clone_file(raw, source.raw) == 0
    }

    /// fsync(2): content and names are on the disk when it returns. Of a folder, the names in it.
    package func synchronize() throws(Errno) {
        _ = try retryingInterrupts { fsync(raw) }
    }

    /// fchmod(2): the lower twelve bits of the mode, whatever the umask.
    package func setPermissions(_ permissions: UInt32) throws(Errno) {
        _ = try retryingInterrupts { fchmod(raw, mode_t(permissions)) }
    }

    /// Sets the time of the last modification, in seconds since 1970; the access time stays.
    package func setModified(unixSeconds: Int64) throws(Errno) {
        let times = [timespec(tv_sec: 0, tv_nsec: Self.omitted), timespec(tv_sec: time_t(unixSeconds), tv_nsec: 0)]
        _ = try retryingInterrupts { futimens(raw, times) }
    }

    /// UTIME_OMIT of <bits/stat.h>, which is a macro with a cast.
    private static let omitted = (1 << 30) - 2
}

extension Errno {
    package static let exists = Errno(rawValue: EEXIST)
    package static let isFolder = Errno(rawValue: EISDIR)
    package static let notPermitted = Errno(rawValue: EPERM)
    package static let notEmpty = Errno(rawValue: ENOTEMPTY)
    package static let invalid = Errno(rawValue: EINVAL)
    package static let notSupported = Errno(rawValue: EOPNOTSUPP)
    package static let quotaExceeded = Errno(rawValue: EDQUOT)
    /// A file has as many names as the file system allows: link(2).
    package static let fileLinkLimit = Errno(rawValue: EMLINK)
}
