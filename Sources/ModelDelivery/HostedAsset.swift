public import Foundation

/// An asset that comes from a host into a library: this library's own source.
public struct HostedAsset: ModelAssetSource {
    public let library: ModelLibrary
    public let host: ModelHost
    /// The model that the asset is a variant of, as in `SAM3`; for most it bears the model's name.
    public let base: String

    public init(library: ModelLibrary, host: ModelHost, base: String? = nil) {
        self.library = library
        self.host = host
        self.base = base ?? host.model
    }

    /// The name of the installed asset; before that, the one that is compiled for the device.
    public var assetName: String {
        installed?.name ?? "\(base).\(host.device.architecture).aimodelc"
    }

    /// The version that the host is asked for by number; nil where it is asked for a channel.
    public var expectedVersion: String? {
        if case .version(let version) = host.version { version } else { nil }
    }

    private var installed: InstalledAsset? {
        guard let current = library.current(host.model),
            expectedVersion == nil || expectedVersion == current.version
        else { return nil }
        return current.assets.first { $0.base == base }
    }

    public func localURLIfPresent() async -> URL? { installed?.url }

    public func fetch(
        onProgress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws(DeliveryError) -> URL {
        let installation = library.install(from: host)
        let teller = Task { for await progress in installation.progress { onProgress(progress) } }
        let result: Result<InstalledModel, DeliveryError>
        do throws(DeliveryError) {
            result = .success(try await installation.value)
        } catch {
            result = .failure(error)
        }
        // The stream ends with the installation; after `fetch` has returned, nothing is told any more.
        await teller.value
        let model = try result.get()
        guard let asset = model.assets.first(where: { $0.base == base }) else {
            throw .invalidRequest("\(host.model) \(model.version) holds no \(base)")
        }
        return asset.url
    }

    public func removeLocalCopy() async throws(DeliveryError) {
        guard let current = library.current(host.model),
            expectedVersion == nil || expectedVersion == current.version
        else { return }
        try await library.remove(current)
    }
}
