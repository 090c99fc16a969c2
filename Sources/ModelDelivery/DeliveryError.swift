/// Why a model could not be had. One cause a case, so that an app can say what is the matter and what would help.
public enum DeliveryError: Error, Hashable, Sendable {
    /// The release is there, but nothing in it was compiled for this device. No network failure, and no use in trying
    /// again: take the portable variant (`Fallback.portable`) where there is one.
    ///
    /// - `available`: the architectures that it was compiled for.
    /// - `portable`: what any device can specialize for itself, where the release holds it.
    case noVariantForArchitecture(architecture: String, available: [String], portable: PortableVariant?)
    /// The release needs a newer operating system.
    ///
    /// - `compatibleVersion`: the newest version of the model that this device can run, where there is one.
    case requiresNewerOS(minimum: String, compatibleVersion: String?)
    /// The publisher took the version back, or its variant for one architecture.
    ///
    /// - `replacement`: the version to take instead, where one was named.
    case withdrawn(reason: String, architecture: String?, replacement: String?)
    /// There is too little room, found before the download or in the midst of it. What was fetched is kept.
    ///
    /// - `required`, `available`: bytes.
    case insufficientStorage(required: UInt64, available: UInt64)
    /// The host sent, more than once, other bytes than its manifest promises; or an installed file is damaged.
    ///
    /// - `file`: as in `SAM3.h18p.aimodelc/main.hash`, or `manifest.json`; `resolve` where the host offered what was
    ///   not asked for.
    case integrity(file: String)
    /// No answer, or not to its end, however often it was tried. What was fetched is kept.
    case network(NetworkFailure)
    /// The host refuses, or answers what no such host answers.
    case server(ServerFailure)
    /// The device's file system refuses.
    ///
    /// - `operation`: as in `rename`; `replace` where something stands in the place of a release that this library did
    ///   not install, and that is left alone.
    /// - `code`: the system's error number.
    case fileSystem(operation: String, path: String, code: Int32)
    /// The task was cancelled. What was fetched is kept, and the next installation goes on from there.
    case cancelled
    /// Another installation of this model into this library is under way, here or in another process.
    case busy(model: String)
    /// There is no such installed version.
    case notInstalled(model: String, version: String?)
    /// A name or an address that the caller gave is none.
    case invalidRequest(String)
}

/// The variant of a base that any device can specialize for itself.
public struct PortableVariant: Hashable, Sendable {
    /// As in `/models/SAM3/1.4.0/SAM3.aimodel`.
    public let path: String
    /// Bytes.
    public let size: UInt64

    public init(path: String, size: UInt64) {
        self.path = path
        self.size = size
    }
}

/// How the way to the host failed.
public struct NetworkFailure: Hashable, Sendable {
    public enum Cause: Hashable, Sendable {
        /// No connection: no route, no name, refused, offline.
        case unreachable
        /// The connection ended before the answer did.
        case connectionLost
        /// Nothing came for the time that `DeliveryOptions.stallTimeout` allows.
        case stalled
        /// The host's certificate is not trusted, or the handshake failed.
        case secureConnection
        /// The answer is no HTTP, or not what its own head says.
        case malformedAnswer
    }

    public let cause: Cause
    /// For a log, not for a user.
    public let detail: String

    public init(_ cause: Cause, _ detail: String) {
        self.cause = cause
        self.detail = detail
    }
}

/// What a host answered instead of what was asked for.
public struct ServerFailure: Hashable, Sendable {
    /// The status code.
    public let status: Int
    /// The problem's code, as in `unknown-model`; nil where the answer was no problem document.
    public let code: String?
    /// For a log; a problem document's detail where there is one.
    public let detail: String
    /// Whether the same request may succeed later.
    public let isRetryable: Bool
    /// Seconds that the host asked to wait.
    public let retryAfter: Int?

    public init(status: Int, code: String? = nil, detail: String, isRetryable: Bool, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.detail = detail
        self.isRetryable = isRetryable
        self.retryAfter = retryAfter
    }
}

extension DeliveryError {
    /// The code of the problem, as the HTTP contract names it, or a word of the same kind: for a log or a script.
    public var code: String {
        switch self {
        case .noVariantForArchitecture: "no-variant-for-architecture"
        case .requiresNewerOS: "requires-newer-os"
        case .withdrawn(_, let architecture, _): architecture == nil ? "version-withdrawn" : "variant-withdrawn"
        case .insufficientStorage: "insufficient-storage"
        case .integrity: "integrity"
        case .network: "network"
        case .server(let failure): failure.code ?? "server"
        case .fileSystem: "file-system"
        case .cancelled: "cancelled"
        case .busy: "busy"
        case .notInstalled: "not-installed"
        case .invalidRequest: "invalid-request"
        }
    }

    /// Whether the same call may succeed later without anybody changing anything.
    public var isRetryable: Bool {
        switch self {
        case .network, .busy, .cancelled: true
        case .server(let failure): failure.isRetryable
        default: false
        }
    }
}

extension DeliveryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noVariantForArchitecture(let architecture, let available, let portable):
            "nothing was compiled for \(architecture), only for \(available.joined(separator: ", "))"
                + (portable.map { "; the portable variant \($0.path) runs there too" } ?? "; no portable variant either")
        case .requiresNewerOS(let minimum, let compatible):
            "it needs system version \(minimum) or later"
                + (compatible.map { "; version \($0) runs on this device" } ?? "")
        case .withdrawn(let reason, let architecture, let replacement):
            "it was withdrawn\(architecture.map { " for \($0)" } ?? ""): \(reason)"
                + (replacement.map { "; take \($0) instead" } ?? "")
        case .insufficientStorage(let required, let available):
            "\(required) bytes of free space are needed and \(available) are there; free some and try again"
        case .integrity("resolve"):
            "the host's answer to resolve is not one to what was asked, more than once; try another host"
        case .integrity(let file):
            "\(file) is not what the manifest promises; try another host, or repair the installed version"
        case .network(let failure):
            "the host could not be reached to the end: \(failure.detail); what was fetched is kept, try again"
        case .server(let failure):
            "the host answered \(failure.status)\(failure.code.map { " (\($0))" } ?? ""): \(failure.detail)"
        case .fileSystem("replace", let path, _):
            "\(path) was not installed by this library and is not the release; it is left alone: move it away and try again"
        case .fileSystem(let operation, let path, let code):
            "\(operation) of \(path) failed"
                + (code > 0 ? ": \(SystemFiles.text(of: code)) (error number \(code))" : "")
        case .cancelled:
            "cancelled; what was fetched is kept"
        case .busy(let model):
            "\(model) is being installed into this library already; wait for that, or cancel it"
        case .notInstalled(let model, let version):
            "\(model)\(version.map { " \($0)" } ?? "") is not installed here"
        case .invalidRequest(let detail):
            detail
        }
    }
}
