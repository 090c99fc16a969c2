internal import HostTelemetry
internal import ModelCatalog

/// One report as a device sent it: of the right form, and not yet held against what is published.
struct ReportItem: Equatable, Sendable {
    var model: String
    var version: String
    var asset: String
    /// nil where the device does not say, as it need not of a portable asset.
    var architecture: Architecture?
    var outcome: DeviceReport.Outcome
    var errorDomain: String?
    var errorCode: Int64?
    var osBuild: String?
    var coldLoadMilliseconds: Int64?
    var device: String?
}

/// Why one report was not taken. Its request was, so the others are not concerned.
struct ReportRefusal: Error, Equatable, Sendable {
    enum Reason: String, Sendable {
        case notAnObject = "not-an-object"
        case missing
        case wrongType = "wrong-type"
        /// Of the right type, and not of the form that the member has.
        case invalid
        case outOfRange = "out-of-range"
        /// These four bear the names of the problems that a download of the same thing would meet.
        case unknownModel = "unknown-model"
        case unknownVersion = "unknown-version"
        case unknownAsset = "unknown-asset"
        case assetDamaged = "asset-damaged"
        /// The asset was not compiled for this architecture.
        case otherArchitecture = "other-architecture"
    }

    let reason: Reason
    /// The member that it is about; nil where it is about the whole.
    let member: String?
    /// For people.
    let detail: String

    init(_ reason: Reason, _ member: String?, _ detail: String) {
        self.reason = reason
        self.member = member
        self.detail = detail
    }
}
