internal import Glibc

extension FileDescriptor {
    /// Opens the folder `name` directly below this one; the last component may be a link only where `followingLink`
    /// says so.
    package func openFolder(_ name: String, followingLink: Bool = false) throws(Errno) -> FileDescriptor {
        let flags = O_RDONLY | O_CLOEXEC | O_DIRECTORY | (followingLink ? 0 : O_NOFOLLOW)
        let number = raw
        return FileDescriptor(owning: try retryingInterrupts { openat(number, name, flags) })
    }

    /// Opens the file `name` directly below this folder for reading. A link is refused with ELOOP, and a FIFO does not
    /// hold the caller.
    package func openFile(_ name: String) throws(Errno) -> FileDescriptor {
        let number = raw
        return FileDescriptor(
            owning: try retryingInterrupts {
                openat(number, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
            }
        )
    }

    /// What fstatat(2) says of `name` in this folder; of a link, the link itself unless `followingLink`.
    package func status(of name: String, followingLink: Bool = false) throws(Errno) -> FileStatus {
        var value = stat()
        _ = try retryingInterrupts { fstatat(raw, name, &value, followingLink ? 0 : AT_SYMLINK_NOFOLLOW) }
        return FileStatus(value)
    }

    /// Calls `body` with the name of each entry but `.` and `..`, in the order of the file system. A name that is not
    /// UTF-8 comes with replacement characters. `body` must not rely on seeing entries made meanwhile.
    ///
    /// One thread at a time for one open folder: the position in it is moved.
    package func forEachName(_ body: (String) -> Void) throws(Errno) {
        try forEachCName { body(String(cString: $0)) }
    }

    /// The same with the octets of the name as they are, a zero behind them; gone when `body` returns.
    package func forEachCName(_ body: (UnsafePointer<CChar>) -> Void) throws(Errno) {
        // fdopendir(3) takes its descriptor over, and this one is to be used on.
        let number = try duplicated().release()
        guard let stream = fdopendir(number) else {
            let error = Errno.current
            _ = close(number)
            throw error
        }
        rewinddir(stream)
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                let error = Errno.current
                if error.rawValue == 0 { return }
                throw trapOnMisuse(error)
            }
            // The name lies inside the record that readdir(3) returned; a Swift copy of `d_name` would be a tuple of
            // 256 members and could read past a short record's end.
            let name = UnsafeRawPointer(entry).advanced(by: MemoryLayout<dirent>.offset(of: \.d_name) ?? 19)
                .assumingMemoryBound(to: CChar.self)
            if name[0] == 0x2E, name[1] == 0 || (name[1] == 0x2E && name[2] == 0) { continue }
            body(name)
        }
    }

    /// The whole content from the current position on, or nil when there are more than `limit` octets.
    package func readAll(limit: Int) throws(Errno) -> [UInt8]? {
        let size = Int(clamping: try status().size)
        if size > limit { return nil }
        // One octet more than the size, so that the end of a file that did not grow is met in the first piece.
        var content = try readPiece(upTo: size + 1)
        var whole = content.count <= size
        while !whole {
            if content.count > limit { return nil }
            let piece = try readPiece(upTo: 64 * 1024)
            whole = piece.count < 64 * 1024
            content += piece
        }
        return content.count > limit ? nil : content
    }

    /// `count` octets from the current position on, or fewer when the file ends before.
    package func readPiece(upTo count: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled...])
                do throws(Errno) {
                    let got = try retryingInterrupts { Glibc.read(raw, rest.baseAddress, rest.count) }
                    if got == 0 { return }
                    filled += got
                } catch {
                    failure = error
                    return
                }
            }
        }
        if let failure { throw failure }
        return piece
    }
}
