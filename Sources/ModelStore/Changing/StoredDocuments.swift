internal import HostSystem
internal import ModelCatalog

/// The document root for one who looks at everything in it: files by `PublicTree`, and folders.
///
/// A root that is not there is one without anything in it. Any thread may use it; it waits for the disk.
final class StoredDocuments: Sendable {
    private let tree: PublicTree?
    private let folder: FileDescriptor?

    private static let confinement: PathConfinement = [.beneath, .noSymbolicLinks, .noMagicLinks]

    init(root: String) throws(StoreError) {
        do throws(StoreError) {
            tree = try PublicTree(root: root)
        } catch .cannotOpen(_, .noEntry) {
            tree = nil
        }
        // Of a root that goes away between the two, as of one that was never there.
        folder = tree == nil ? nil : try? FileDescriptor.openFolder(StoreLayout(root: root).absolutePublicFolder)
    }

    /// Opens the regular file at `path` below the root, if it has that size.
    func openFile(_ path: String, expectedSize: UInt64) throws(OpenFailure) -> FileDescriptor {
        guard let tree else { throw .missing }
        return try tree.open(path, expectedSize: expectedSize, wait: .allowed)
    }

    /// The status of the regular file at `path` below the root, if it has that size.
    func status(_ path: String, expectedSize: UInt64) throws(OpenFailure) -> FileStatus {
        let file = try openFile(path, expectedSize: expectedSize)
        do throws(Errno) {
            return try file.status()
        } catch {
            throw OpenFailure(error, wait: .allowed)
        }
    }

    /// Opens the folder at `path` below the root; a link anywhere is refused with ELOOP.
    func openFolder(_ path: String) throws(Errno) -> FileDescriptor {
        switch folder {
        case nil: throw .noEntry
        case .some(let root):
            return try FileDescriptor.open(path, beneath: root, confinement: Self.confinement, folderOnly: true)
        }
    }

    /// The names in that folder, in the order of the file system.
    func names(in path: String) throws(Errno) -> [String] {
        var names: [String] = []
        try openFolder(path).forEachName { names.append($0) }
        return names
    }
}
