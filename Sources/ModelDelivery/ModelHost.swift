public import Foundation
internal import ModelCatalog

/// Which version of a model is wanted.
public enum VersionSelector: Hashable, Sendable {
    /// The highest version that is neither a prerelease nor withdrawn.
    case latest
    /// Where a channel leads, as in `stable`.
    case channel(String)
    /// Exactly this one, as in `1.4.0`.
    case version(String)

    /// A text as people write it: what begins with a digit is a version, `latest` is `latest`, the rest a channel.
    public init(_ text: String) {
        if text == "latest" {
            self = .latest
        } else {
            self = text.utf8.first.map { (0x30...0x39).contains($0) } == true ? .version(text) : .channel(text)
        }
    }

    /// As it stands in a URL.
    public var text: String {
        switch self {
        case .latest: "latest"
        case .channel(let name), .version(let name): name
        }
    }
}

/// What to do where nothing was compiled for the device.
public enum Fallback: String, Hashable, Sendable {
    /// Take the portable variant, which the device specializes for itself.
    case portable
    /// Throw `DeliveryError.noVariantForArchitecture`.
    case none
}

/// The device, as a host needs to know it.
public struct DeliveryDevice: Hashable, Sendable {
    /// What `AIModel.deviceArchitectureName` returns, as in `h18p`. Never made from a marketing name.
    public var architecture: String
    /// As in `27.1`. Where it is there, a release that needs a newer system is refused before it is downloaded.
    public var osVersion: String?
    /// As in `iOS`, for the host's records.
    public var platform: String?
    /// An opaque id that the app makes, for the host's records and for releases that reach devices by degrees.
    public var identifier: String?
    /// As in `24A335`: kept in the record, and sent with reports.
    public var osBuild: String?

    public init(
        architecture: String,
        osVersion: String? = nil,
        platform: String? = nil,
        identifier: String? = nil,
        osBuild: String? = nil
    ) {
        self.architecture = architecture
        self.osVersion = osVersion
        self.platform = platform
        self.identifier = identifier
        self.osBuild = osBuild
    }
}

/// One model at one host, for one device: whom to ask, and what for.
///
///     let host = try ModelHost(
///         URL(string: "https://models.example.com")!,
///         model: "SAM3",
///         version: .channel("stable"),
///         device: DeliveryDevice(architecture: AIModel.deviceArchitectureName, osVersion: "27.1")
///     )
///
/// A value; free to send between tasks.
public struct ModelHost: Sendable {
    /// Where the host answers, as in `https://models.example.com`. A path is kept and comes before `/models`.
    public let baseURL: URL
    /// Other hosts with the same releases, asked in turn where one cannot be reached, fails, or lacks something. A
    /// download that one has begun the next completes, for the same bytes have the same entity tag everywhere.
    public var mirrors: [URL] = []
    /// As in `SAM3`.
    public let model: String
    public var version: VersionSelector
    public var fallback: Fallback = .portable
    public var device: DeliveryDevice
    /// The value of `Authorization` for a private model, as in `Bearer …`. Never sent to where a redirect leads.
    public var authorization: String?

    let name: ModelName

    /// - Throws: `invalidRequest` where a name is none, or the address is neither `http` nor `https`.
    public init(
        _ baseURL: URL,
        model: String,
        version: VersionSelector = .latest,
        device: DeliveryDevice
    ) throws(DeliveryError) {
        guard let name = ModelName(model) else {
            throw .invalidRequest("\(model) is no name of a model: letters, digits, '.', '_' and '-', 128 at most")
        }
        guard let scheme = baseURL.scheme?.lowercased(), scheme == "http" || scheme == "https", baseURL.host != nil
        else {
            throw .invalidRequest(
                "\(baseURL.absoluteString) is no address of a host, such as https://models.example.com"
            )
        }
        self.baseURL = baseURL
        self.model = model
        self.name = name
        self.version = version
        self.device = device
        try check()
    }

    /// A host from a model's own address, as in `https://models.example.com/models/SAM3`.
    ///
    /// - Throws: `invalidRequest` where the address does not end in `/models/` and a model's name.
    public init(
        modelURL: URL,
        version: VersionSelector = .latest,
        device: DeliveryDevice
    ) throws(DeliveryError) {
        let parts = modelURL.pathComponents.filter { $0 != "/" }
        guard parts.count >= 2, parts[parts.count - 2] == "models", let model = parts.last,
            var base = URLComponents(url: modelURL, resolvingAgainstBaseURL: true)
        else {
            throw .invalidRequest(
                "\(modelURL.absoluteString) is no address of a model, such as https://host/models/SAM3"
            )
        }
        base.path = parts.dropLast(2).map { "/" + $0 }.joined()
        base.query = nil
        base.fragment = nil
        guard let baseURL = base.url else { throw .invalidRequest("\(modelURL.absoluteString) is no URL") }
        try self.init(baseURL, model: model, version: version, device: device)
    }

    /// Everything that may change after `init`, checked again where it is used.
    func check() throws(DeliveryError) {
        for url in baseURLs {
            guard url.user == nil, url.password == nil else {
                // Not repeated here: it would end in a log.
                throw .invalidRequest("an address holds a user or a password; credentials go into the authorization")
            }
            guard url.port.map({ (1...65_535).contains($0) }) ?? true else {
                throw .invalidRequest("\(url.absoluteString) has a port beyond 65535")
            }
        }
        guard Architecture(device.architecture) != nil else {
            throw .invalidRequest("\(device.architecture) is no architecture, such as h18p")
        }
        if let os = device.osVersion, OSVersion(os) == nil {
            throw .invalidRequest("\(os) is no version of a system, such as 27.1")
        }
        switch version {
        case .latest: break
        case .channel(let text):
            guard ChannelName(text) != nil else {
                throw .invalidRequest("\(text) is no channel: lower-case letters, digits and '-', a letter first")
            }
        case .version(let text):
            guard Version(text) != nil else {
                throw .invalidRequest("\(text) is no version: a digit first, then letters, digits, '.', '+' and '-'")
            }
        }
        let fields = [authorization, device.identifier, device.platform].compactMap { $0 }
        guard fields.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
            throw .invalidRequest("a control character stands where none may: in the authorization, id or platform")
        }
    }

    /// All hosts, the first choice first.
    var baseURLs: [URL] { [baseURL] + mirrors }
}
