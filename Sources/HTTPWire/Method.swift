/// A request method (RFC 9110, section 9.1). Tokens are case-sensitive: `get` is `other`, not `get`.
package enum Method: UInt8, Sendable, CaseIterable {
    case get, head, post, put, delete, patch, options, trace, connect
    /// Any other token. It is well formed; whether it is allowed is the resource's business (405 or 501).
    case other

    /// The method that `token` names. The caller has checked that it is a token.
    init(token: Span<UInt8>) {
        let candidate: Method =
            switch token.count {
            case 3: token[0] == UInt8(ascii: "G") ? .get : .put
            case 4: token[0] == UInt8(ascii: "H") ? .head : .post
            case 5: token[0] == UInt8(ascii: "P") ? .patch : .trace
            case 6: .delete
            case 7: token[0] == UInt8(ascii: "O") ? .options : .connect
            default: .other
            }
        self = Octets.equal(token, candidate.name) ? candidate : .other
    }

    /// The token as it stands in `Allow`; empty for `other`. A literal: reading it does not allocate.
    package var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .patch: "PATCH"
        case .options: "OPTIONS"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .other: ""
        }
    }
}
