/// One manifest or resolve request: a row of `version_check`.
package struct VersionCheck: Sendable {
    package enum Outcome: Equatable, Sendable {
        /// The manifest itself was asked for and given.
        case manifest
        case updateOffered
        case upToDate
        /// Refused with this problem code.
        case problem(String)

        var text: String {
            switch self {
            case .manifest: "manifest"
            case .updateOffered: "update-offered"
            case .upToDate: "up-to-date"
            case .problem(let code): code
            }
        }
    }

    /// Unix milliseconds.
    package var at: Int64
    package var model: String
    /// nil where a version was named.
    package var channel: String?
    /// The version that the device says it has.
    package var installedVersion: String?
    /// The version that the answer spoke of.
    package var offeredVersion: String?
    package var architecture: String?
    package var platform: String?
    package var osVersion: String?
    package var device: InternedText?
    package var client: UInt64
    package var outcome: Outcome

    package init(
        at: Int64,
        model: String,
        channel: String? = nil,
        installedVersion: String? = nil,
        offeredVersion: String? = nil,
        architecture: String? = nil,
        platform: String? = nil,
        osVersion: String? = nil,
        device: InternedText? = nil,
        client: UInt64,
        outcome: Outcome
    ) {
        self.at = at
        self.model = model
        self.channel = channel
        self.installedVersion = installedVersion
        self.offeredVersion = offeredVersion
        self.architecture = architecture
        self.platform = platform
        self.osVersion = osVersion
        self.device = device
        self.client = client
        self.outcome = outcome
    }
}

/// A device asked for a variant that the build does not hold: a row of `variant_miss`.
package struct VariantMiss: Sendable {
    /// What it got instead.
    package enum AnsweredWith: String, Sendable {
        /// The portable form, to specialize on the device.
        case portable
        /// A problem document.
        case problem
    }

    /// Unix milliseconds.
    package var at: Int64
    package var model: String
    package var version: String
    package var base: String
    package var architecture: String
    package var platform: String?
    package var answeredWith: AnsweredWith
    package var device: InternedText?
    package var client: UInt64

    package init(
        at: Int64,
        model: String,
        version: String,
        base: String,
        architecture: String,
        platform: String? = nil,
        answeredWith: AnsweredWith,
        device: InternedText? = nil,
        client: UInt64
    ) {
        self.at = at
        self.model = model
        self.version = version
        self.base = base
        self.architecture = architecture
        self.platform = platform
        self.answeredWith = answeredWith
        self.device = device
        self.client = client
    }
}

/// What a device says it saw after a download: a row of `device_report`.
package struct DeviceReport: Sendable {
    package enum Outcome: String, CaseIterable, Sendable {
        case loaded
        case loadFailed = "load-failed"
        case specializationFailed = "specialization-failed"
        case corrupt
        case fallbackUsed = "fallback-used"
        case removed

        /// The variant did not work on the device.
        package var isFailure: Bool { self == .loadFailed || self == .specializationFailed || self == .corrupt }
    }

    /// Unix milliseconds, by the server's clock.
    package var at: Int64
    package var model: String
    package var version: String
    package var asset: String
    package var architecture: String?
    package var outcome: Outcome
    package var errorDomain: String?
    package var errorCode: Int64?
    package var osBuild: String?
    package var coldLoadMilliseconds: Int64?
    package var device: String?
    package var client: UInt64

    package init(
        at: Int64,
        model: String,
        version: String,
        asset: String,
        architecture: String? = nil,
        outcome: Outcome,
        errorDomain: String? = nil,
        errorCode: Int64? = nil,
        osBuild: String? = nil,
        coldLoadMilliseconds: Int64? = nil,
        device: String? = nil,
        client: UInt64
    ) {
        self.at = at
        self.model = model
        self.version = version
        self.asset = asset
        self.architecture = architecture
        self.outcome = outcome
        self.errorDomain = errorDomain
        self.errorCode = errorCode
        self.osBuild = osBuild
        self.coldLoadMilliseconds = coldLoadMilliseconds
        self.device = device
        self.client = client
    }
}
