import Glibc
import HostSystem
import ModelCatalog
import ModelStore
import Synchronization
import TestSupport
import Testing

/// A store to publish to, and folders of releases to publish from.
final class PublishBench: Sendable {
    let root: String
    private let storeFolder: TemporaryFolder
    private let sources: TemporaryFolder
    private let count = Atomic(0)

    init() throws {
        storeFolder = try TemporaryFolder()
        sources = try TemporaryFolder()
        root = storeFolder.path
    }

    /// Writes the release as a build would, and plans it as the inspection would.
    ///
    /// `programs`: the digest that `main.hash` is to give of a file, by the asset's name and the file's path in it.
    func plan(
        _ release: ReleaseFixture,
        programs: [String: (path: String, ContentDigest)] = [:],
        allowingHashMismatch: Bool = false
    ) throws -> ReleasePlan {
        let folder = "\(sources.path)/\(count.add(1, ordering: .relaxed).newValue)"
        for (asset, contents) in release.assets {
            for (path, content) in contents { try Self.write(content, to: "\(folder)/\(asset)/\(path)") }
        }
        for (path, content) in release.companions { try Self.write(content, to: "\(folder)/\(path)") }
        return try ReleasePlan(
            folder: folder,
            model: #require(ModelName(release.model)),
            version: #require(Version(release.version)),
            minDeploymentVersion: release.minDeploymentVersion.map { try #require(OSVersion($0)) },
            assets: release.assets.sorted { $0.key < $1.key }.map { name, contents in
                PlannedAsset(
                    name: try #require(AssetName(name)),
                    compile: nil,
                    files: try Self.files(contents.keys, in: folder, below: name + "/"),
                    expectedProgramDigest: programs[name].map { (name + "/" + $0.path, $0.1) }
                )
            },
            companions: Self.files(release.companions.keys, in: folder, below: ""),
            hashMismatchAllowed: allowingHashMismatch
        )
    }

    private static func write(_ content: ReleaseContent, to path: String) throws {
        try TemporaryFolder.makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
        switch content {
        case .bytes(let bytes): try TemporaryFolder.writeInPlace(bytes, to: path)
        case .sparse(let size, let tail): try TemporaryFolder.writeSparse(size: size, tail: tail, to: path)
        }
    }

    private static func files(
        _ paths: some Sequence<String>,
        in folder: String,
        below prefix: String
    ) throws -> [SourceFile] {
        let opened = try FileDescriptor.openFolder(folder)
        return try paths.map { path in
            SourceFile(
                path: try #require(RelativePath(path)),
                source: prefix + path,
                status: try opened.status(of: prefix + path)
            )
        }.sorted { $0.path < $1.path }
    }

    static let createdAt = "2025-12-01T09:30:00Z"

    @discardableResult
    func publish(
        _ plan: ReleasePlan,
        dryRun: Bool = false,
        seams: PublishSeams = PublishSeams(),
        progress: @escaping @Sendable (PublishProgress) -> Void = { _ in }
    ) throws -> PublishOutcome {
        let publisher = try ReleasePublisher(root: root, seams: seams)
        let createdAt = try #require(Instant(Self.createdAt))
        return try publisher.publish(plan, createdAt: createdAt, dryRun: dryRun, progress: progress)
    }

    @discardableResult
    func publish(_ release: ReleaseFixture) throws -> PublishOutcome { try publish(plan(release)) }

    /// What a publication fails with.
    func failure(_ plan: ReleasePlan, dryRun: Bool = false, seams: PublishSeams = PublishSeams()) throws -> PublishError
    {
        try #require(throws: PublishError.self) { try self.publish(plan, dryRun: dryRun, seams: seams) }
    }

    /// Lets other users into the folders, whom mkdtemp(3) keeps out.
    func admitEverybody() {
        for folder in [root, sources.path] { chmod(folder, 0o777) }
    }

    // MARK: What is in the store

    func path(_ path: String) -> String { root + "/" + path }

    func exists(_ path: String) -> Bool { access(root + "/" + path, F_OK) == 0 }

    func status(_ path: String) throws -> FileStatus {
        try FileDescriptor.openFolder(root).status(of: path)
    }

    func inode(_ version: String, _ path: String, model: String = "Sam3") throws -> UInt64 {
        try status("Public/models/\(model)/\(version)/\(path)").inode
    }

    func names(_ path: String) -> [String] {
        var names: [String] = []
        try? FileDescriptor.openFolder(root + "/" + path).forEachName { names.append($0) }
        return names.sorted()
    }

    /// Every file below the store's folder.
    func allFiles(_ folder: String = "") throws -> [String] {
        var all: [String] = []
        for name in names(folder.isEmpty ? "." : folder) {
            let path = folder.isEmpty ? name : folder + "/" + name
            if try status(path).kind == .folder { all += try allFiles(path) } else { all.append(path) }
        }
        return all
    }

    /// Holds the whole store against what is published in it, octet by octet: every version whole, read-only and under
    /// its manifest; nothing staged, no draft, no tree without a manifest, nothing in the pool that no version holds.
    func expectSound(
        published: [String],
        model: String = "Sam3",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(names("Public/.staging") == [], "staging", sourceLocation: sourceLocation)
        var expected: Set<String> = ["manifests/.lock"]
        var pooled: Set<String> = []
        for version in published {
            expected.insert("manifests/\(model)/\(version).json")
            let manifest = try self.manifest(version, model: model)
            let top = "Public/models/\(model)/\(version)"
            var files = manifest.companions.map { ($0.path.text, $0) }
            for asset in manifest.assets {
                files += asset.files.map { ("\(asset.name)/\($0.path)", $0) }
                #expect(
                    try archiveDigest(asset, below: top) == asset.archive.digest,
                    "archive of \(asset.name)",
                    sourceLocation: sourceLocation
                )
            }
            for (path, file) in files {
                let bytes = try read("\(top)/\(path)")
                #expect(UInt64(bytes.count) == file.size, "\(path)", sourceLocation: sourceLocation)
                #expect(.sha256(of: bytes) == file.digest, "\(path)", sourceLocation: sourceLocation)
                try expectMode(0o444, "\(top)/\(path)", sourceLocation)
                expected.insert("\(top)/\(path)")
                pooled.insert("Public/.pool/\(file.digest.hex.prefix(2))/\(file.digest.hex)")
            }
            for folder in try folders(below: top) { try expectMode(0o555, folder, sourceLocation) }
        }
        #expect(try Set(allFiles()) == expected.union(pooled), "files of the store", sourceLocation: sourceLocation)
        for path in pooled { #expect(try status(path).links >= 2, "\(path)", sourceLocation: sourceLocation) }
    }

    func manifest(_ version: String, model: String = "Sam3") throws -> Manifest {
        try Manifest.decode(
            read("manifests/\(model)/\(version).json"),
            model: #require(ModelName(model)),
            version: #require(Version(version))
        )
    }

    func read(_ path: String) throws -> [UInt8] {
        try #require(try FileDescriptor.openFolder(root).openFile(path).readAll(limit: 1 << 30))
    }

    private func archiveDigest(_ asset: Asset, below top: String) throws -> ContentDigest {
        var hash = SHA256()
        for placed in ArchiveLayout(asset: asset).spans() {
            switch placed.span {
            case .bytes(let bytes): hash.update(bytes)
            case .zeros(let count): hash.update([UInt8](repeating: 0, count: count))
            case .file(let index, _): hash.update(try read("\(top)/\(asset.name)/\(asset.files[index].path)"))
            }
        }
        return try #require(ContentDigest(bytes: hash.finish()))
    }

    private func folders(below path: String) throws -> [String] {
        var all = [path]
        for name in names(path) where try status(path + "/" + name).kind == .folder {
            all += try folders(below: path + "/" + name)
        }
        return all
    }

    private func expectMode(_ mode: mode_t, _ path: String, _ sourceLocation: SourceLocation) throws {
        var value = stat()
        try #require(lstat(root + "/" + path, &value) == 0)
        #expect(value.st_mode & 0o7777 == mode, "mode of \(path)", sourceLocation: sourceLocation)
    }
}

extension PublishOutcome {
    /// `published: 10 stored, 3 linked`, or `already published`.
    var words: String {
        switch self {
        case .published(_, let stored, let linked): "published: \(stored) stored, \(linked) linked"
        case .alreadyPublished: "already published"
        }
    }
}

/// Counts, and says when a number is reached.
final class Countdown: Sendable {
    private let left: Atomic<Int>
    init(_ count: Int) { left = Atomic(count) }
    /// True once: at the call whose number this is, beginning with 1.
    func hit() -> Bool { left.subtract(1, ordering: .relaxed).newValue == 0 }
}
