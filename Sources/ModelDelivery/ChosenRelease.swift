internal import ModelCatalog

/// One choice of a version's assets: what a download is of. A version has another where, as after the withdrawal of one
/// architecture's variant, the same device is given other assets.
struct ChosenRelease: Sendable {
    let model: ModelName
    let version: String
    /// Of its files (`DeliveryPlan.key`).
    let key: String

    /// Like no other's of the model. `~` is in no version.
    var name: String { "\(version)~\(key)" }

    /// Percent-encoded: where the host has a file.
    func address(of file: PlannedFile) -> String {
        HostAddress.path(["models", model.text, version].map { Substring($0) } + file.path.segments)
    }
}
