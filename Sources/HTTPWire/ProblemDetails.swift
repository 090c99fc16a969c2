/// A problem document (RFC 9457).
package struct ProblemDetails: Sendable {
    /// The Content-Type of a problem document.
    package static let mediaType = "application/problem+json"

    package let code: ProblemCode
    /// What happened here and what to do about it, for people.
    package let detail: String
    /// The path of the request, percent-encoded; nil where there is none.
    package let instance: String?
    /// Extension members (RFC 9457, section 3.2), in this order.
    package let members: [(String, JSONValue)]

    package init(_ code: ProblemCode, detail: String, instance: String? = nil, members: [(String, JSONValue)] = []) {
        self.code = code
        self.detail = detail
        self.instance = instance
        self.members = members
    }

    /// `target`, octets of a request's path or target, as a URI reference in ASCII: octets that a URI may not hold are encoded.
    package static func instance(_ target: Span<UInt8>) -> String { "" }

    /// The document as JSON text in UTF-8.
    package func encode() -> [UInt8] { [] }
}
