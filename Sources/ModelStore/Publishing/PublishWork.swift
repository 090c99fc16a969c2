internal import HostSystem
internal import ModelCatalog

/// A file of a plan, and where it goes.
struct PlannedFile: Sendable {
    let source: SourceFile
    /// Below the version's folder.
    let treePath: String
    /// What `main.hash` says that it holds.
    let expected: ContentDigest?

    /// Octets, as it was inspected.
    var size: UInt64 { UInt64(clamping: source.status.size) }
}

/// What one thread reads in one go: an asset, whose archive has its files in order, or a companion.
struct PublishWork: Sendable {
    /// Nil for a companion.
    let asset: PlannedAsset?
    /// In the order of the archive.
    let files: [PlannedFile]

    /// Octets.
    var size: UInt64 { files.reduce(0) { $0 &+ $1.size } }

    /// The whole plan, the largest first: so the threads end at about the same time.
    static func all(of plan: ReleasePlan) -> [PublishWork] {
        var all: [PublishWork] = []
        for asset in plan.assets {
            let files = asset.files.sorted { $0.path < $1.path }.map { file in
                var expected: ContentDigest?
                if let program = asset.expectedProgramDigest, program.source == file.source { expected = program.1 }
                return PlannedFile(
                    source: file,
                    treePath: asset.name.text + "/" + file.path.text,
                    expected: expected
                )
            }
            all.append(PublishWork(asset: asset, files: files))
        }
        for file in plan.companions {
            let planned = PlannedFile(source: file, treePath: file.path.text, expected: nil)
            all.append(PublishWork(asset: nil, files: [planned]))
        }
        return all.map { ($0.size, $0) }.sorted { $0.0 > $1.0 }.map(\.1)
    }
}

extension [PublishWork] {
    /// Throws where no manifest can be made of that work, `.tooManyFiles` above all: before hours of reading instead of
    /// behind them. All digests are equally long, so paths and sizes tell how long it will be to the octet.
    func checkManifest(of plan: ReleasePlan, _ createdAt: Instant) throws(PublishError) {
        let unknown = ContentDigest(finishing: SHA256())
        let finished = map { work in
            FinishedWork(
                asset: work.asset,
                files: work.files.map { ManifestFile(path: $0.source.path, size: $0.size, digest: unknown) },
                archive: work.asset == nil ? nil : unknown
            )
        }
        _ = try ReleaseCommit.encode(ReleasePublisher.manifest(plan, finished, createdAt))
    }
}

/// What was found when a piece of work was read.
struct FinishedWork: Sendable {
    let asset: PlannedAsset?
    let files: [ManifestFile]
    /// Nil for a companion.
    let archive: ContentDigest?
}

extension Manifest {
    /// The manifest of a release of which everything has been read.
    init(_ plan: ReleasePlan, _ finished: [FinishedWork], createdAt: Instant) throws(ManifestError) {
        var assets: [Asset] = []
        var companions: [ManifestFile] = []
        for work in finished {
            guard let asset = work.asset, let archive = work.archive else {
                companions += work.files
                continue
            }
            var hash = SHA256()
            hash.update(Asset.digestInput(work.files))
            assets.append(
                try Asset(
                    name: asset.name,
                    files: work.files,
                    digest: ContentDigest(finishing: hash),
                    archiveDigest: archive,
                    compile: asset.compile
                )
            )
        }
        try self.init(
            model: plan.model,
            version: plan.version,
            createdAt: createdAt,
            minDeploymentVersion: plan.minDeploymentVersion,
            assets: assets,
            companions: companions
        )
    }
}
