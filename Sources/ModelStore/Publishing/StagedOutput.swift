internal import HostSystem

/// A file that is written in the staging folder. One thread's own.
final class StagedOutput {
    /// Octets between two words to the disk that it may begin. Without them it would begin after half a minute, or
    /// when all is written and somebody waits.
    private static let writeBackEvery: UInt64 = 8 * 1024 * 1024

    private let file: FileDescriptor
    private let path: String
    private let seams: PublishSeams
    private var written: UInt64 = 0
    private var told: UInt64 = 0

    init(_ file: consuming FileDescriptor, path: String, seams: PublishSeams) {
        self.file = file
        self.path = path
        self.seams = seams
    }

    /// Shares the blocks of `source` instead of copying them; false where the file system cannot.
    func clone(_ source: borrowing FileDescriptor) -> Bool {
        do throws(Errno) { try seams.beforeCall(.clone, path) } catch { return false }
        return file.clone(source)
    }

    /// Reads from what is here by now.
    func fill(
        _ buffer: PieceBuffer,
        from offset: UInt64,
        as reader: borrowing SourceReader
    ) throws(PublishError) -> Int {
        try reader.fill(buffer, from: offset, of: file)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(PublishError) {
        try writing(path) { () throws(Errno) in
            try seams.beforeCall(.write, path)
            try file.writeAll(bytes)
        }
        written += UInt64(bytes.count)
        guard written - told >= Self.writeBackEvery else { return }
        file.startWritingBack(from: told, count: written - told)
        told = written
    }

    /// Read-only from now on, and with the time that says so. It is not on the disk yet.
    func seal() throws(PublishError) {
        try writing(path) { () throws(Errno) in
            try file.setPermissions(StagedTree.filePermissions)
            try file.setModified(unixSeconds: ContentPool.sealSeconds)
        }
        file.startWritingBack(from: told, count: written - told)
    }
}
