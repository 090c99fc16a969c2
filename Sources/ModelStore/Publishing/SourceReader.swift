internal import HostSystem

/// A file of the release's folder, open, and held against what it was: before, while and after it is read.
struct SourceReader: ~Copyable {
    let file: FileDescriptor
    /// Octets.
    let size: UInt64
    private let path: String
    private let before: FileStatus

    /// Opens the file if it is the one that was inspected. No link is followed on the way, whatever the folder has
    /// become meanwhile.
    static func open(
        _ source: SourceFile,
        in folder: borrowing FileDescriptor
    ) throws(PublishError) -> SourceReader {
        let file = try openFile(source, folder)
        let before = try status(of: file, source.source)
        guard before.isSameContent(as: source.status) else { throw .sourceChanged(path: source.source) }
        return SourceReader(file: file, path: source.source, before: before)
    }

    private init(file: consuming FileDescriptor, path: String, before: FileStatus) {
        self.file = file
        self.path = path
        self.before = before
        size = UInt64(clamping: before.size)
    }

    private static func openFile(
        _ source: SourceFile,
        _ folder: borrowing FileDescriptor
    ) throws(PublishError) -> FileDescriptor {
        do throws(Errno) {
            return try FileDescriptor.open(
                source.source,
                beneath: folder,
                confinement: [.beneath, .noSymbolicLinks, .noMagicLinks]
            )
        } catch {
            // Gone, or a link now.
            if error == .noEntry || error == .notFolder || error == .tooManyLinks {
                throw .sourceChanged(path: source.source)
            }
            throw .sourceUnreadable(path: source.source, error)
        }
    }

    private static func status(
        of file: borrowing FileDescriptor,
        _ path: String
    ) throws(PublishError) -> FileStatus {
        do throws(Errno) { return try file.status() } catch { throw .sourceUnreadable(path: path, error) }
    }

    /// Fills `buffer` from `offset` on, up to its size or the end of the file, and returns how many octets that are.
    func fill(_ buffer: PieceBuffer, from offset: UInt64) throws(PublishError) -> Int {
        try fill(buffer, from: offset, of: file)
    }

    /// The same from a clone of the file.
    func fill(
        _ buffer: PieceBuffer,
        from offset: UInt64,
        of file: borrowing FileDescriptor
    ) throws(PublishError) -> Int {
        let wanted = Int(min(UInt64(PieceBuffer.size), size - offset))
        var filled = 0
        while filled < wanted {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[filled..<wanted])
            switch file.read(into: rest, at: Int64(offset) + Int64(filled)) {
            case .octets(let count): filled += count
            // Cut since it was opened.
            case .end, .wouldBlock: throw .sourceChanged(path: path)
            case .failed(let error): throw .sourceUnreadable(path: path, error)
            }
        }
        return filled
    }

    /// Throws `.sourceChanged` where anything was done to the file since it was opened. Call it after the last octet.
    func checkUnchanged() throws(PublishError) {
        let after = try Self.status(of: file, path)
        // The time of the last change cannot be set back, as that of the last modification can.
        guard after.isSameContent(as: before), after.changedNanoseconds == before.changedNanoseconds else {
            throw .sourceChanged(path: path)
        }
    }
}

extension FileStatus {
    /// As far as can be told without reading: the same file, as long as before, not modified since.
    fileprivate func isSameContent(as other: FileStatus) -> Bool {
        kind == .regular && device == other.device && inode == other.inode && size == other.size
            && modifiedNanoseconds == other.modifiedNanoseconds
    }
}
