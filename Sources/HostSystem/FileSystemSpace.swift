internal import Glibc

/// What is free on the file system that a file lies on.
package struct FileSystemSpace: Equatable, Sendable {
    /// Octets that an ordinary user may still write; those kept for root are not among them.
    package let available: UInt64
    /// Octets that a file's size is rounded up to on the disk.
    package let blockSize: UInt64
}

extension FileDescriptor {
    /// fstatvfs(3).
    package func space() throws(Errno) -> FileSystemSpace {
        var value = statvfs()
        _ = try retryingInterrupts { fstatvfs(raw, &value) }
        let block = UInt64(value.f_frsize)
        let (available, overflow) = UInt64(value.f_bavail).multipliedReportingOverflow(by: block)
        return FileSystemSpace(available: overflow ? .max : available, blockSize: max(1, block))
    }
}
