internal import CHostLinux
internal import Glibc

/// Something below a folder that is walked.
package struct WalkedEntry: Sendable {
    /// From the folder on, as the kernel gives it: any octets but zero, and not always UTF-8.
    package let path: [UInt8]
    /// Of a link, the link's own.
    package let status: FileStatus
}

/// Where a walk ended, and why.
package struct WalkFailure: Error, Equatable, Sendable {
    /// From the folder on; empty for the folder itself.
    package let path: [UInt8]
    package let error: Errno
}

extension FileDescriptor {
    /// Calls `visit` with everything below this folder, in no order, a folder before what it holds. Links are not
    /// followed. What a folder holds is left out when `visit` says false for it.
    ///
    /// Two descriptors at a time whatever the depth: a folder is opened anew by its path, beneath this one. So a
    /// folder whose path passes `maximumWalkedPath` cannot be entered, and `visit` must say false for it.
    ///
    /// - Throws: at the first folder that cannot be listed and the first entry that is gone before it was looked at.
    package func walk(_ visit: (WalkedEntry) -> Bool) throws(WalkFailure) {
        var folders: [[UInt8]] = [[]]
        while let folder = folders.popLast() {
            for entry in try entries(of: folder) where visit(entry) && entry.status.kind == .folder {
                folders.append(entry.path)
            }
        }
    }

    /// Octets: PATH_MAX counts a zero at the end.
    package static var maximumWalkedPath: Int { Int(PATH_MAX) - 1 }

    /// Opens what stands at a path that `walk` gave, for reading: no link on the way, and a FIFO does not hold the
    /// caller.
    package func open(walked path: [UInt8], folderOnly: Bool = false) throws(Errno) -> FileDescriptor {
        let name = path.isEmpty ? [0x2E, 0] : (path + [0]).map { CChar(bitPattern: $0) }
        return try FileDescriptor.open(
            name,
            beneath: self,
            confinement: [.beneath, .noSymbolicLinks, .noMagicLinks],
            folderOnly: folderOnly
        )
    }

    /// Opens a file by a path of the operator's, which may contain links, for reading.
    package static func openFile(operatorsPath path: String) throws(Errno) -> FileDescriptor {
        FileDescriptor(
            owning: try retryingInterrupts { Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
        )
    }

    private func entries(of folder: [UInt8]) throws(WalkFailure) -> [WalkedEntry] {
        let prefix = folder.isEmpty ? [] : folder + [UInt8(ascii: "/")]
        var entries: [WalkedEntry] = []
        var failure: WalkFailure?
        do throws(Errno) {
            let opened = try open(walked: folder, folderOnly: true)
            let number = opened.raw
            try opened.forEachCName { name in
                if failure != nil { return }
                let path = prefix + UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) }
                var value = stat()
                do throws(Errno) {
                    _ = try retryingInterrupts { fstatat(number, name, &value, AT_SYMLINK_NOFOLLOW) }
                    entries.append(WalkedEntry(path: path, status: FileStatus(value)))
                } catch {
                    failure = WalkFailure(path: path, error: error)
                }
            }
        } catch {
            throw WalkFailure(path: folder, error: error)
        }
        if let failure { throw failure }
        return entries
    }
}
