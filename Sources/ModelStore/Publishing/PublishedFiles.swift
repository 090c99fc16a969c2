internal import HostSystem
internal import ModelCatalog

/// The files that a published version must have, as far as can be told without reading them.
///
/// To publish a version again is how an operator mends what is gone, so to hear that all is there must mean that. A file
/// of the right size with other octets is for `verify` to find.
enum PublishedFiles {
    /// Throws `.damaged` where a file is missing, is none, or has another size than its manifest says, and `.io`.
    /// `root` is the store's folder.
    static func check(_ manifest: Manifest, below root: borrowing FileDescriptor) throws(PublishError) {
        var damaged: [(path: String, fault: String)] = []
        for (path, size) in files(of: manifest) {
            let whole = StoreLayout.publicFolder + "/" + path
            if let fault = try fault(at: whole, size: size, below: root) { damaged.append((whole, fault)) }
        }
        if !damaged.isEmpty { throw .damaged(manifest.model, manifest.version, damaged) }
    }

    /// Below the document root.
    private static func files(of manifest: Manifest) -> [(path: String, size: UInt64)] {
        let (model, version) = (manifest.model, manifest.version)
        return manifest.assets.flatMap { asset in
            asset.files.map { (StoreLayout.publicPath(model, version, asset: asset.name, file: $0.path), $0.size) }
        } + manifest.companions.map { (StoreLayout.publicPath(model, version, companion: $0.path), $0.size) }
    }

    private static func fault(
        at path: String,
        size: UInt64,
        below root: borrowing FileDescriptor
    ) throws(PublishError) -> String? {
        do throws(Errno) {
            let status = try root.status(of: path)
            if status.kind != .regular { return "is no regular file" }
            return UInt64(clamping: status.size) == size ? nil : "has \(status.size) octets instead of \(size)"
        } catch .noEntry {
            return "is missing"
        } catch .notFolder {
            return "is missing: a file stands in the place of its folder"
        } catch {
            throw .io(path: path, error)
        }
    }
}
