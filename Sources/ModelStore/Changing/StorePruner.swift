internal import HostSystem
package import ModelCatalog

/// A version that stays, and why.
package struct KeptVersion: Hashable, Sendable {
    package let version: Version
    package let reason: KeepReason
}

/// What pruning a model comes to.
package struct PrunePlan: Equatable, Sendable {
    package let model: ModelName
    /// Newest first.
    package let removed: [Version]
    /// Newest first.
    package let kept: [KeptVersion]
    /// Octets on the disk that come back (after pruning: that came back).
    package let freed: UInt64
}

/// The places at which pruning can be cut off, in the order in which they are passed.
enum PruneStep: String, CaseIterable, Sendable {
    /// The intent to remove a version is on the disk; once for each version, as the next two.
    case intentWritten
    /// The version is not published any more.
    case manifestRemoved
    /// Its tree is out of sight.
    case treeMoved
    /// A tree is gone.
    case treeRemoved
    /// Contents that nothing uses are gone.
    case poolSwept
}

/// Removes old versions of a model, so that their room comes back.
///
/// A version goes in three steps: its manifest, which is the moment from which it is not published; its tree, by a
/// rename out of sight; then the octets, without the store's lock. Killed anywhere, it leaves what an intent on the
/// disk names, and the next prune or publish removes that. Downloads under way end with the right octets: a file lives
/// until the last who has it open lets go.
///
/// On a full disk, where no intent can be written, it goes on without: `RemovalInPlace`.
///
/// Any thread may use it; it waits for the disk and for the lock.
package struct StorePruner: Sendable {
    private let store: StoreFolder
    /// False ends the pruning there, as if the process had been killed.
    private let passes: @Sendable (PruneStep) -> Bool
    private let seams: PublishSeams

    /// Throws `.store` where the store's folder cannot be opened.
    package init(root: String) throws(ChangeError) {
        try self.init(root: root, passes: { _ in true })
    }

    /// - Parameters:
    ///   - seams: asked before the staging folder is made (`.staging`), the intent is written (`commit`), and a manifest is
    ///     renamed to be one (`.pruned-1.4.0`).
    init(
        root: String,
        passes: @escaping @Sendable (PruneStep) -> Bool,
        seams: PublishSeams = .none
    ) throws(ChangeError) {
        self.passes = passes
        self.seams = seams
        do throws(StoreError) {
            store = try StoreFolder(root: root)
        } catch {
            throw .store(error)
        }
    }

    /// What `prune` would do; nothing is changed, and no lock taken.
    ///
    /// - Parameters:
    ///   - keep: how many releases to keep at least, 1 or more; `PruneRule` says what counts.
    ///   - protected: versions that stay in any case.
    /// - Throws: `.keepOutOfRange`, `.unknownModel`, `.unusableRecord`, `.store`, `.io`.
    package func plan(
        _ model: ModelName,
        keep: Int,
        protecting protected: Set<Version> = []
    ) throws(ChangeError) -> PrunePlan {
        if keep < 1 { throw .keepOutOfRange(keep) }
        let shelf = try ModelShelf.take(model, in: store)
        let plan = Self.plan(shelf.entry, keep, protected)
        let freed = try StoredSizes(root: store.layout.root).reclaimable(plan.removed, of: model)
        return plan.freeing(freed)
    }

    /// Removes the versions of `model` that are old, and what interrupted publications and prunes left in the store.
    ///
    /// - Parameters: as for `plan`.
    /// - Throws: as `plan`, `.lock`, and `.notRemoved`: what was removed before stays removed.
    package func prune(
        _ model: ModelName,
        keep: Int,
        protecting protected: Set<Version> = []
    ) throws(ChangeError) -> PrunePlan {
        if keep < 1 { throw .keepOutOfRange(keep) }
        let folders = try changing { () throws(PublishError) in
            try PublishingFolders(layout: store.layout, seams: .none)
        }
        var removal = PrunedTrees(folders: folders, passes: passes, seams: seams)
        var failure: ChangeError?
        let plan = try takeDown(model, keep, protected, &removal, &failure)
        var freed = try removal.removeTrees(&failure)
        let lock = try StoreLock.taking(store.layout)
        defer { withExtendedLifetime(lock) {} }
        freed += try removal.finish()
        if let failure { throw failure }
        return plan.freeing(freed)
    }

    /// With the store's lock: after it, no version that goes is published.
    private func takeDown(
        _ model: ModelName,
        _ keep: Int,
        _ protected: Set<Version>,
        _ removal: inout PrunedTrees,
        _ failure: inout ChangeError?
    ) throws(ChangeError) -> PrunePlan {
        let lock = try StoreLock.taking(store.layout)
        defer { withExtendedLifetime(lock) {} }
        removal.removeLeftovers()
        let shelf = try ModelShelf.take(model, in: store)
        let plan = Self.plan(shelf.entry, keep, protected)
        // The oldest first: cut off halfway, what is left are the newer ones.
        for version in plan.removed.reversed() {
            do throws(ChangeError) {
                try removal.takeDown(version, of: shelf)
            } catch .interrupted {
                throw .interrupted
            } catch {
                // What was taken down before is removed, and then this is told.
                failure = error
                break
            }
        }
        return plan
    }

    private static func plan(_ entry: ModelEntry, _ keep: Int, _ protected: Set<Version>) -> PrunePlan {
        let reasons = PruneRule(entry, keep: keep, protected: protected).kept()
        let versions = entry.versions.map(\.version)
        return PrunePlan(
            model: entry.name,
            removed: versions.filter { reasons[$0] == nil },
            kept: versions.compactMap { version in
                reasons[version].map { KeptVersion(version: version, reason: $0) }
            },
            freed: 0
        )
    }
}

extension PrunePlan {
    fileprivate func freeing(_ octets: UInt64) -> PrunePlan {
        PrunePlan(model: model, removed: removed, kept: kept, freed: octets)
    }
}
