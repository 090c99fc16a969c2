internal import HostSystem
internal import Synchronization

/// The store's own folder, open. Manifests are found from here at each look, since `manifests` may be replaced.
///
/// Any thread may use it.
package final class StoreFolder: Sendable {
    package let layout: StoreLayout
    private let descriptor: Mutex<FileDescriptor>

    /// Throws `.cannotOpen`.
    package init(root: String) throws(StoreError) {
        layout = StoreLayout(root: root)
        descriptor = Mutex(try Self.open(layout.root))
    }

    /// Opens the folder anew by its path, which may lead to another one by now; on failure the old one stays.
    package func reopen() throws(StoreError) {
        let new = try Self.open(layout.root).release()
        descriptor.withLock { $0 = FileDescriptor(owning: new) }
    }

    /// The folder of manifests as it is now. It may be a link of the operator's; nothing in it may.
    func openManifests() throws(Errno) -> FileDescriptor {
        try descriptor.withLock { (folder) throws(Errno) -> FileDescriptor in
            try folder.openFolder(StoreLayout.manifestsFolder, followingLink: true)
        }
    }

    /// The same, with the names of its entries put behind `names`.
    func openManifests(listing names: inout [String]) throws(Errno) -> FileDescriptor {
        let folder = try openManifests()
        try folder.forEachName { names.append($0) }
        return folder
    }

    private static func open(_ path: String) throws(StoreError) -> FileDescriptor {
        do throws(Errno) {
            return try FileDescriptor.openFolder(path)
        } catch {
            throw .cannotOpen(folder: path, error)
        }
    }
}

extension FileDescriptor {
    /// The folder `name` in this one, which is no link, with the names of its entries put behind `names`.
    func openFolder(_ name: String, listing names: inout [String]) throws(Errno) -> FileDescriptor {
        let folder = try openFolder(name)
        try folder.forEachName { names.append($0) }
        return folder
    }
}
