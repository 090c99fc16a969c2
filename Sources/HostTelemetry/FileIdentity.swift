package import ModelCatalog

/// A published file as the ledger names it: made once when the file is prepared, shared by all answers about it.
package final class FileIdentity: Sendable {
    /// Where the file's octets stand among those of its asset.
    package enum Place: Hashable, Sendable {
        /// A file of the asset's tree. `offset` counts the octets of the files before it, in the manifest's order;
        /// `assetSize` those of all files. So the octets of a tree have one number each, and what is covered of it
        /// is one set of intervals.
        case tree(offset: UInt64, assetSize: UInt64)
        /// The asset's archive.
        case archive
        /// A file of no asset, beside them.
        case companion
    }

    package let model: String
    package let version: String
    /// nil for a companion.
    package let asset: String?
    /// nil for the portable form and for companions.
    package let architecture: String?
    /// `compiled`, `portable` or `companion`.
    package let kind: String
    /// Below the asset's folder; for an archive its name, for a companion its path below the version.
    package let path: String
    /// Octets of the file or archive.
    package let bytesTotal: UInt64
    package let place: Place

    private init(
        _ model: ModelName,
        _ version: Version,
        _ asset: AssetName?,
        _ path: String,
        _ bytesTotal: UInt64,
        _ place: Place
    ) {
        self.model = model.text
        self.version = version.text
        self.asset = asset?.text
        architecture = asset?.architecture?.text
        kind = asset?.kind.text ?? "companion"
        self.path = path
        self.bytesTotal = bytesTotal
        self.place = place
    }

    /// A file of an asset's tree. `offset + size` is at most `assetSize`.
    package convenience init(
        model: ModelName,
        version: Version,
        asset: AssetName,
        path: String,
        size: UInt64,
        offset: UInt64,
        assetSize: UInt64
    ) {
        precondition(offset <= assetSize && size <= assetSize - offset, "the file lies beyond its asset")
        self.init(model, version, asset, path, size, .tree(offset: offset, assetSize: assetSize))
    }

    /// An asset's archive of `size` octets.
    package convenience init(archiveOf asset: AssetName, model: ModelName, version: Version, size: UInt64) {
        self.init(model, version, asset, asset.archiveName, size, .archive)
    }

    /// A companion file of `size` octets.
    package convenience init(companion path: String, model: ModelName, version: Version, size: UInt64) {
        self.init(model, version, nil, path, size, .companion)
    }
}
