internal import HostSystem
internal import ModelCatalog

/// The moment of publishing: from a tree that lies ready, on the disk, to a version that is published.
///
///     intent -> draft of the manifest -> tree to its place -> draft gets the manifest's name
///
/// The last step is the commit. Cut off before it, the intent says which tree is to be taken back; a manifest never
/// stands without its tree. The store's lock is held throughout, so there is one commit at a time and nobody prunes.
struct ReleaseCommit {
    let folders: PublishingFolders
    let staging: StagingFolder
    let seams: PublishSeams

    /// Throws where the version is not published afterwards, and `.committedUnsynced`.
    func run(_ manifest: Manifest, _ lock: borrowing StoreLock) throws(PublishError) {
        let bytes = try Self.encode(manifest)
        try clearTheWay(manifest)
        try writing(StagingFolder.intentName) { () throws(Errno) in
            try CommitIntent(model: manifest.model, version: manifest.version, tree: staging.tree.status())
                .write(in: staging.folder)
        }
        try seams.at(.intentWritten)
        let own = try PublishingFolders.folder(manifest.model.text, in: folders.manifests)
        AbandonedStagings.removeDrafts(of: manifest.model, in: folders.manifests)
        // The disk is most likely to be full here, so before anything has moved.
        let draft = try writeDraft(bytes, of: manifest.version, in: own)
        try seams.at(.draftWritten)
        try moveTree(manifest)
        try commit(draft, manifest, in: own)
    }

    /// Throws `.tooManyFiles` where no reader would take it.
    static func encode(_ manifest: Manifest) throws(PublishError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try manifest.encoded()
        } catch {
            throw .notARelease(.notJSON("\(error)"))
        }
        guard bytes.count <= ManifestReader.maximumSize else { throw .tooManyFiles(octets: bytes.count) }
        return bytes
    }

    private func writeDraft(
        _ bytes: [UInt8],
        of version: Version,
        in own: borrowing FileDescriptor
    ) throws(PublishError) -> String {
        let file = StoreLayout.manifestFile(of: version)
        let draft = ".\(file).\(StagingFolder.unusedName())"
        try writing(draft) { () throws(Errno) in
            try seams.beforeCall(.write, file)
            let output = try own.createFile(draft)
            try output.writeAll(bytes)
            try output.setPermissions(StagedTree.filePermissions)
            try output.synchronize()
        }
        return draft
    }

    /// A tree may stand there that a publisher left which died since this one began. Nobody makes another until the
    /// store's lock is let go.
    private func clearTheWay(_ manifest: Manifest) throws(PublishError) {
        let path = StoreLayout.publicFolder(manifest.model, manifest.version)
        let isTaken = { [folders] () throws(PublishError) -> Bool in
            try writing(path) { () throws(Errno) in try folders.documents.has(path) }
        }
        guard try isTaken() else { return }
        AbandonedStagings(folders: folders, seams: seams).remove()
        if try isTaken() { throw .treeInTheWay(path: StoreLayout.publicFolder + "/" + path) }
    }

    private func moveTree(_ manifest: Manifest) throws(PublishError) {
        let model = try PublishingFolders.folder(manifest.model.text, in: folders.models)
        let name = manifest.version.text
        try writing(name) { () throws(Errno) in
            try staging.folder.renameNew(PublishingFolders.treeName, to: model, name)
        }
        try seams.at(.treeMoved)
        try writing(name) { () throws(Errno) in
            try staging.tree.setPermissions(StagedTree.folderPermissions)
            try staging.tree.synchronize()
            try model.synchronize()
        }
        try seams.at(.treeSealed)
    }

    private func commit(
        _ draft: String,
        _ manifest: Manifest,
        in own: borrowing FileDescriptor
    ) throws(PublishError) {
        let path = StoreLayout.manifestPath(manifest.model, manifest.version)
        try writing(path) { () throws(Errno) in
            try own.renameNew(draft, to: own, StoreLayout.manifestFile(of: manifest.version))
        }
        do throws(Errno) { try own.synchronize() } catch { throw .committedUnsynced(path: path, error) }
        try seams.at(.committed)
    }
}
