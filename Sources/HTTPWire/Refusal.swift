/// Why a request head was refused. Each of these ends the connection: what follows the head cannot be trusted.
package enum Refusal: Sendable, Equatable {
    /// 400.
    case badRequest(BadRequest)
    /// 414.
    case uriTooLong
    /// 431.
    case headerFieldsTooLarge
    /// 501: a transfer coding other than `chunked` (RFC 9112, section 6.1).
    case notImplemented
    /// 505.
    case versionNotSupported
}

/// What is wrong with a head that is answered 400. The raw value is a sentence for the problem's `detail`.
package enum BadRequest: String, Sendable, Equatable, CaseIterable {
    case bareCR = "A CR that no LF follows (RFC 9112, section 2.2)."
    case bareLF = "A line that ends with LF alone; lines end with CR LF (RFC 9112, section 2.2)."
    case tooManyEmptyLines = "Too many empty lines before the request line (RFC 9112, section 2.2)."
    case obsFold = "A field line that begins with white space (RFC 9112, section 5.2)."
    case invalidRequestLine = "The request line is not 'method SP target SP HTTP/1.1' (RFC 9112, section 3)."
    case invalidVersion = "The HTTP version is not 'HTTP/' digit '.' digit (RFC 9112, section 2.3)."
    case invalidTarget = "The request target is not valid for this method (RFC 9112, section 3.2)."
    case invalidFieldName = "A field name that is not a token, or a field line without a colon (RFC 9112, section 5)."
    case whitespaceBeforeColon = "White space between a field name and its colon (RFC 9112, section 5.1)."
    case invalidFieldValue = "A field value holds an octet that is not allowed (RFC 9110, section 5.5)."
    case missingHost = "A request of HTTP/1.1 needs a Host field (RFC 9112, section 3.2)."
    case duplicateHost = "More than one Host field (RFC 9112, section 3.2)."
    case invalidHost = "The Host is not a host with an optional port (RFC 9112, section 3.2)."
    case invalidContentLength = "Content-Length is not one decimal number (RFC 9112, section 6.3)."
    case conflictingFraming = "Both Transfer-Encoding and Content-Length, or two lengths (RFC 9112, section 6.3)."
    case invalidTransferEncoding = "Transfer-Encoding does not end with one 'chunked' (RFC 9112, section 6.3)."
    case transferEncodingInHTTP10 = "Transfer-Encoding in a request of HTTP/1.0 (RFC 9112, section 6.1)."
}
