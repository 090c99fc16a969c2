import Glibc
import HostSystem

/// A folder of a test's own, which goes when the last one who holds it does, with whatever was put there, and
/// whatever permissions it was left with.
package final class TemporaryFolder: Sendable {
    /// Absolute.
    package let path: String

    package init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/aimodel-host-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno.current }
        path = template.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    deinit {
        try? Self.remove(path)
    }

    /// Removes a file, a link, or a folder with all it holds, however deep and whatever the names. Links are not
    /// followed.
    package static func remove(_ path: String) throws {
        try remove(Array(path.utf8CString), in: AT_FDCWD)
    }

    private static func remove(_ name: [CChar], in folder: CInt) throws {
        if unlinkat(folder, name, 0) == 0 { return }
        let error = Errno.current
        guard error.rawValue == EISDIR || error.rawValue == EPERM else { throw error }
        fchmodat(folder, name, 0o700, 0)
        let number = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { throw Errno.current }
        let opened = FileDescriptor(owning: number)
        var names: [[CChar]] = []
        try opened.forEachCName { names.append(Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1))) }
        for name in names { try remove(name, in: opened.raw) }
        guard unlinkat(folder, name, AT_REMOVEDIR) == 0 else { throw Errno.current }
    }

    /// Makes a folder and those above it; one that is there is no error.
    package static func makeFolder(_ path: String) throws {
        if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { throw Errno.current }
        try makeFolder(String(path[..<slash]))
        if mkdir(path, 0o755) != 0, errno != EEXIST { throw Errno.current }
    }

    /// Writes a file and the folders above it. As a publisher does: beside, then renamed, so that nobody sees half.
    package static func write(_ bytes: [UInt8], to path: String) throws {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let folder = String(path[..<slash])
        try makeFolder(folder)
        let draft = "\(folder)/.draft.\(path[path.utf8.index(after: slash)...].prefix(200))"
        try writeInPlace(bytes, to: draft)
        guard rename(draft, path) == 0 else { throw Errno.current }
    }

    /// Writes over a file, as a careless editor does.
    package static func writeInPlace(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Errno.current }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw Errno.current }
            rest = rest.dropFirst(count)
        }
    }

    /// Makes a file of `size` octets that takes next to no room: a hole, and `tail` at its end.
    package static func writeSparse(size: UInt64, tail: [UInt8], to path: String) throws {
        try writeInPlace([], to: path)
        guard truncate(path, off_t(size)) == 0 else { throw Errno.current }
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw Errno.current }
        defer { close(file) }
        let written = tail.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(size) - off_t($0.count)) }
        guard written == tail.count else { throw Errno.current }
    }
}
