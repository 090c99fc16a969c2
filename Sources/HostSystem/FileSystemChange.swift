internal import Glibc

extension FileDescriptor {
    /// Fills `buffer` from `offset` on, and returns how much of it: less than all only at the end of the file. The
    /// descriptor's own position stays, so that several threads may read one open file.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let place = off_t(offset) + off_t(filled)
            let got = try retryingInterrupts { pread(raw, rest.baseAddress, rest.count, place) }
            if got == 0 { break }
            filled += got
        }
        return filled
    }

    /// Tells the kernel that the file will be read once from its beginning to its end: it reads ahead twice as far.
    package func expectSequentialReading() {
        _ = posix_fadvise(raw, 0, 0, POSIX_FADV_SEQUENTIAL)
    }
}

// MARK: Trees

extension FileDescriptor {
    /// As `removeTree`, for a tree that others may have put things into: names need not be UTF-8, and `body` is called
    /// with each file that no other name leads to, whose octets come back.
    ///
    /// Takes a descriptor for each level. Throws the first thing that could not be removed; what was is gone.
    package func reclaimTree(_ name: String, onLastLink body: (FileStatus) -> Void) throws(Errno) {
        try reclaimTree(raw: name.utf8CString.map { $0 }, body)
    }

    private func reclaimTree(raw name: [CChar], _ body: (FileStatus) -> Void) throws(Errno) {
        var value = stat()
        _ = try retryingInterrupts { fstatat(raw, name, &value, AT_SYMLINK_NOFOLLOW) }
        let status = FileStatus(value)
        guard status.kind == .folder else {
            _ = try retryingInterrupts { unlinkat(raw, name, 0) }
            if status.links == 1 { body(status) }
            return
        }
        try emptyFolder(name, body)
        _ = try retryingInterrupts { unlinkat(raw, name, AT_REMOVEDIR) }
    }

    private func emptyFolder(_ name: [CChar], _ body: (FileStatus) -> Void) throws(Errno) {
        let number = raw
        let folder = FileDescriptor(
            owning: try retryingInterrupts { openat(number, name, O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW) }
        )
        // Published folders are 0555.
        _ = try retryingInterrupts { fchmod(folder.raw, 0o700) }
        for entry in try folder.rawNames() { try folder.reclaimTree(raw: entry, body) }
    }

    /// As `forEachName`, with the octets as they are, each name ended by a zero.
    private func rawNames() throws(Errno) -> [[CChar]] {
        let number = try duplicated().release()
        guard let stream = fdopendir(number) else {
            let error = Errno.current
            _ = close(number)
            throw error
        }
        rewinddir(stream)
        defer { closedir(stream) }
        var names: [[CChar]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                let error = Errno.current
                if error.rawValue == 0 { return names }
                throw trapOnMisuse(error)
            }
            // Read inside the kernel's record only, as in `forEachName`.
            let name = UnsafeRawPointer(entry).advanced(by: MemoryLayout<dirent>.offset(of: \.d_name) ?? 19)
                .assumingMemoryBound(to: CChar.self)
            if name[0] == 0x2E, name[1] == 0 || (name[1] == 0x2E && name[2] == 0) { continue }
            names.append(Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1)))
        }
    }
}
