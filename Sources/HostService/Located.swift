internal import HTTPWire
internal import HostTelemetry

/// What a request's path names.
enum Located: Sendable {
    case file(PreparedFile)
    case document(Document)
    case problem(Problem)
    case redirect(Redirect)
}

/// A small answer that was made in memory.
struct Document: Sendable {
    let mediaType: String
    let body: [UInt8]
    let cacheControl: String
    /// With its quotes; nil for what changes too often to be validated.
    let etag: [UInt8]?
    /// The answer depends on Accept.
    let isNegotiated: Bool
    /// What it offers a device, where it answers `resolve`.
    var offer: Offer?

    init(
        mediaType: String = "application/json",
        body: [UInt8],
        cacheControl: String,
        etag: [UInt8]? = nil,
        isNegotiated: Bool = false
    ) {
        self.mediaType = mediaType
        self.body = body
        self.cacheControl = cacheControl
        self.etag = etag
        self.isNegotiated = isNegotiated
    }
}

/// A temporary redirect: 307 (RFC 9110 15.4.8) from a channel to its version, 302 (15.4.3) from the root to the models.
struct Redirect: Sendable {
    /// Path-absolute: never made from Host, which a client or a cache could have chosen.
    let location: String
    var status = 307
    /// Whether there is one depends on Accept.
    var isNegotiated = false
}

/// A refusal: the document, and the fields beside it.
struct Problem: Error, Sendable {
    let details: ProblemDetails
    /// Allow (RFC 9110 15.5.6).
    var allow: String?
    /// Accept-Post (W3C Linked Data Platform 7.1): the media type that a POST has to have, beside a 415.
    var acceptPost: String?
    /// Retry-After, in seconds.
    var retryAfter: UInt64?
    /// The representation that a 412 or 416 is about.
    var file: PreparedFile?
    /// What was asked for and is not in the release.
    var gap: Gap?
    /// What is in the release and could not be sent.
    var refused: FileIdentity?

    init(_ details: ProblemDetails) {
        self.details = details
    }

    /// The same, about a published file.
    func refusing(_ file: FileIdentity) -> Problem {
        var problem = self
        problem.refused = file
        return problem
    }
}
