internal import HostSystem
package import ModelCatalog

/// A manifest with the octets it was read from: those are what is sent, so that every host sends the same.
package final class LoadedManifest: Sendable {
    package let manifest: Manifest
    /// As on disk.
    package let bytes: [UInt8]
    /// SHA-256 of `bytes`.
    package let digest: ContentDigest

    package init(manifest: Manifest, bytes: [UInt8]) {
        guard let digest = ContentDigest(bytes: SHA256.digest(of: bytes)) else {
            preconditionFailure("a SHA-256 of another size than 32 octets")
        }
        self.manifest = manifest
        self.bytes = bytes
        self.digest = digest
    }

    /// About how many octets of memory it takes.
    ///
    /// The decoded form is counted by its parts; a path of more than 15 octets lies in a block of its own, 32 octets
    /// of header before it.
    var cost: Int {
        let files = manifest.assets.reduce(manifest.companions.count) { $0 + $1.files.count }
        let assets = manifest.assets.count * (MemoryLayout<Asset>.stride + 512)
        // The paths' octets are among those of the manifest, and its length bounds them.
        return 512 + 2 * bytes.count + assets + files * (MemoryLayout<ModelCatalog.ManifestFile>.stride + 32)
    }
}

/// What a listing says of a version: little enough to keep for twenty thousand of them.
package struct VersionSummary: Equatable, Sendable {
    package let createdAt: Instant
    /// Octets of all assets and companions.
    package let size: UInt64
    package let architectures: [Architecture]
    package let minDeploymentVersion: OSVersion?

    package init(_ manifest: Manifest) {
        createdAt = manifest.createdAt
        size = manifest.size
        architectures = manifest.architectures
        minDeploymentVersion = manifest.minDeploymentVersion
    }
}
