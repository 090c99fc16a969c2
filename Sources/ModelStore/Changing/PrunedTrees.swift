internal import HostSystem
internal import ModelCatalog

/// Trees on their way out: taken from where they are served, and then from the disk.
struct PrunedTrees {
    let folders: PublishingFolders
    private let passes: @Sendable (PruneStep) -> Bool
    private let seams: PublishSeams
    private var stagings: [StagingFolder] = []
    /// Octets on the disk that came back while versions were taken down.
    private var freedBefore: UInt64 = 0

    /// The name of a tree in its staging folder.
    private static let treeName = "pruned"

    init(folders: PublishingFolders, passes: @escaping @Sendable (PruneStep) -> Bool, seams: PublishSeams) {
        self.folders = folders
        self.passes = passes
        self.seams = seams
    }

    /// Removes what others left that were cut off. Call it with the store's lock held.
    func removeLeftovers() {
        AbandonedStagings(folders: folders, seams: .none).remove()
        RemovalInPlace(folders: folders, passes: passes, seams: seams).resume()
    }

    /// Ends the publication of a version: its manifest goes, and then its tree moves out of sight. Call it with the
    /// store's lock held.
    ///
    /// A prune is what a full disk calls for, so it must do without room: then the tree is removed at once.
    ///
    /// - Throws: `.io` where the version is published as before; `.notRemoved` where it is not, but its tree is where it
    ///   was, for the next prune to remove; `.unprepared`.
    mutating func takeDown(_ version: Version, of shelf: borrowing ModelShelf) throws(ChangeError) {
        let path = StoreLayout.publicFolder + "/" + StoreLayout.publicFolder(shelf.model, version)
        let placed: PlacedTree
        do throws(Errno) {
            placed = try PlacedTree.open(version, of: shelf.model, in: folders.models)
        } catch {
            // Without a tree there is only the manifest to be removed.
            guard error == .noEntry || error == .notFolder || error == .tooManyLinks else {
                throw .io(path: path, error)
            }
            return try removeManifest(version, of: shelf)
        }
        guard let staging = try staged(placed, version, shelf.model) else {
            freedBefore += try RemovalInPlace(folders: folders, passes: passes, seams: seams).takeDown(
                version,
                of: shelf
            )
            return
        }
        // Failing from here on, the staging folder is let go of as it is: its intent tells the next prune or publish what
        // to look after.
        try pass(.intentWritten)
        try removeManifest(version, of: shelf)
        try pass(.manifestRemoved)
        do throws(Errno) {
            // Renaming changes the folder's `..`, which takes permission to write in it.
            try placed.tree.setPermissions(0o700)
            try placed.parent.rename(version.text, to: staging.folder, Self.treeName)
            try placed.parent.synchronize()
        } catch {
            throw .notRemoved(path: path, error)
        }
        stagings.append(staging)
        try pass(.treeMoved)
    }

    /// A staging folder with the intent in it; nil where the disk has no room for that, even without the contents that
    /// nothing uses.
    private mutating func staged(
        _ placed: PlacedTree,
        _ version: Version,
        _ model: ModelName
    ) throws(ChangeError) -> StagingFolder? {
        if let staging = try stagedIfRoom(placed, version, model) { return staging }
        freedBefore += folders.pool.removeUnused()
        return try stagedIfRoom(placed, version, model)
    }

    private func stagedIfRoom(
        _ placed: PlacedTree,
        _ version: Version,
        _ model: ModelName
    ) throws(ChangeError) -> StagingFolder? {
        do throws(ChangeError) {
            return try stage(placed, version, model)
        } catch {
            guard error.isForWantOfRoom else { throw error }
            // As much of a staging folder as was made is one whose lock nobody holds.
            AbandonedStagings(folders: folders, seams: .none).remove()
            return nil
        }
    }

