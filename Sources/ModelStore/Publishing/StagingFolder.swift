internal import HostSystem
internal import ModelCatalog

/// Where a release is put together, out of sight: a folder of the publisher's own in `Public/.staging`.
///
/// Whoever holds the lock in it lives. The folder is made, and the lock taken, while the store's lock is held, and
/// nobody looks for dead ones without that: a new folder is never taken for a dead one.
final class StagingFolder: Sendable {
    static let lockName = "lock"
    static let intentName = "commit"
    /// A name for a moment, when a file is to take another's place.
    static let swapName = "swap"

    let name: String
    let folder: FileDescriptor
    /// The version's folder to be.
    let tree: FileDescriptor
    private let lock: FileDescriptor

    /// Call it with the store's lock held. Where it throws, nothing is left.
    init(in folders: PublishingFolders, seams: PublishSeams = .none) throws(PublishError) {
        name = Self.unusedName()
        do throws(PublishError) {
            folder = try PublishingFolders.folder(name, in: folders.staging)
            lock = try Self.lock(in: folder, seams)
            tree = try PublishingFolders.folder(PublishingFolders.treeName, in: folder)
        } catch {
            // Nobody else would before the next publication; and on a full disk that may never be.
            try? folders.staging.removeTree(name)
            throw error
        }
    }

    deinit {
        // Closing alone would not do: a process that this one starts at the very moment has a copy of the descriptor
        // until its program begins, and the folder would be taken for a living publisher's.
        try? lock.unlock()
    }

    private static func lock(
        in folder: borrowing FileDescriptor,
        _ seams: PublishSeams
    ) throws(PublishError) -> FileDescriptor {
        do throws(Errno) {
            try seams.beforeCall(.lock, lockName)
            let file = try folder.openLockFile(lockName)
            try file.lock()
            return file
        } catch {
            throw PublishError(error, writing: lockName)
        }
    }

    /// A name that nobody else has: 64 random bits.
    static func unusedName() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    /// Lets go of the lock: from now on the folder is one that a dead publisher left.
    func abandon() {
        try? lock.unlock()
    }

    /// Takes the staging folder away after a commit. Failing that, it is what a dead publisher leaves, and the next one
    /// removes it.
    func removeEmptied(from folders: PublishingFolders, _ seams: PublishSeams) throws(PublishError) {
        try? folder.removeFile(Self.intentName)
        try seams.at(.stagingEmptied)
        try? folder.removeFile(Self.lockName)
        try? folders.staging.removeFolder(name)
    }
}
