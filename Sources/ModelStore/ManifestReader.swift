internal import HostSystem
internal import ModelCatalog

/// Reads one manifest from the disk. Any thread may use it; it waits for the disk.
struct ManifestReader: Sendable {
    /// Octets. A release of 100,000 files stays below it.
    static let maximumSize = 16 * 1024 * 1024

    let store: StoreFolder

    /// What was read, and whether it was the file that `entry` is about from beginning to end. While somebody writes
    /// it in place it is not, and then a failure says nothing about the file as it will be.
    func read(_ model: ModelName, _ entry: VersionEntry) -> (
        result: Result<LoadedManifest, ManifestFailure>, stable: Bool
    ) {
        do throws(Errno) {
            let folder = try store.openManifests().openFolder(model.text)
            let file = try folder.openFile(StoreLayout.manifestFile(of: entry.version))
            let before = try file.status()
            guard before.kind == .regular else { return (.failure(.notRegular), false) }
            let bytes = try file.readAll(limit: Self.maximumSize)
            let stable = try FileStamp(file.status()) == entry.stamp && FileStamp(before) == entry.stamp
            guard let bytes else { return (.failure(.tooLarge), stable) }
            return (Self.decode(bytes, model, entry.version), stable)
        } catch {
            return (.failure(ManifestFailure(error)), false)
        }
    }

    private static func decode(
        _ bytes: [UInt8],
        _ model: ModelName,
        _ version: Version
    ) -> Result<LoadedManifest, ManifestFailure> {
        do throws(ManifestError) {
            let manifest = try Manifest.decode(bytes, model: model, version: version)
            return .success(LoadedManifest(manifest: manifest, bytes: bytes))
        } catch {
            return .failure(.malformed(error))
        }
    }
}

extension FileStamp {
    init(_ status: FileStatus) {
        self.init(modifiedNanoseconds: status.modifiedNanoseconds, size: status.size, inode: status.inode)
    }
}
