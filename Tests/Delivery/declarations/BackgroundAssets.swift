// Of Background Assets, Background Tasks and System what docs/ios.md uses, as their documentation declares it.
import Foundation

public struct FilePath: Sendable {
    public init(_ text: String) {}
}

public struct AssetPack: Sendable {}

public actor AssetPackManager {
    public enum DownloadStatusUpdate: Sendable {
        case began(AssetPack)
        case downloading(AssetPack, Progress)
    }

    public static let shared = AssetPackManager()

    public nonisolated func assetPackIsAvailableLocally(withID assetPackID: String) -> Bool { false }
    public nonisolated func url(for path: FilePath) throws -> URL { URL(fileURLWithPath: "/") }
    public nonisolated func statusUpdates(
        forAssetPackWithID assetPackID: String
    ) -> some Sendable & AsyncSequence<DownloadStatusUpdate, Never> {
        AsyncStream<DownloadStatusUpdate> { $0.finish() }
    }
    public func assetPack(withID assetPackID: String) async throws -> AssetPack { AssetPack() }
    public func ensureLocalAvailability(of assetPack: AssetPack) async throws {}
    public func remove(assetPackWithID assetPackID: String) async throws {}
}

public class BGProcessingTask {
    public var expirationHandler: (() -> Void)?

    public func setTaskCompleted(success: Bool) {}
}
