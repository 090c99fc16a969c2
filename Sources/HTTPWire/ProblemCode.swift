/// Every problem that an answer of 400 and above can name. The raw value is the code: the end of the problem's
/// `type` and the value of the `AIModel-Problem` field.
package enum ProblemCode: String, Sendable, CaseIterable {
    case unknownModel = "unknown-model"
    case unknownVersion = "unknown-version"
    case unknownChannel = "unknown-channel"
    case versionWithdrawn = "version-withdrawn"
    case variantWithdrawn = "variant-withdrawn"
    case noVariantForArchitecture = "no-variant-for-architecture"
    case noPortableVariant = "no-portable-variant"
    case requiresNewerOS = "requires-newer-os"
    case unknownAsset = "unknown-asset"
    case unknownFile = "unknown-file"
    case assetDamaged = "asset-damaged"
    case invalidParameter = "invalid-parameter"
    case badRequest = "bad-request"
    case payloadTooLarge = "payload-too-large"
    case uriTooLong = "uri-too-long"
    case headerFieldsTooLarge = "header-fields-too-large"
    case unsupportedMediaType = "unsupported-media-type"
    case methodNotAllowed = "method-not-allowed"
    case notImplemented = "not-implemented"
    case versionNotSupported = "version-not-supported"
    case preconditionFailed = "precondition-failed"
    case rangeNotSatisfiable = "range-not-satisfiable"
    case overCapacity = "over-capacity"
    case rateLimited = "rate-limited"
    case unknownResource = "unknown-resource"
    case requestTimeout = "request-timeout"
    case expectationFailed = "expectation-failed"
    case misdirectedRequest = "misdirected-request"
    case unauthorized = "unauthorized"
    case forbidden = "forbidden"

    /// The status code of the answer.
    package var status: Int {
        switch self {
        case .badRequest, .invalidParameter: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .unknownModel, .unknownVersion, .unknownChannel, .unknownAsset, .unknownFile, .unknownResource,
            .noVariantForArchitecture, .noPortableVariant, .requiresNewerOS:
            404
        case .methodNotAllowed: 405
        case .requestTimeout: 408
        case .versionWithdrawn, .variantWithdrawn: 410
        case .preconditionFailed: 412
        case .payloadTooLarge: 413
        case .uriTooLong: 414
        case .unsupportedMediaType: 415
        case .rangeNotSatisfiable: 416
        case .expectationFailed: 417
        case .misdirectedRequest: 421
        case .rateLimited: 429
        case .headerFieldsTooLarge: 431
        case .notImplemented: 501
        case .assetDamaged, .overCapacity: 503
        case .versionNotSupported: 505
        }
    }

    /// A short text that does not change from occurrence to occurrence (RFC 9457, section 3.1.3).
    package var title: String {
        switch self {
        case .unknownModel: "There is no such model"
        case .unknownVersion: "The model has no such version"
        case .unknownChannel: "The model has no such channel"
        case .versionWithdrawn: "This version was withdrawn"
        case .variantWithdrawn: "This version was withdrawn for this architecture"
        case .noVariantForArchitecture: "This version has no compiled variant for this architecture"
        case .noPortableVariant: "This version has no portable variant"
        case .requiresNewerOS: "This version needs a newer operating system"
        case .unknownAsset: "The version has no such asset"
        case .unknownFile: "The asset has no such file"
        case .assetDamaged: "The file on disk is not what the manifest says"
        case .invalidParameter: "A parameter is not valid"
        case .badRequest: "The request is not well formed"
        case .payloadTooLarge: "The request's body is too large"
        case .uriTooLong: "The request's target is too long"
        case .headerFieldsTooLarge: "The request's header fields are too large"
        case .unsupportedMediaType: "The body's media type is not supported"
        case .methodNotAllowed: "The method is not allowed here"
        case .notImplemented: "The server does not implement this"
        case .versionNotSupported: "This version of HTTP is not supported"
        case .preconditionFailed: "A precondition of the request does not hold"
        case .rangeNotSatisfiable: "The range lies outside the file"
        case .overCapacity: "The server has more to do than it can"
        case .rateLimited: "Too many requests from this client"
        case .unknownResource: "There is nothing at this path"
        case .requestTimeout: "The request did not arrive in time"
        case .expectationFailed: "The expectation is not supported"
        case .misdirectedRequest: "This server does not answer for that host"
        case .unauthorized: "The credentials are not valid"
        case .forbidden: "The credentials do not allow this"
        }
    }

    /// Whether the same request may succeed later.
    package var retryable: Bool {
        switch self {
        case .assetDamaged, .overCapacity, .rateLimited, .requestTimeout: true
        default: false
        }
    }
}
