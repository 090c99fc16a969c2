/// What the compiler was told when a variant was made: the facts that an app needs to load it as it was meant.
public struct CompileRecord: Hashable, Sendable, Codable {
    /// As in `iOS`.
    public let platform: String?
    /// As in `gpu`.
    public let preferredCompute: String?
    public let expectFrequentReshapes: Bool?

    public init(platform: String? = nil, preferredCompute: String? = nil, expectFrequentReshapes: Bool? = nil) {
        self.platform = platform
        self.preferredCompute = preferredCompute
        self.expectFrequentReshapes = expectFrequentReshapes
    }
}

/// One asset that a host offers to this device.
public struct OfferedAsset: Hashable, Sendable {
    /// The model that the asset is a variant of, as in `SAM3`; a pipeline has several.
    public let base: String
    /// As in `SAM3.h18p.aimodelc`.
    public let name: String
    /// The architecture that it was compiled for; nil for the portable variant.
    public let architecture: String?
    /// Why this one: `compiled-for-architecture`, `no-variant-for-architecture` or `variant-withdrawn`.
    public let reason: String
    /// Bytes of all files.
    public let size: UInt64
    /// What should be free before the download begins, with room to specialize, in bytes.
    public let requiredFreeBytes: UInt64
    public let compile: CompileRecord?
    /// As in `sha256:` and 64 hex digits, over the list of files.
    public let digest: String
}

/// What a host offers to this device: one asset for each base, and the files beside them.
public struct ModelOffer: Hashable, Sendable {
    public let model: String
    public let version: String
    /// By which the version was found; nil where it was named.
    public let channel: String?
    /// Whether it is another version than the one that is installed. After a roll-back it may be the lower one.
    public let updateAvailable: Bool
    public let assets: [OfferedAsset]
    /// Bytes of all assets and of the files beside them.
    public let size: UInt64
    /// What should be free before the download begins, in bytes.
    public let requiredFreeBytes: UInt64
}

/// Whether there is something for this device, and whether it fits: what to ask before a button is shown.
public struct ModelAvailability: Hashable, Sendable {
    public let offer: ModelOffer
    /// The offer is installed, whole and current: there is nothing to do.
    public let isInstalled: Bool
    /// Bytes still to be transferred: what installed versions hold, and what was fetched before, is left out.
    public let bytesToTransfer: UInt64
    /// Bytes that should be free for it.
    public let requiredBytes: UInt64
    /// Bytes that the system would give.
    public let availableBytes: UInt64

    public var fits: Bool { requiredBytes <= availableBytes }
}
