internal import Foundation
internal import ModelCatalog

/// What the library writes beside an installed tree, last: the sign that the tree is whole, and what to hold it
/// against. Paths are relative to the tree.
struct InstalledRecord: Codable, Sendable {
    struct File: Codable, Sendable {
        var path: String
        var size: UInt64
        /// 64 hex digits.
        var sha256: String
    }

    static let schemaVersion = 1

    var schemaVersion = Self.schemaVersion
    var rebuild: RebuildRecord
    /// Of all assets and companions, sorted by path.
    var files: [File]

    init(rebuild: RebuildRecord, files: [File]) {
        self.rebuild = rebuild
        self.files = files
    }

    func installed(at tree: String, folderName: String, isCurrent: Bool) -> InstalledModel {
        let folder = URL(fileURLWithPath: tree, isDirectory: true)
        return InstalledModel(
            model: rebuild.model,
            version: rebuild.version,
            folder: folder,
            assets: rebuild.assets.map {
                InstalledAsset(
                    base: $0.base,
                    name: $0.name,
                    url: folder.appendingPathComponent($0.name, isDirectory: true),
                    architecture: $0.architecture,
                    size: $0.size,
                    compile: $0.compile,
                    digest: $0.digest
                )
            },
            size: files.reduce(0) { $0 + $1.size },
            record: rebuild,
            isCurrent: isCurrent,
            folderName: folderName
        )
    }
}

/// A file of a record, parsed: what is read from disk is believed no more than what comes over the network.
struct PlannedFile: Hashable, Sendable {
    /// Below the version's folder.
    let path: RelativePath
    let size: UInt64
    let digest: ContentDigest
}

extension InstalledRecord {
    /// The files that the record holds and that are of a form that can be believed.
    var plannedFiles: [PlannedFile] {
        files.compactMap { file in
            guard let path = RelativePath(file.path), let digest = ContentDigest(hex: file.sha256) else { return nil }
            return PlannedFile(path: path, size: file.size, digest: digest)
        }
    }
}
