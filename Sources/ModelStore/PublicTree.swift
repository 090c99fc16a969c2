package import HostSystem
internal import Synchronization

/// The document root, and the only way to a published octet.
///
/// A path is resolved by the kernel beneath the folder's descriptor, and never through a symbolic link, whatever
/// happens to the tree meanwhile: there is no check that a rename could slip past. The root itself may be a link of
/// the operator's. Any thread may use it.
package final class PublicTree: Sendable {
    /// May an open wait for the disk?
    package enum Wait: Sendable {
        /// No: `.wouldWait` when the kernel does not hold every folder on the way in memory.
        case never
        case allowed
    }

    /// The folder as one open after another finds it; the last one that uses it closes it.
    private final class Root: Sendable {
        let folder: FileDescriptor
        /// Linux 5.12 and later. Before that, each open that must not wait is told to ask again from a thread that may.
        let knowsCachedOnly: Bool

        init(_ path: String) throws(StoreError) {
            let folder: FileDescriptor
            do throws(Errno) {
                folder = try FileDescriptor.openFolder(path)
            } catch {
                throw .cannotOpen(folder: path, error)
            }
            do throws(Errno) {
                _ = try FileDescriptor.open(".", beneath: folder, confinement: confinement, folderOnly: true)
            } catch {
                throw .noConfinedOpen(error)
            }
            // "." is always at hand, so that only a kernel that does not know the flag refuses it (EINVAL).
            knowsCachedOnly =
                (try? FileDescriptor.open(
                    ".",
                    beneath: folder,
                    confinement: confinement.union(.cachedOnly),
                    folderOnly: true
                )) != nil
            self.folder = folder
        }
    }

    private let path: String
    private let root: Mutex<Root>

    private static let confinement: PathConfinement = [.beneath, .noSymbolicLinks, .noMagicLinks]

    /// Opens `<root>/Public`. Throws `.cannotOpen`, and `.noConfinedOpen` where the kernel cannot confine a path.
    package init(root: String) throws(StoreError) {
        path = StoreLayout(root: root).absolutePublicFolder
        self.root = Mutex(try Root(path))
    }

    /// Opens the folder anew by its path, which may lead to another one by now; on failure the old one stays.
    package func reopen() throws(StoreError) {
        let new = try Root(path)
        root.withLock { $0 = new }
    }

    /// Opens the regular file at `path` below the document root for reading, if it has the size that its manifest says.
    ///
    /// With `wait` `.never` the call does not wait for the disk. No part of the path is looked at here: a path that
    /// leads outside is refused by the kernel.
    package func open(
        _ path: String,
        expectedSize: UInt64,
        wait: Wait
    ) throws(OpenFailure) -> FileDescriptor {
        var status: FileStatus?
        return try open(path, expectedSize: expectedSize, wait: wait, status: &status)
    }

    /// The same, with what fstat(2) said of the file: by that `isUnchanged` knows it again.
    package func open(
        _ path: String,
        expectedSize: UInt64,
        wait: Wait,
        status: inout FileStatus?
    ) throws(OpenFailure) -> FileDescriptor {
        // A zero octet would end the path early, at another file.
        if path.utf8.contains(0) { throw .missing }
        let root = root.withLock { $0 }
        var confinement = Self.confinement
        if wait == .never {
            if !root.knowsCachedOnly { throw .wouldWait }
            confinement.insert(.cachedOnly)
        }
        let file: FileDescriptor
        do throws(Errno) {
            file = try open(path, in: root, confinement, &status)
        } catch {
            throw OpenFailure(error, wait: wait)
        }
        guard status?.kind == .regular else { throw .notRegular }
        let size = UInt64(clamping: status?.size ?? 0)
        guard size == expectedSize else { throw .wrongSize(found: size) }
        return file
    }

    private func open(
        _ path: String,
        in root: Root,
        _ confinement: PathConfinement,
        _ status: inout FileStatus?
    ) throws(Errno) -> FileDescriptor {
        let file = try FileDescriptor.open(path, beneath: root.folder, confinement: confinement)
        status = try file.status()
        return file
    }

    /// Whether `path` still leads to the file that had `status` when it was opened, and nothing of it has changed.
    ///
    /// An open file says nothing of that: it stays what it is while its name, or that of a folder above, is given to
    /// another. Does not wait for the disk; what cannot be told without is no.
    package func isUnchanged(_ path: String, since status: FileStatus) -> Bool {
        var found: FileStatus?
        guard
            (try? open(path, expectedSize: UInt64(clamping: status.size), wait: .never, status: &found)) != nil,
            let found
        else { return false }
        // Not all of it: octets allocated may change by themselves when the file system writes back.
        return found.device == status.device && found.inode == status.inode && found.size == status.size
            && found.modifiedNanoseconds == status.modifiedNanoseconds
            && found.changedNanoseconds == status.changedNanoseconds
    }
}
