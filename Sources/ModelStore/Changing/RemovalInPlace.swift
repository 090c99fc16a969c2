internal import HostSystem
internal import ModelCatalog

/// Takes versions down on a disk that has no room for an intent.
///
/// The manifest becomes the intent: renamed within its folder, which takes room only where the folder's last block is
/// full, it is one of no version any more. Where even that cannot be had it is removed, and what a kill leaves then is
/// for `verify` to find: to free nothing on a full disk would be worse.
///
/// The tree is then removed where it lies, with the store's lock held all the time, for without a lock of its own
/// nothing would keep others from it. Killed in between, it leaves a name that tells the next prune what to go on with.
struct RemovalInPlace {
    let folders: PublishingFolders
    let passes: @Sendable (PruneStep) -> Bool
    let seams: PublishSeams

    /// Begins with a dot: nobody takes it for a manifest.
    private static let prefix = ".pruned-"

    static func mark(of version: Version) -> String { prefix + version.text }

    /// Ends the publication of a version and removes its tree. Call it with the store's lock held.
    ///
    /// - Returns: octets on the disk that came back.
    /// - Throws: `.io` where the version is published as before, `.notRemoved` where it is not and files of it are left.
    func takeDown(_ version: Version, of shelf: borrowing ModelShelf) throws(ChangeError) -> UInt64 {
        let mark = Self.mark(of: version)
        do throws(Errno) {
            try unpublish(version, of: shelf, marking: mark)
            // Before the tree goes: after a power cut there must be no manifest without a tree.
            try shelf.folder.synchronize()
        } catch {
            throw .io(path: StoreLayout.manifestPath(shelf.model, version), error)
        }
        if !passes(.manifestRemoved) { throw .interrupted }
        var freed: UInt64 = 0
        do throws(Errno) {
            try removeTree(of: version, shelf.model, &freed)
        } catch {
            let path = StoreLayout.publicFolder + "/" + StoreLayout.publicFolder(shelf.model, version)
            throw .notRemoved(path: path, error)
        }
        if !passes(.treeRemoved) { throw .interrupted }
        // One that stays leads the next prune to nothing, and goes then.
        try? shelf.folder.removeFile(mark)
        return freed + folders.pool.removeUnused()
    }

    private func unpublish(
        _ version: Version,
        of shelf: borrowing ModelShelf,
        marking mark: String
    ) throws(Errno) {
        let manifest = StoreLayout.manifestFile(of: version)
        do throws(Errno) {
            try seams.beforeCall(.write, mark)
            try shelf.folder.rename(manifest, to: shelf.folder, mark)
        } catch {
            guard error == .noSpace || error == .quotaExceeded else { throw error }
            try shelf.folder.removeFile(manifest)
        }
    }

    /// Goes on with what was cut off, of all models. Call it with the store's lock held.
    ///
    /// What cannot be removed stays, with its mark, and is no error: it is in nobody's way.
    func resume() {
        var found = false
        var models: [String] = []
        try? folders.manifests.forEachName { models.append($0) }
        for model in models.compactMap(ModelName.init) {
            guard let folder = try? folders.manifests.openFolder(model.text) else { continue }
            var names: [String] = []
            try? folder.forEachName { names.append($0) }
            for name in names where name.hasPrefix(Self.prefix) {
                guard let version = Version(String(name.dropFirst(Self.prefix.count))) else { continue }
                found = true
                resume(version, model, in: folder)
            }
        }
        if found { folders.pool.removeUnused() }
    }

    private func resume(_ version: Version, _ model: ModelName, in folder: borrowing FileDescriptor) {
        do throws(Errno) {
            // With a manifest the tree is another one, published since.
            if try !folder.has(StoreLayout.manifestFile(of: version)) {
                var freed: UInt64 = 0
                try removeTree(of: version, model, &freed)
            }
            try folder.removeFile(Self.mark(of: version))
        } catch {}
    }

    /// A tree that is not there is removed.
    private func removeTree(of version: Version, _ model: ModelName, _ freed: inout UInt64) throws(Errno) {
        do throws(Errno) {
            let parent = try folders.models.openFolder(model.text)
            try parent.reclaimTree(version.text) { freed += UInt64(clamping: $0.allocated) }
        } catch .noEntry {}
    }
}