    private func stage(
        _ placed: PlacedTree,
        _ version: Version,
        _ model: ModelName
    ) throws(ChangeError) -> StagingFolder {
        let path = StoreLayout.publicFolder + "/" + PublishingFolders.stagingName
        try reading(path) { () throws(Errno) in try seams.beforeCall(.write, PublishingFolders.stagingName) }
        let staging = try changing { () throws(PublishError) in try StagingFolder(in: folders) }
        try reading(path + "/" + staging.name) { () throws(Errno) in
            let intent = try CommitIntent(model: model, version: version, tree: placed.tree.status())
            try seams.beforeCall(.write, StagingFolder.intentName)
            try intent.write(in: staging.folder)
        }
        return staging
    }

    private func removeManifest(_ version: Version, of shelf: borrowing ModelShelf) throws(ChangeError) {
        do throws(Errno) {
            try shelf.folder.removeFile(StoreLayout.manifestFile(of: version))
            // Before the tree moves: after a power cut there must be no manifest without a tree.
            try shelf.folder.synchronize()
        } catch {
            throw .io(path: StoreLayout.manifestPath(shelf.model, version), error)
        }
    }

    /// Removes the trees. Takes its time, and no lock.
    ///
    /// - Parameter failure: what kept a tree from being removed, where nothing failed before.
    /// - Returns: octets on the disk that came back so far.
    func removeTrees(_ failure: inout ChangeError?) throws(ChangeError) -> UInt64 {
        var freed = freedBefore
        for staging in stagings {
            do throws(Errno) {
                try staging.folder.reclaimTree(Self.treeName) { freed += UInt64(clamping: $0.allocated) }
            } catch {
                let path = [StoreLayout.publicFolder, PublishingFolders.stagingName, staging.name, Self.treeName]
                failure = failure ?? .notRemoved(path: path.joined(separator: "/"), error)
            }
            try pass(.treeRemoved)
        }
        return freed
    }

    /// Removes contents that no version uses any more, and then the staging folders, which tell the next one until then
    /// that there is something to be done. Call it with the store's lock held.
    ///
    /// - Returns: octets on the disk that came back.
    func finish() throws(ChangeError) -> UInt64 {
        let freed = folders.pool.removeUnused()
        try pass(.poolSwept)
        for staging in stagings {
            // One in which something is left stays: the next prune or publish begins with it.
            guard (try? staging.folder.has(Self.treeName)) == false else { continue }
            try? staging.folder.removeFolder(PublishingFolders.treeName)
            try? staging.removeEmptied(from: folders, .none)
        }
        return freed
    }

    private func pass(_ step: PruneStep) throws(ChangeError) {
        if !passes(step) { throw .interrupted }
    }

    private func reading<Result>(_ path: String, _ body: () throws(Errno) -> Result) throws(ChangeError) -> Result {
        do throws(Errno) {
            return try body()
        } catch {
            throw .io(path: path, error)
        }
    }
}

/// A version's tree and the folder that it lies in, open.
private final class PlacedTree: Sendable {
    let parent: FileDescriptor
    let tree: FileDescriptor

    private init(parent: consuming FileDescriptor, tree: consuming FileDescriptor) {
        self.parent = parent
        self.tree = tree
    }

    static func open(
        _ version: Version,
        of model: ModelName,
        in models: borrowing FileDescriptor
    ) throws(Errno) -> PlacedTree {
        let parent = try models.openFolder(model.text)
        let tree = try parent.openFolder(version.text)
        return PlacedTree(parent: parent, tree: tree)
    }
}

/// Runs `body`, which prepares the folders that publishing and pruning write in.
func changing<Result: ~Copyable>(_ body: () throws(PublishError) -> Result) throws(ChangeError) -> Result {
    do throws(PublishError) {
        return try body()
    } catch .io(let path, let error) {
        throw .io(path: path, error)
    } catch .diskFull(let path) {
        throw .io(path: path, .noSpace)
    } catch {
        throw .unprepared("\(error)")
    }
}
