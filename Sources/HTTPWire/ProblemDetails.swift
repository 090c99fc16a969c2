/// A problem document (RFC 9457).
package struct ProblemDetails: Sendable {
    /// The Content-Type of a problem document.
    package static let mediaType = "application/problem+json"
    /// The most characters of `instance(_:)`.
    package static let instanceLimit = 1024

    package let code: ProblemCode
    /// What happened here and what to do about it, for people.
    package let detail: String
    /// The path of the request, as `instance(_:)` makes it; nil where there is none.
    package let instance: String?
    /// Extension members (RFC 9457, section 3.2), in this order.
    package let members: [(String, JSONValue)]

    /// - Parameter members: further members. One that bears the name of a standard member, or `retryable`, is left out.
    package init(_ code: ProblemCode, detail: String, instance: String? = nil, members: [(String, JSONValue)] = []) {
        self.code = code
        self.detail = detail
        self.instance = instance
        self.members = members
    }

    /// `target`, octets of a request's path, as a URI reference in ASCII (RFC 9457, section 3.1.5).
    ///
    /// Octets that a URI may not hold are percent-encoded, a `%` that encodes nothing among them. It is cut at
    /// `instanceLimit`, between characters.
    package static func instance(_ target: Span<UInt8>) -> String {
        var text = ""
        var index = 0
        while index < target.count, text.utf8.count <= instanceLimit - 3 {
            let octet = target[index]
            let isEncoding =
                octet == UInt8(ascii: "%") && target.count - index > 2 && Octets.hexValue(target[index + 1]) != nil
                && Octets.hexValue(target[index + 2]) != nil
            let width = isEncoding ? 3 : 1
            if isEncoding || OctetSet.uri.contains(octet) {
                for part in index..<(index + width) { text.unicodeScalars.append(Unicode.Scalar(target[part])) }
            } else {
                PercentDecoding.appendEncoded(octet, to: &text)
            }
            index += width
        }
        return text
    }

    /// The path of the problem type's own explanation: the document's `type`.
    package static func type(of code: ProblemCode) -> String { "/problems/\(code.rawValue)" }

    /// The document as JSON text in UTF-8.
    package func encode() -> [UInt8] {
        var document: [(String, JSONValue)] = [
            ("type", .string(Self.type(of: code))),
            ("title", .string(code.title)),
            ("status", .int(Int64(code.status))),
            ("detail", .string(detail)),
        ]
        if let instance { document.append(("instance", .string(instance))) }
        document.append(("retryable", .bool(code.retryable)))
        for member in members where !Self.standardMembers.contains(member.0) { document.append(member) }
        return JSONValue.object(document).encode()
    }

    private static let standardMembers = ["type", "title", "status", "detail", "instance", "retryable"]
}
