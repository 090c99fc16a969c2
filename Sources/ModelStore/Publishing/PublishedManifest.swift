internal import HostSystem
internal import ModelCatalog

/// What is published under a version, if anything is.
enum PublishedManifest {
    /// Nil where the version is not published. Throws `.manifestUnreadable` where something stands for it that is no
    /// manifest, and `.io`.
    static func read(
        _ model: ModelName,
        _ version: Version,
        below root: borrowing FileDescriptor
    ) throws(PublishError) -> Manifest? {
        let path = StoreLayout.manifestPath(model, version)
        let bytes: [UInt8]?
        do throws(Errno) {
            let folder = try root.openFolder(StoreLayout.manifestsFolder, followingLink: true).openFolder(model.text)
            let file = try folder.openFile(StoreLayout.manifestFile(of: version))
            // What read(2) would say of a folder; the word serves for whatever else is no file.
            guard try file.status().kind == .regular else { throw .isFolder }
            bytes = try file.readAll(limit: ManifestReader.maximumSize)
        } catch .noEntry {
            return nil
        } catch .isFolder {
            throw .manifestUnreadable(path: path, reason: "not a regular file")
        } catch .tooManyLinks {
            throw .manifestUnreadable(path: path, reason: "a symbolic link; a manifest must be a file")
        } catch {
            throw .io(path: path, error)
        }
        guard let bytes else {
            throw .manifestUnreadable(path: path, reason: "larger than \(ManifestReader.maximumSize) octets")
        }
        do throws(ManifestError) {
            return try Manifest.decode(bytes, model: model, version: version)
        } catch {
            throw .manifestUnreadable(path: path, reason: "\(error)")
        }
    }
}
