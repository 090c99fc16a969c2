internal import HostSystem
internal import ModelCatalog

/// A publication that writes nothing: everything is read, and what would come of it is said.
struct PublishRehearsal: ~Copyable {
    /// The store's folder.
    let root: FileDescriptor
    let control: PublishControl

    func run(
        _ plan: ReleasePlan,
        _ createdAt: Instant,
        _ meter: PublishMeter
    ) throws(PublishError) -> PublishOutcome {
        let pool = openPool()
        let work = PublishWork.all(of: plan)
        try work.checkManifest(of: plan, createdAt)
        let files = work.flatMap(\.files)
        let source = try ReleasePublisher.openSource(plan)
        let duplicates = try LikelyDuplicates(files: files, in: source, pool: pool)
        let space = SpaceCheck(files: files, duplicates: duplicates)
        do throws(PublishError) {
            if let documents = try? root.openFolder(StoreLayout.publicFolder, followingLink: true) {
                try space.estimate(on: documents)
            } else {
                try space.estimate(on: root)
            }
        } catch {
            try control.allowed.add(error, if: plan.notEnoughSpaceAllowed)
        }
        let reading = ReleaseReading(source, plan, duplicates, to: nil, meter)
        let manifest = try ReleasePublisher.manifest(plan, try reading.read(work, control), createdAt)
        return Self.outcome(manifest, pool)
    }

    /// Nil where nothing was published yet.
    private func openPool() -> ContentPool? {
        let path = StoreLayout.publicFolder + "/" + PublishingFolders.poolName
        guard let folder = try? root.openFolder(path) else { return nil }
        return ContentPool(folder, seams: control.seams, interrupted: control.interrupted)
    }

    private static func outcome(_ manifest: Manifest, _ pool: ContentPool?) -> PublishOutcome {
        var stored: UInt64 = 0
        var seen: Set<ContentDigest> = []
        for file in manifest.assets.flatMap(\.files) + manifest.companions {
            let isNew = seen.insert(file.digest).inserted
            if isNew, pool?.holds(file.digest, size: file.size) != true { stored += file.size }
        }
        return .published(manifest, stored: stored, linked: manifest.size - stored)
    }
}
