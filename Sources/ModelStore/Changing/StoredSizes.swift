internal import HostSystem
package import ModelCatalog

/// What a version takes on the disk, in octets.
package struct VersionSizes: Hashable, Sendable {
    /// Of its files as devices see them: the sum that its manifest gives.
    package let apparent: UInt64
    /// On the disk, each stored file once, even where other versions share it.
    package let stored: UInt64
    /// What would come back on the disk if only this version went: nothing of what others share.
    package let own: UInt64
}

/// Measures what versions take after files with the same content became one.
///
/// The pool of contents is looked at once, when it is made: good for one listing, not to be kept. Any thread may use
/// it; it waits for the disk.
package struct StoredSizes: Sendable {
    private let documents: StoredDocuments
    private let pool: PoolContents

    /// Throws `.store` where the document root cannot be opened, `.io` where the pool cannot be read.
    package init(root: String) throws(ChangeError) {
        do throws(StoreError) {
            documents = try StoredDocuments(root: root)
        } catch {
            throw .store(error)
        }
        pool = try Self.reading(PublishingFolders.poolName) { [documents] () throws(Errno) in
            try PoolContents(documents)
        }
    }

    /// - Parameter apparent: the size that the version's manifest gives.
    /// - Throws: `.io` where its tree cannot be read.
    package func sizes(of version: Version, of model: ModelName, apparent: UInt64) throws(ChangeError) -> VersionSizes {
        let path = StoreLayout.publicFolder(model, version)
        let ledger = try ledger([path])
        return VersionSizes(apparent: apparent, stored: ledger.stored, own: ledger.reclaimable(pool: pool))
    }

    /// What these versions take together on the disk: what they share counts once.
    ///
    /// - Throws: `.io` where a tree cannot be read.
    package func stored(_ versions: [(model: ModelName, version: Version)]) throws(ChangeError) -> UInt64 {
        try ledger(versions.map { StoreLayout.publicFolder($0.model, $0.version) }).stored
    }

    /// What would come back on the disk if these versions went, and what no version uses already now.
    func reclaimable(_ versions: [Version], of model: ModelName) throws(ChangeError) -> UInt64 {
        try ledger(versions.map { StoreLayout.publicFolder(model, $0) }).reclaimable(pool: pool) + pool.unused
    }

    private func ledger(_ paths: [String]) throws(ChangeError) -> LinkLedger {
        var ledger = LinkLedger()
        for path in paths {
            try Self.reading(path) { [documents] () throws(Errno) in try ledger.add(path, in: documents) }
        }
        return ledger
    }

    private static func reading<Result>(
        _ path: String,
        _ body: () throws(Errno) -> Result
    ) throws(ChangeError) -> Result {
        do throws(Errno) {
            return try body()
        } catch {
            throw .io(path: StoreLayout.publicFolder + "/" + path, error)
        }
    }
}
