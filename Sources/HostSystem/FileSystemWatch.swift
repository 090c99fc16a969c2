internal import CHostLinux
internal import Glibc

/// What changed in a watched folder; inotify(7).
package struct FolderEvent: Sendable {
    /// The watch that noticed it; -1 with `overflowed`.
    package let watch: CInt
    /// The entry's name, empty where the event is about the folder itself.
    package let name: String
    /// The kernel's queue was full: events are lost, and only a look at everything tells what changed.
    package let overflowed: Bool
    /// The watch is gone, because the folder is, or because it was removed.
    package let watchEnded: Bool
    /// The watched folder itself was removed or renamed.
    package let folderLeft: Bool
}

/// The owner of an inotify instance.
package struct FolderWatch: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// The number, for poll(2) while this owner is alive.
    package var raw: CInt { descriptor.raw }

    /// Throws ENOSYS where the kernel has no inotify, EMFILE where the user has too many instances.
    package init() throws(Errno) {
        descriptor = FileDescriptor(
            owning: try retryingInterrupts { inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK)) }
        )
    }

    /// Watches the folder at `path` for entries that come, go or are written. The same folder gives the same number.
    ///
    /// Throws ENOSPC when the user's number of watches (`fs.inotify.max_user_watches`) is reached.
    package func add(_ path: String, followingLink: Bool = false, entriesOnly: Bool = false) throws(Errno) -> CInt {
        // IN_CREATE tells of folders and links, which are never closed after writing; IN_ATTRIB of a file that became
        // readable, and of a hard link.
        var mask = IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
        if !entriesOnly { mask |= IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB }
        if !followingLink { mask |= IN_DONT_FOLLOW }
        return try retryingInterrupts { inotify_add_watch(raw, path, UInt32(mask)) }
    }

    /// Ends a watch; one that is gone already is no error.
    package func remove(_ watch: CInt) {
        _ = inotify_rm_watch(raw, watch)
    }

    /// Hands over the events that wait, and returns when there are none left.
    package func drain(_ body: (FolderEvent) -> Void) throws(Errno) {
        // Room for some hundred events; the kernel asks for at least one with a name of NAME_MAX.
        var buffer = [UInt64](repeating: 0, count: 2048)
        let size = buffer.count * MemoryLayout<UInt64>.stride
        while true {
            let count: Int
            do throws(Errno) {
                count = try retryingInterrupts { read(raw, &buffer, size) }
            } catch {
                if error == .again { return }
                throw error
            }
            if count == 0 { return }
            buffer.withUnsafeBytes { Self.forEachEvent(in: UnsafeRawBufferPointer(rebasing: $0[..<count]), body) }
        }
    }

    private static func forEachEvent(in bytes: UnsafeRawBufferPointer, _ body: (FolderEvent) -> Void) {
        let headerSize = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + headerSize <= bytes.count {
            let header = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            offset += headerSize
            // The name is padded with zeros to a multiple of the header's size.
            let field = bytes[offset...].prefix(Int(header.len))
            offset += Int(header.len)
            let has = { (flag: Int) in header.mask & UInt32(flag) != 0 }
            body(
                FolderEvent(
                    watch: header.wd,
                    name: String(decoding: field.prefix { $0 != 0 }, as: UTF8.self),
                    overflowed: has(Int(IN_Q_OVERFLOW)),
                    watchEnded: has(Int(IN_IGNORED)),
                    folderLeft: has(Int(IN_DELETE_SELF) | Int(IN_MOVE_SELF))
                )
            )
        }
    }
}
