public import Foundation

/// An asset of an installed version.
public struct InstalledAsset: Hashable, Sendable {
    /// The model that the asset is a variant of, as in `SAM3`.
    public let base: String
    /// As in `SAM3.h18p.aimodelc`.
    public let name: String
    /// The folder to load: what `AIModel(contentsOf:)` is given.
    public let url: URL
    /// The architecture that it was compiled for; nil for the portable variant.
    public let architecture: String?
    /// Bytes of all files.
    public let size: UInt64
    public let compile: CompileRecord?
    /// As in `sha256:` and 64 hex digits.
    public let digest: String

    public var isPortable: Bool { architecture == nil }
}

/// An installed version: whole, verified, and not changed by anybody until it is removed.
public struct InstalledModel: Hashable, Sendable {
    public let model: String
    public let version: String
    /// The folder that holds the assets and, at the paths of the manifest, the files beside them. Paths of an app's
    /// container change between launches: ask the library again, never store it.
    public let folder: URL
    public let assets: [InstalledAsset]
    /// Bytes of all files.
    public let size: UInt64
    /// What it takes to get the same again.
    public let record: RebuildRecord
    /// Whether the library's pointer leads here.
    public let isCurrent: Bool
    /// The name of the folder, below that of the model.
    let folderName: String
}

/// What is needed to rebuild an installed version from nothing. Small, `Codable`, and free of absolute paths.
public struct RebuildRecord: Hashable, Sendable, Codable {
    public struct Asset: Hashable, Sendable, Codable {
        public let base: String
        public let name: String
        /// nil: the portable variant.
        public let architecture: String?
        public let compile: CompileRecord?
        public let digest: String
        /// Bytes.
        public let size: UInt64
    }

    public let model: String
    public let version: String
    /// By which the version was found; nil where it was named.
    public let channel: String?
    public let assets: [Asset]
    /// Of the device that it was installed for.
    public let architecture: String
    public let osVersion: String?
    public let osBuild: String?
    /// Where it came from, as in `https://models.example.com`.
    public let host: String
}

/// What of an installed version is not what the manifest promises.
public struct DamagedFile: Hashable, Sendable {
    public enum Fault: Hashable, Sendable {
        case missing
        /// In bytes.
        case wrongSize(UInt64)
        case wrongContent
        /// The system could not read it.
        case unreadable(code: Int32)
        /// The manifest names no such file, folder or link: a model is all that lies in its folder.
        case unexpected
    }

    /// Below the version's folder, as in `SAM3.aimodel/main.mlirb`.
    public let path: String
    public let fault: Fault

    public init(path: String, fault: Fault) {
        self.path = path
        self.fault = fault
    }
}

/// What a library takes on disk: for a storage screen.
public struct StorageUse: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public let model: String
        public let version: String
        /// Bytes of its files. Files that versions share count in each.
        public let size: UInt64
        /// Bytes that removing it would set free.
        public let reclaimable: UInt64
        public let isCurrent: Bool
    }

    public let installed: [Entry]
    /// Bytes of unfinished downloads.
    public let unfinished: UInt64
    /// Bytes of all, files that versions share counted once.
    public let total: UInt64
}
