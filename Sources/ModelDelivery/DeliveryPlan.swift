internal import Foundation
internal import ModelCatalog

/// What `resolve` answers, as JSON has it.
struct ResolveDocument: Decodable, Sendable {
    struct Asset: Decodable, Sendable {
        var base: String
        var name: String
        var reason: String
        var size: UInt64
        var requiredFreeBytes: UInt64
        var digest: String
    }
    struct Companion: Decodable, Sendable {
        var path: String
        var size: UInt64
        var digest: String
    }

    var model: String
    var version: String
    var channel: String?
    var updateAvailable: Bool
    var assets: [Asset]
    var companions: [Companion]
}

/// Everything that is to be on disk of one version, for one device: the offer, and the manifest's word on each file.
struct DeliveryPlan: Sendable {
    let offer: ModelOffer
    let model: ModelName
    let version: Version
    /// Of the chosen assets and the companions, at their paths below the version's folder; sorted by path.
    let files: [PlannedFile]
    let record: InstalledRecord

    /// 12 hex digits that stand for the files and their paths.
    let key: String

    var release: ChosenRelease { ChosenRelease(model: model, version: version.text, key: key) }

    /// - Parameter resolved: held against the manifest, for the two come in different answers, and both against what
    ///   the device asked.
    /// - Throws: `integrity` where they do not agree; `requiresNewerOS`.
    init(_ resolved: ResolveDocument, _ manifest: Manifest, host: ModelHost) throws(DeliveryError) {
        var offered: [OfferedAsset] = []
        var files: [PlannedFile] = []
        for choice in resolved.assets {
            guard let asset = manifest.asset(named: choice.name), asset.digest.prefixed == choice.digest,
                asset.size == choice.size, StreamingDigest.of(Asset.digestInput(asset.files)) == asset.digest
            else { throw .integrity(file: "manifest.json") }
            guard Self.answers(choice, asset, manifest, host) else { throw .integrity(file: "resolve") }
            offered.append(OfferedAsset(asset, choice))
            for file in asset.files { files.append(try Self.planned(file, below: asset.name.text)) }
        }
        let companions = resolved.companions.map { "\($0.path) \($0.size) \($0.digest)" }
        guard companions == manifest.companions.map({ "\($0.path) \($0.size) \($0.digest)" }) else {
            throw .integrity(file: "manifest.json")
        }
        // Half a pipeline is of no use, and twice the same is none either.
        guard offered.map(\.base).sorted() == manifest.bases.sorted() else { throw .integrity(file: "resolve") }
        if let os = host.device.osVersion.flatMap({ OSVersion($0) }), let minimum = manifest.minDeploymentVersion,
            os < minimum
        {
            throw .requiresNewerOS(minimum: minimum.text, compatibleVersion: nil)
        }
        for file in manifest.companions { files.append(try Self.planned(file, below: nil)) }
        files.sort { $0.path < $1.path }

        let beside = manifest.companions.reduce(UInt64(0)) { $0 + $1.size }
        model = manifest.model
        version = manifest.version
        self.files = files
        key = Self.key(of: files)
        offer = ModelOffer(
            model: manifest.model.text,
            version: manifest.version.text,
            channel: resolved.channel,
            updateAvailable: resolved.updateAvailable,
            assets: offered,
            size: files.reduce(0) { $0 &+ $1.size },
            requiredFreeBytes: offered.reduce(beside) { $0.addingClamped($1.requiredFreeBytes) }
        )
        record = InstalledRecord(
            rebuild: RebuildRecord(
                model: manifest.model.text,
                version: manifest.version.text,
                channel: resolved.channel,
                assets: offered.map(RebuildRecord.Asset.init),
                architecture: host.device.architecture,
                osVersion: host.device.osVersion,
                osBuild: host.device.osBuild,
                host: host.baseURL.absoluteString
            ),
            files: files.map { .init(path: $0.path.text, size: $0.size, sha256: $0.digest.hex) }
        )
    }

    /// Whether an asset is one that this device can have asked for: compiled for it, or portable where that is allowed
    /// and nothing better is there to be had.
    private static func answers(
        _ choice: ResolveDocument.Asset,
        _ asset: Asset,
        _ manifest: Manifest,
        _ host: ModelHost
    ) -> Bool {
        guard choice.base == asset.name.base else { return false }
        if let architecture = asset.architecture { return architecture.text == host.device.architecture }
        let compiled = Architecture(host.device.architecture).flatMap {
            manifest.asset(base: choice.base, kind: .compiled($0))
        }
        return host.fallback == .portable
            && (compiled == nil || choice.reason == ChoiceReason.variantWithdrawn.rawValue)
    }

    private static func planned(_ file: ManifestFile, below folder: String?) throws(DeliveryError) -> PlannedFile {
        guard let path = RelativePath((folder.map { $0 + "/" } ?? "") + file.path.text) else {
            throw .integrity(file: "manifest.json")
        }
        return PlannedFile(path: path, size: file.size, digest: file.digest)
    }

    /// The same for the same files at the same paths.
    static func key(of files: [PlannedFile]) -> String {
        let lines = files.sorted { $0.path < $1.path }.map { "\($0.digest.hex)  \($0.size)  \($0.path)\n" }
        return String(StreamingDigest.of(Array(lines.joined().utf8)).hex.prefix(12))
    }
}

extension OfferedAsset {
    fileprivate init(_ asset: Asset, _ choice: ResolveDocument.Asset) {
        base = asset.name.base
        name = asset.name.text
        architecture = asset.architecture?.text
        reason = choice.reason
        size = asset.size
        requiredFreeBytes = asset.requiredFreeBytes
        compile = asset.compile.map {
            CompileRecord(
                platform: $0.platform,
                preferredCompute: $0.preferredCompute,
                expectFrequentReshapes: $0.expectFrequentReshapes
            )
        }
        digest = asset.digest.prefixed
    }
}

extension RebuildRecord.Asset {
    fileprivate init(_ asset: OfferedAsset) {
        base = asset.base
        name = asset.name
        architecture = asset.architecture
        compile = asset.compile
        digest = asset.digest
        size = asset.size
    }
}

extension UInt64 {
    /// The sum, or the greatest number where it would be more.
    func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
