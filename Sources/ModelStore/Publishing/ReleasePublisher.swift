internal import HostSystem
package import ModelCatalog

/// Puts inspected releases into a store, each of them whole or not at all.
///
/// Any thread may use it; several publications, of this process and of others, may be under way at once. It waits for
/// the disk.
package final class ReleasePublisher: Sendable {
    private let layout: StoreLayout
    private let control: PublishControl

    private var seams: PublishSeams { control.seams }

    /// Throws where there is no folder at `root`.
    package convenience init(root: String) throws(PublishError) {
        try self.init(root: root, seams: .none)
    }

    /// The same, with a hold for tests.
    package init(root: String, seams: PublishSeams) throws(PublishError) {
        layout = StoreLayout(root: root)
        control = PublishControl(seams: seams, interrupted: .init())
        _ = try Self.openRoot(layout)
    }

    /// Lets each publication that is under way end soon with `.interrupted`, unless it has been committed already.
    package func interrupt() {
        control.interrupted.set()
    }

    /// What came up in the publications so far and was allowed, for the operator to be warned of. Sorted by path.
    package var allowedFindings: [PublishFinding] { control.allowed.all }

    /// Publishes what `plan` says.
    ///
    /// - Parameters:
    ///   - createdAt: for the manifest.
    ///   - dryRun: reads everything and says what would come of it; nothing is written.
    ///   - progress: called by several threads, one at a time, after each piece of at most 1 MiB; so it must be quick.
    package func publish(
        _ plan: ReleasePlan,
        createdAt: Instant,
        dryRun: Bool = false,
        progress: @escaping @Sendable (PublishProgress) -> Void
    ) throws(PublishError) -> PublishOutcome {
        guard plan.size <= Manifest.maximumSize else { throw .notARelease(.tooLarge(at: "the release")) }
        let meter = PublishMeter(total: plan.size, progress)
        if dryRun {
            let root = try Self.openRoot(layout)
            if let published = try PublishedManifest.read(plan.model, plan.version, below: root) {
                return try compare(plan, with: published, root, meter)
            }
            return try PublishRehearsal(root: root, control: control).run(plan, createdAt, meter)
        }
        let folders = try begin()
        if let published = try PublishedManifest.read(plan.model, plan.version, below: folders.root) {
            return try compare(plan, with: published, folders.root, meter)
        }
        try PublishWork.all(of: plan).checkManifest(of: plan, createdAt)
        let staging = try stage(folders)
        do throws(PublishError) {
            return try publish(plan, createdAt, meter, folders, staging)
        } catch {
            if !seams.isGone { clear(folders, staging) }
            throw error
        }
    }

    private static func openRoot(_ layout: StoreLayout) throws(PublishError) -> FileDescriptor {
        do throws(Errno) {
            return try FileDescriptor.openFolder(layout.root)
        } catch {
            throw .lock(StoreLock.Failure(path: layout.root, error: error))
        }
    }

    /// Waits for the store's lock; interrupted, for `patience` more looks.
    private func takeLock(patience: Int = 0) throws(PublishError) -> StoreLock {
        let pause = Monitor(())
        var left = patience
        do throws(StoreLock.Failure) {
            return try StoreLock(root: layout.root, makingFolder: true) { () throws(Errno) in
                if control.interrupted.isSet || seams.isGone {
                    if left == 0 { throw .interrupted }
                    left -= 1
                }
                // flock(2) wakes nobody who must look at something else as well. Who holds the lock renames a few names.
                let _: Void? = pause.await(milliseconds: Self.lockInterval) { _ in nil }
            }
        } catch {
            if error.error == .interrupted { throw .interrupted }
            throw .lock(error)
        }
    }

    /// Milliseconds between two looks at the store's lock.
    private static let lockInterval: Int64 = 20
    /// Looks at the lock of one who wants to leave and has something to clear up: two seconds.
    private static let patienceToClear = 100

    // MARK: The walk

    /// Opens the folders, and removes what dead publishers left.
    private func begin() throws(PublishError) -> PublishingFolders {
        let lock = try takeLock()
        let folders = try PublishingFolders(layout: layout, seams: seams, interrupted: control.interrupted)
        AbandonedStagings(folders: folders, seams: seams).remove()
        _ = consume lock
        try control.check()
        return folders
    }

    private func stage(_ folders: PublishingFolders) throws(PublishError) -> StagingFolder {
        let lock = try takeLock()
        let staging = try StagingFolder(in: folders, seams: seams)
        _ = consume lock
        return staging
    }

    private func publish(
        _ plan: ReleasePlan,
        _ createdAt: Instant,
        _ meter: PublishMeter,
        _ folders: PublishingFolders,
        _ staging: StagingFolder
    ) throws(PublishError) -> PublishOutcome {
        try seams.at(.staged)
        let work = PublishWork.all(of: plan)
        let files = work.flatMap(\.files)
        let source = try Self.openSource(plan)
        let duplicates = try LikelyDuplicates(files: files, in: source, pool: folders.pool)
        do throws(PublishError) {
            try SpaceCheck(files: files, duplicates: duplicates).run(on: staging.folder, from: source)
        } catch {
            try control.allowed.add(error, if: plan.notEnoughSpaceAllowed)
        }

        let tree = StagedTree(staging, folders.pool, control)
        let contents = StagedContents(staging, folders.pool, tree, control)
        let reading = ReleaseReading(source, plan, duplicates, to: contents, meter)
        let manifest = try Self.manifest(plan, try reading.read(work, control), createdAt)
        let (stored, linked) = try tree.settle()

        let lock = try takeLock()
        try control.check()
        if let published = try PublishedManifest.read(plan.model, plan.version, below: folders.root) {
            // Another publisher was faster. Its lock is needed to clear up.
            _ = consume lock
            let outcome = try Self.outcome(offered: manifest, published: published, folders.root)
            clear(folders, staging)
            return outcome
        }
        try ReleaseCommit(folders: folders, staging: staging, seams: seams).run(manifest, lock)
        _ = consume lock
        try staging.removeEmptied(from: folders, seams)
        return .published(manifest, stored: stored, linked: linked)
    }

    /// Removes what this publication wrote. What cannot be removed now is removed by the next one.
    private func clear(_ folders: PublishingFolders, _ staging: StagingFolder) {
        staging.abandon()
        guard let lock = try? takeLock(patience: Self.patienceToClear) else { return }
        AbandonedStagings(folders: folders, seams: seams).remove()
        _ = consume lock
    }

    // MARK: What is published already

    private func compare(
        _ plan: ReleasePlan,
        with published: Manifest,
        _ root: borrowing FileDescriptor,
        _ meter: PublishMeter
    ) throws(PublishError) -> PublishOutcome {
        let reading = ReleaseReading(try Self.openSource(plan), plan, LikelyDuplicates(), to: nil, meter)
        let finished = try reading.read(PublishWork.all(of: plan), control)
        let offered = try Self.manifest(plan, finished, published.createdAt)
        return try Self.outcome(offered: offered, published: published, root)
    }

    private static func outcome(
        offered: Manifest,
        published: Manifest,
        _ root: borrowing FileDescriptor
    ) throws(PublishError) -> PublishOutcome {
        let differences = ReleaseDifference.between(published: published, offered: offered)
        guard differences.isEmpty else { throw .differs(published.model, published.version, differences) }
        try PublishedFiles.check(published, below: root)
        return .alreadyPublished(published)
    }

    static func openSource(_ plan: ReleasePlan) throws(PublishError) -> FileDescriptor {
        do throws(Errno) {
            return try FileDescriptor.openFolder(plan.folder)
        } catch {
            throw .sourceUnreadable(path: plan.folder, error)
        }
    }

    static func manifest(
        _ plan: ReleasePlan,
        _ finished: [FinishedWork],
        _ createdAt: Instant
    ) throws(PublishError) -> Manifest {
        do throws(ManifestError) {
            return try Manifest(plan, finished, createdAt: createdAt)
        } catch {
            throw .notARelease(error)
        }
    }
}
