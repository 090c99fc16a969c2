import TestSupport
import Testing

/// The codes of the HTTP contract with their statuses, as literals: a change of either breaks clients.
let problemStatuses: [String: Int] = [
    "unknown-model": 404, "unknown-version": 404, "unknown-channel": 404, "version-withdrawn": 410,
    "variant-withdrawn": 410, "no-variant-for-architecture": 404, "no-portable-variant": 404,
    "requires-newer-os": 404, "unknown-asset": 404, "unknown-file": 404, "asset-damaged": 503,
    "invalid-parameter": 400, "bad-request": 400, "payload-too-large": 413, "uri-too-long": 414,
    "header-fields-too-large": 431, "unsupported-media-type": 415, "method-not-allowed": 405, "not-implemented": 501,
    "version-not-supported": 505, "precondition-failed": 412, "range-not-satisfiable": 416, "over-capacity": 503,
    "rate-limited": 429, "unknown-resource": 404, "request-timeout": 408, "expectation-failed": 417,
    "misdirected-request": 421, "unauthorized": 401, "forbidden": 403,
]

/// Those where the same request may succeed later.
let retryableProblems: Set<String> = ["asset-damaged", "over-capacity", "rate-limited", "request-timeout"]

/// Holds an answer against what every problem has to be, and returns its document.
@discardableResult
func expectProblem(
    _ code: String,
    _ answer: RawConnection.Response,
    at instance: String?,
    isPublic: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> JSON {
    #expect(answer.status == problemStatuses[code], sourceLocation: sourceLocation)
    #expect(answer["AIModel-Problem"] == code, sourceLocation: sourceLocation)
    #expect(answer["Content-Type"] == "application/problem+json", sourceLocation: sourceLocation)
    #expect(answer["Cache-Control"] == "no-store", sourceLocation: sourceLocation)
    #expect(answer["X-Content-Type-Options"] == "nosniff", sourceLocation: sourceLocation)
    #expect(answer["Access-Control-Allow-Origin"] == (isPublic ? "*" : nil), sourceLocation: sourceLocation)
    #expect(answer["Date"] != nil, sourceLocation: sourceLocation)
    let waits = ["asset-damaged", "over-capacity", "rate-limited"].contains(code)
    #expect((answer["Retry-After"].flatMap { Int($0) } ?? 0 > 0) == waits, sourceLocation: sourceLocation)

    let document = try answer.json()
    #expect(document["type"] == .string("/problems/\(code)"), sourceLocation: sourceLocation)
    #expect(document["status"] == .int(Int64(problemStatuses[code] ?? 0)), sourceLocation: sourceLocation)
    #expect(document["retryable"] == .bool(retryableProblems.contains(code)), sourceLocation: sourceLocation)
    #expect(document["instance"]?.text == instance, sourceLocation: sourceLocation)
    #expect(document["title"]?.text?.isEmpty == false, sourceLocation: sourceLocation)
    #expect(document["detail"]?.text?.isEmpty == false, sourceLocation: sourceLocation)
    return document
}

/// The same request by GET and by HEAD has to give the same fields, and HEAD no content (RFC 9110 9.3.2).
func expectSameByHead(
    _ host: RunningHost,
    _ target: String,
    _ fields: [(String, String)] = [],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let connection = try host.connect()
    let head = try connection.request("HEAD", target, fields)
    let get = try connection.request("GET", target, fields)
    #expect(head.status == get.status, sourceLocation: sourceLocation)
    #expect(head.lines == get.lines, sourceLocation: sourceLocation)
    #expect(head["Content-Length"] == "\(get.body.count)", sourceLocation: sourceLocation)
}
