internal import HostSystem
internal import ModelCatalog

/// The folders of a store that a publication writes in, open. Made where they are not there; the store's own folder
/// must be.
///
///     <root>/Public/.staging/<unique>/   lock, commit, and tree/: the version's folder to be
///     <root>/Public/.pool/<ab>/<digest>  one name for each content that is stored
///     <root>/Public/models/<model>/<version>/
///     <root>/manifests/<model>/<version>.json
///
/// Staging and pool lie in the document root because names can only be moved and shared within one file system. Nothing
/// in them is served: a request finds a file through a manifest, and no manifest speaks of them.
final class PublishingFolders: Sendable {
    static let stagingName = ".staging"
    static let poolName = ".pool"
    static let modelsName = "models"
    static let treeName = "tree"

    let layout: StoreLayout
    let root: FileDescriptor
    let documents: FileDescriptor
    let staging: FileDescriptor
    let pool: ContentPool
    let models: FileDescriptor
    let manifests: FileDescriptor

    /// - Parameter interrupted: as for `ContentPool`.
    init(
        layout: StoreLayout,
        seams: PublishSeams,
        interrupted: PublishControl.Flag = .init()
    ) throws(PublishError) {
        self.layout = layout
        root = try writing(layout.root) { () throws(Errno) in try FileDescriptor.openFolder(layout.root) }
        documents = try Self.folder(StoreLayout.publicFolder, in: root, mayBeLink: true)
        manifests = try Self.folder(StoreLayout.manifestsFolder, in: root, mayBeLink: true)
        staging = try Self.folder(Self.stagingName, in: documents)
        pool = ContentPool(
            try Self.folder(Self.poolName, in: documents),
            seams: seams,
            interrupted: interrupted
        )
        models = try Self.folder(Self.modelsName, in: documents)
    }

    /// Opens the folder `name`, and makes it where it is not there: then its name is on the disk, too, on return, and all
    /// may read it.
    static func folder(
        _ name: String,
        in parent: borrowing FileDescriptor,
        mayBeLink: Bool = false
    ) throws(PublishError) -> FileDescriptor {
        do throws(Errno) {
            if try parent.makeFolder(below: name) { try parent.synchronize() }
            return try parent.openFolder(name, followingLink: mayBeLink)
        } catch {
            throw PublishError(error, writing: name)
        }
    }
}
