/// The request fields that this server reads (RFC 9110, section 5.1: names are case-insensitive).
///
/// Every other field is `other`: its syntax is checked, its value is never looked at.
package enum FieldName: UInt8, Sendable, CaseIterable {
    case other
    case accept, acceptEncoding, accessControlRequestMethod, accessControlRequestHeaders
    case aiModelDevice, aiModelDownload
    case authorization, connection, contentLength, contentType, expect, forwarded, host
    case ifMatch, ifModifiedSince, ifNoneMatch, ifRange, ifUnmodifiedSince
    case keepAlive, origin, range, transferEncoding, upgrade, userAgent, xForwardedFor

    /// Recognises `name` in any case, without allocating: the length leaves three candidates at most.
    init(octets name: Span<UInt8>) {
        self =
            switch name.count {
            case 4: .host.ifNamed(name)
            case 5: .range.ifNamed(name)
            case 6: .accept.ifNamed(name, or: .expect, or: .origin)
            case 7: .upgrade.ifNamed(name)
            case 8: .ifRange.ifNamed(name, or: .ifMatch)
            case 9: .forwarded.ifNamed(name)
            case 10: .connection.ifNamed(name, or: .userAgent, or: .keepAlive)
            case 12: .contentType.ifNamed(name)
            case 13: .ifNoneMatch.ifNamed(name, or: .authorization)
            case 14: .contentLength.ifNamed(name, or: .aiModelDevice)
            case 15: .acceptEncoding.ifNamed(name, or: .xForwardedFor)
            case 16: .aiModelDownload.ifNamed(name)
            case 17: .ifModifiedSince.ifNamed(name, or: .transferEncoding)
            case 19: .ifUnmodifiedSince.ifNamed(name)
            case 29: .accessControlRequestMethod.ifNamed(name)
            case 30: .accessControlRequestHeaders.ifNamed(name)
            default: .other
            }
    }

    /// The name in its usual spelling; empty for `other`. A literal: reading it does not allocate.
    package var name: String {
        switch self {
        case .other: ""
        case .accept: "Accept"
        case .acceptEncoding: "Accept-Encoding"
        case .accessControlRequestMethod: "Access-Control-Request-Method"
        case .accessControlRequestHeaders: "Access-Control-Request-Headers"
        case .aiModelDevice: "AIModel-Device"
        case .aiModelDownload: "AIModel-Download"
        case .authorization: "Authorization"
        case .connection: "Connection"
        case .contentLength: "Content-Length"
        case .contentType: "Content-Type"
        case .expect: "Expect"
        case .forwarded: "Forwarded"
        case .host: "Host"
        case .ifMatch: "If-Match"
        case .ifModifiedSince: "If-Modified-Since"
        case .ifNoneMatch: "If-None-Match"
        case .ifRange: "If-Range"
        case .ifUnmodifiedSince: "If-Unmodified-Since"
        case .keepAlive: "Keep-Alive"
        case .origin: "Origin"
        case .range: "Range"
        case .transferEncoding: "Transfer-Encoding"
        case .upgrade: "Upgrade"
        case .userAgent: "User-Agent"
        case .xForwardedFor: "X-Forwarded-For"
        }
    }

    private func ifNamed(
        _ name: Span<UInt8>,
        or second: FieldName = .other,
        or third: FieldName = .other
    ) -> FieldName {
        if Octets.equalIgnoringCase(name, self.name) { return self }
        if second != .other, Octets.equalIgnoringCase(name, second.name) { return second }
        if third != .other, Octets.equalIgnoringCase(name, third.name) { return third }
        return .other
    }
}
