internal import CHostLinux
internal import Glibc

/// The owner of a file descriptor: it is closed when the owner goes, once, and cannot be copied.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number, for a call that is made while this owner is alive. It must not be kept or closed.
    package let raw: CInt

    /// Takes over a descriptor that nobody else owns.
    package init(owning raw: CInt) {
        self.raw = raw
    }

    deinit {
        // close(2) is never retried: on Linux the descriptor is gone even when it reports EINTR, and its number may
        // already belong to another thread's file.
        _ = Glibc.close(raw)
    }

    /// Gives the descriptor away; the caller owns it now.
    package consuming func release() -> CInt {
        let number = raw
        discard self
        return number
    }

    /// Another descriptor for the same open file, close-on-exec.
    package func duplicated() throws(Errno) -> FileDescriptor {
        FileDescriptor(owning: try retryingInterrupts { fcntl(raw, F_DUPFD_CLOEXEC, 0) })
    }
}

/// How path resolution is confined; openat2(2).
package struct PathConfinement: OptionSet, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// No component may lead out of the folder: neither `..`, nor an absolute path, nor a link.
    package static let beneath = PathConfinement(rawValue: UInt64(RESOLVE_BENEATH))
    /// A symbolic link anywhere in the path is refused with ELOOP.
    package static let noSymbolicLinks = PathConfinement(rawValue: UInt64(RESOLVE_NO_SYMLINKS))
    /// Links such as those below /proc/self/fd are refused.
    package static let noMagicLinks = PathConfinement(rawValue: UInt64(RESOLVE_NO_MAGICLINKS))
    /// EAGAIN instead of reading a folder from the disk (Linux 5.12).
    package static let cachedOnly = PathConfinement(rawValue: UInt64(RESOLVE_CACHED))
}

extension FileDescriptor {
    /// Opens `path` for reading below `folder`, which is never left where `confinement` says so.
    ///
    /// The flags are O_RDONLY, O_CLOEXEC, O_NONBLOCK (a FIFO must not hold the caller) and O_NOCTTY.
    package static func open(
        _ path: UnsafePointer<CChar>,
        beneath folder: borrowing FileDescriptor,
        confinement: PathConfinement,
        folderOnly: Bool = false
    ) throws(Errno) -> FileDescriptor {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (folderOnly ? O_DIRECTORY : 0)
        let number = folder.raw
        return FileDescriptor(
            owning: try retryingInterrupts {
                chost_openat2(number, path, UInt64(flags), confinement.rawValue)
            }
        )
    }

    /// Opens a folder by a path of the operator's, which may contain links.
    package static func openFolder(_ path: String) throws(Errno) -> FileDescriptor {
        FileDescriptor(
            owning: try retryingInterrupts { Glibc.open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY) }
        )
    }

    /// What fstat(2) says.
    package func status() throws(Errno) -> FileStatus {
        var value = stat()
        _ = try retryingInterrupts { fstat(raw, &value) }
        return FileStatus(value)
    }
}

/// The part of `struct stat` that the server looks at.
package struct FileStatus: Equatable, Sendable {
    package enum Kind: Equatable, Sendable { case regular, folder, symbolicLink, other }

    package let kind: Kind
    /// Octets.
    package let size: Int64
    package let device: UInt64
    package let inode: UInt64
    /// Names that lead to the file; 0 when it was removed while open.
    package let links: UInt64
    /// Octets that the file takes on the disk.
    package let allocated: Int64
    /// Nanoseconds since 1970.
    package let modifiedNanoseconds: Int64
    /// Nanoseconds since 1970, of the last change to the content, the permissions or the names; no program can set it.
    package let changedNanoseconds: Int64

    init(_ value: stat) {
        switch value.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .symbolicLink
        default: kind = .other
        }
        size = Int64(value.st_size)
        device = UInt64(value.st_dev)
        inode = UInt64(value.st_ino)
        links = UInt64(value.st_nlink)
        allocated = Int64(value.st_blocks) * 512
        modifiedNanoseconds = Int64(value.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(value.st_mtim.tv_nsec)
        changedNanoseconds = Int64(value.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(value.st_ctim.tv_nsec)
    }
}
