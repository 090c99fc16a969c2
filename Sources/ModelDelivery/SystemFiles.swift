internal import Foundation
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif os(Linux)
internal import Glibc
#endif

/// The system's calls on files that Foundation has no word for, or hides the error of. Names that Darwin and Glibc
/// have in common, but for the two `#if` below.
enum SystemFiles {
    static func failure(_ operation: String, _ path: String, _ code: Int32 = errno) -> DeliveryError {
        .fileSystem(operation: operation, path: path, code: code)
    }

    /// The system's words for an error number.
    static func text(of code: Int32) -> String { String(cString: strerror(code)) }

    /// Whether an error number says that the disk, or the user's share of it, is full.
    static func saysFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

    static let alreadyExists = EEXIST

    /// Makes a folder and those above it; one that is there is no error.
    static func makeFolder(_ path: String) throws(DeliveryError) {
        if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw failure("mkdir", path)
        }
        try makeFolder(String(path[..<slash]))
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw failure("mkdir", path) }
    }

    /// The size of a regular file; nil where there is none. Links are not followed.
    static func size(of path: String) -> UInt64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return UInt64(status.st_size)
    }

    /// Whether anything has this name, a link that leads nowhere included.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Which file it is, and how many names it has: to count the bytes of hard links once.
    static func identity(of path: String) -> (device: UInt64, file: UInt64, links: UInt64, size: UInt64)? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return (
            UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino), UInt64(status.st_nlink),
            UInt64(status.st_size)
        )
    }

    static func rename(_ from: String, _ to: String) throws(DeliveryError) {
        #if canImport(Darwin)
        let result = Darwin.rename(from, to)
        #elseif os(Linux)
        let result = Glibc.rename(from, to)
        #endif
        guard result == 0 else { throw failure("rename", to) }
    }

    /// Gives the content of `from` to a new name `to` without reading it, where the file system can: a clone that
    /// shares its blocks (APFS), or another name for the same file. False where it can not.
    static func share(_ from: String, _ to: String) throws(DeliveryError) -> Bool {
        #if canImport(Darwin)
        if clonefile(from, to, 0) == 0 { return true }
        #endif
        if link(from, to) == 0 { return true }
        switch errno {
        case EPERM, EXDEV, EMLINK, ENOTSUP, ENOSYS, EACCES: return false
        default: throw failure("link", to)
        }
    }

    /// Removes a name of a file; that it is not there is no error.
    static func removeFile(_ path: String) throws(DeliveryError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("unlink", path) }
    }

    /// Removes a file or a folder with all in it; that it is not there is no error.
    static func removeTree(_ path: String) throws(DeliveryError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            var status = stat()
            if lstat(path, &status) != 0, errno == ENOENT { return }
            throw failure("remove", path, EIO)
        }
    }

    /// The names in a folder, sorted; none where it is not there.
    static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// Has the names in a folder written to the disk.
    static func syncFolder(_ path: String) throws(DeliveryError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        // Some file systems know no fsync of a folder, and say so; there is nothing to be done about it.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw failure("fsync", path) }
    }

    /// Has many files written to the disk, several at a time: a journal commits for all that wait with one commit.
    static func syncFiles(_ paths: [String]) throws(DeliveryError) {
        let failure = Mutex<DeliveryError?>(nil)
        let width = min(paths.count, 16)
        DispatchQueue.concurrentPerform(iterations: width) { lane in
            for index in stride(from: lane, to: paths.count, by: width) {
                do throws(DeliveryError) {
                    try OpenFile(reading: paths[index]).sync()
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Bytes that the system would give to files in this folder.
    static func freeBytes(in folder: String) -> UInt64 {
        #if canImport(Darwin)
        // Counts what the system would purge for a download that the user waits for; statvfs does not.
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        #if !os(tvOS) && !os(watchOS)
        let values = try? url.resourceValues(forKeys: [.volumeAvailableCapacityForImportantUsageKey])
        if let bytes = values?.volumeAvailableCapacityForImportantUsage, bytes > 0 { return UInt64(bytes) }
        #endif
        let plain = try? url.resourceValues(forKeys: [.volumeAvailableCapacityKey])
        return UInt64(max(0, plain?.volumeAvailableCapacity ?? 0))
        #elseif os(Linux)
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return 0 }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
        #endif
    }

    /// Leaves a tree out of backups: it can be had again. Without effect where there are none.
    static func excludeFromBackup(_ path: String) {
        #if canImport(Darwin)
        var url = URL(fileURLWithPath: path, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? url.setResourceValues(values)
        #endif
    }
}
