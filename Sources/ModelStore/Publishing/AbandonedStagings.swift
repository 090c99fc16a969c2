internal import HostSystem
internal import ModelCatalog

/// What publishers left that died or failed, and how it is removed: the next publisher does it, with the store's lock
/// held, and a failed one does it for itself once it has let go of its own lock.
///
/// Each part can be cut off anywhere and begun anew. What cannot be removed (another user's, say) stays and is no
/// error: it is in nobody's way, or the commit says that it is.
struct AbandonedStagings {
    let folders: PublishingFolders
    let seams: PublishSeams

    /// Removes all staging folders whose lock nobody holds, what they had moved without a commit, and contents that
    /// nothing but the pool holds any more. Call it with the store's lock held.
    func remove() {
        var dead: [String] = []
        try? folders.staging.forEachName { dead.append($0) }
        dead = dead.filter(isAbandoned)
        if dead.isEmpty { return }
        for name in dead {
            guard let staging = try? folders.staging.openFolder(name) else { continue }
            if let intent = CommitIntent(in: staging) { takeBack(intent, into: staging) }
            empty(staging)
            if seams.isGone { return }
        }
        // Before the folders go, for they are what tells the next one that the pool is to be swept.
        folders.pool.removeUnused()
        for name in dead where !seams.isGone { try? folders.staging.removeTree(name) }
    }

    private func isAbandoned(_ name: String) -> Bool {
        do throws(Errno) {
            let staging = try folders.staging.openFolder(name)
            // No lock file: it was cut off between the folder and the file, or after the file's removal.
            guard try staging.has(StagingFolder.lockName) else { return true }
            let lock = try staging.openLockFile(StagingFolder.lockName)
            guard try lock.lockIfFree() else { return false }
            // Not by closing alone; see StagingFolder.deinit.
            try lock.unlock()
            return true
        } catch .noEntry {
            return false
        } catch .notFolder {
            return true
        } catch {
            return false
        }
    }

    /// Moves the tree that is named by the intent back, unless its manifest is there: then it is published. Drafts of
    /// manifests go as well; they are only made with the store's lock held, so nobody is writing one.
    private func takeBack(_ intent: CommitIntent, into staging: borrowing FileDescriptor) {
        if let model = try? folders.models.openFolder(intent.model.text),
            let tree = try? model.openFolder(intent.version.text),
            let status = try? tree.status(), intent.isAbout(status),
            (try? isPublished(intent)) == false
        {
            // Moving a folder changes its `..`, which takes permission to write in it.
            try? tree.setPermissions(0o700)
            try? model.rename(intent.version.text, to: staging, StagingFolder.unusedName())
        }
        Self.removeDrafts(of: intent.model, in: folders.manifests)
        // Only where they are empty.
        try? folders.models.removeFolder(intent.model.text)
        try? folders.manifests.removeFolder(intent.model.text)
    }

    private func isPublished(_ intent: CommitIntent) throws(Errno) -> Bool {
        try folders.manifests.has(intent.model.text + "/" + StoreLayout.manifestFile(of: intent.version))
    }

    /// Everything but the lock and the intent, which are needed until the pool is swept.
    private func empty(_ staging: borrowing FileDescriptor) {
        var names: [String] = []
        try? staging.forEachName { names.append($0) }
        for name in names where name != StagingFolder.lockName && name != StagingFolder.intentName {
            if (try? seams.at(.stagingEmptied)) == nil { return }
            try? staging.removeTree(name)
        }
    }

    /// Removes what publishers and record changes began to write in that model's folder of manifests: names such as
    /// `.1.4.0.json.x7`. Call it with the store's lock held.
    static func removeDrafts(of model: ModelName, in manifests: borrowing FileDescriptor) {
        guard let folder = try? manifests.openFolder(model.text) else { return }
        var names: [String] = []
        try? folder.forEachName { names.append($0) }
        for name in names where name.hasPrefix(".") && name.contains(StoreLayout.manifestSuffix + ".") {
            try? folder.removeFile(name)
        }
    }
}
