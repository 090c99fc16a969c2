internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog

/// What a path names, and what the ledger is to know of who asked.
struct Sighting: Sendable {
    let located: Located
    let observation: Observation?
}

/// An architecture that a version was not compiled for.
struct Gap: Hashable, Sendable {
    let version: Version
    let base: String
    let architecture: Architecture
}

/// What an answer to `resolve` offers a device, as far as the ledger is concerned.
struct Offer: Sendable {
    let version: Version
    let isUpdate: Bool
    /// Where the portable form stands in for a variant that there is none of.
    let gaps: [Gap]

    init(_ resolution: Resolution, to architecture: Architecture) {
        version = resolution.version
        isUpdate = resolution.updateAvailable
        gaps = resolution.choices.filter { $0.reason == .noVariant }.map {
            Gap(version: resolution.version, base: $0.base, architecture: architecture)
        }
    }
}

/// What the ledger is to know of a question that is not on the steady path: made beside the answer, on any thread, and
/// told by the loop, which adds when it was and who asked.
struct Observation: Sendable {
    var check: VersionCheck?
    var misses: [VariantMiss] = []
    /// A published file that could not be sent, and the status that says so.
    var refused: (file: FileIdentity, status: UInt16)?

    var isEmpty: Bool { check == nil && misses.isEmpty && refused == nil }
}

extension FileIdentity {
    /// A file of an asset's tree. Its place is counted through the files before it: some microseconds in a tree of
    /// thousands, once each time that a file is opened.
    convenience init(_ file: ManifestFile, of asset: Asset, in manifest: Manifest) {
        var offset: UInt64 = 0
        for earlier in asset.files {
            if earlier.path == file.path { break }
            offset += earlier.size
        }
        self.init(
            model: manifest.model,
            version: manifest.version,
            asset: asset.name,
            path: file.path.text,
            size: file.size,
            offset: offset,
            assetSize: asset.size
        )
    }
}
