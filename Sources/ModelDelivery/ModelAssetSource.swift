public import Foundation

/// One asset and a way to get it: the seam at which Background Assets, a background session of the app's own, or
/// any other transport takes the place of this library's.
///
/// An app that speaks to this protocol alone can change the way its models come without changing anything else.
/// `HostedAsset` is the one that this library brings.
public protocol ModelAssetSource: Sendable {
    /// As in `SAM3.h18p.aimodelc`, or the name of an asset pack.
    var assetName: String { get }
    /// The version that the app was made for; nil where any will do.
    var expectedVersion: String? { get }
    /// Where the whole asset lies, if it does. Asks nobody; quick enough for a launch.
    func localURLIfPresent() async -> URL?
    /// Gets the asset and says where it lies. What is there already is not fetched again.
    ///
    /// - Parameter onProgress: called at most twice a second, one call at a time, on no particular thread.
    func fetch(onProgress: @escaping @Sendable (DeliveryProgress) -> Void) async throws(DeliveryError) -> URL
    /// Removes what is there. The app deletes its specialization cache's entries first.
    func removeLocalCopy() async throws(DeliveryError)
}
