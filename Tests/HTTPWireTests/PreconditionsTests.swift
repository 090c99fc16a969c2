import Testing

@testable import HTTPWire

/// Fields, and what becomes of a GET with them.
struct PreconditionCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let fields: [String]
    let outcome: Preconditions.Outcome

    init(_ rule: String, _ fields: [String], _ outcome: Preconditions.Outcome) {
        self.rule = rule
        self.fields = fields
        self.outcome = outcome
    }

    var testDescription: String { "\(rule): \(fields)" }
}

private let exact = "Sun, 06 Nov 1994 08:49:37 GMT"
private let before = "Sun, 06 Nov 1994 08:49:36 GMT"
private let after = "Sun, 06 Nov 1994 08:49:38 GMT"
private let whole = Preconditions.Outcome.proceed(rangeApplies: false)
private let part = Preconditions.Outcome.proceed(rangeApplies: true)
private let range = "Range: bytes=0-9"

@Suite("RFC 9110 13: preconditions")
struct PreconditionsTests {
    private func evaluate(
        _ fields: [String],
        method: String = "GET",
        lastModified: HTTPDate? = HTTPDate(seconds: 784_111_777)
    ) -> Preconditions.Outcome {
        let request = Request(fields: fields, method: method)
        let tag = octets("\"e\"")
        return Preconditions.evaluate(
            request.head,
            request.bytes.span,
            etag: tag.span,
            lastModified: lastModified,
            now: 1_781_524_800
        )
    }

    private static let ifMatch: [PreconditionCase] = [
        PreconditionCase("RFC 9110 13.1.1", ["If-Match: \"e\""], whole),
        PreconditionCase("RFC 9110 13.1.1", ["If-Match: *"], whole),
        PreconditionCase("RFC 9110 13.1.1", ["If-Match: \"x\""], .failed),
        PreconditionCase("RFC 9110 13.1.1: a list", ["If-Match: \"a\", \"e\""], whole),
        PreconditionCase("RFC 9110 13.1.1: a list", ["If-Match: \"a\", \"b\""], .failed),
        PreconditionCase("RFC 9110 5.3: two lines", ["If-Match: \"a\"", "If-Match: \"e\""], whole),
        PreconditionCase("RFC 9110 13.1.1: strong comparison", ["If-Match: W/\"e\""], .failed),
        PreconditionCase("RFC 9110 13.1.1: an empty list", ["If-Match:"], .failed),
        PreconditionCase("RFC 9110 13.1.1: no tag", ["If-Match: e"], .failed),
        PreconditionCase("RFC 9110 13.1.1: * is no member", ["If-Match: *, \"e\""], .failed),
        PreconditionCase("RFC 9110 13.1.1: * is no member", ["If-Match: *", "If-Match: \"e\""], .failed),
        PreconditionCase("RFC 9110 13.2.2: with a range", ["If-Match: \"e\"", range], part),
        PreconditionCase("RFC 9110 13.2.2: with a range", ["If-Match: \"x\"", range], .failed),
        PreconditionCase("RFC 9110 13.2.2: first", ["If-Match: \"x\"", "If-None-Match: \"e\""], .failed),
        PreconditionCase("RFC 9110 13.2.2: first", ["If-None-Match: \"e\"", "If-Match: \"e\""], .notModified),
    ]

    private static let ifUnmodifiedSince: [PreconditionCase] = [
        PreconditionCase("RFC 9110 13.1.4", ["If-Unmodified-Since: \(exact)"], whole),
        PreconditionCase("RFC 9110 13.1.4", ["If-Unmodified-Since: \(after)"], whole),
        PreconditionCase("RFC 9110 13.1.4", ["If-Unmodified-Since: \(before)"], .failed),
        PreconditionCase("RFC 9110 13.1.4: no date", ["If-Unmodified-Since: yesterday"], whole),
        PreconditionCase("RFC 9110 13.1.4: no date", ["If-Unmodified-Since: 0"], whole),
        PreconditionCase("RFC 9110 13.1.4: a list", ["If-Unmodified-Since: \(before), \(before)"], whole),
        PreconditionCase(
            "RFC 9110 13.1.4: two lines",
            ["If-Unmodified-Since: \(before)", "If-Unmodified-Since: \(before)"],
            whole
        ),
        PreconditionCase("RFC 9110 13.2.2: with a range", ["If-Unmodified-Since: \(exact)", range], part),
        PreconditionCase("RFC 9110 13.2.2: with a range", ["If-Unmodified-Since: \(before)", range], .failed),
        PreconditionCase(
            "RFC 9110 13.1.4: ignored beside If-Match",
            ["If-Unmodified-Since: \(before)", "If-Match: \"e\""],
            whole
        ),
        PreconditionCase(
            "RFC 9110 13.1.4: ignored beside If-Match",
            ["If-Unmodified-Since: \(after)", "If-Match: \"x\""],
            .failed
        ),
        PreconditionCase(
            "RFC 9110 13.2.2: before If-None-Match",
            ["If-Unmodified-Since: \(before)", "If-None-Match: \"e\""],
            .failed
        ),
    ]

    private static let ifNoneMatch: [PreconditionCase] = [
        PreconditionCase("RFC 9110 13.1.2", ["If-None-Match: \"e\""], .notModified),
        PreconditionCase("RFC 9110 13.1.2", ["If-None-Match: *"], .notModified),
        PreconditionCase("RFC 9110 13.1.2", ["If-None-Match: \"x\""], whole),
        PreconditionCase("RFC 9110 13.1.2: weak comparison", ["If-None-Match: W/\"e\""], .notModified),
        PreconditionCase("RFC 9110 13.1.2: a list", ["If-None-Match: \"a\", \"e\""], .notModified),
        PreconditionCase("RFC 9110 13.1.2: a list", ["If-None-Match: \"a,e\", \"b\""], whole),
        PreconditionCase("RFC 9110 5.3: two lines", ["If-None-Match: \"a\"", "If-None-Match: W/\"e\""], .notModified),
        PreconditionCase("RFC 9110 13.1.2: no tag", ["If-None-Match: e"], whole),
        PreconditionCase("RFC 9110 13.1.2: no list", ["If-None-Match: \"e\"", "If-None-Match: x"], whole),
        PreconditionCase("RFC 9110 13.1.2: an empty list", ["If-None-Match:"], whole),
        PreconditionCase("RFC 9110 13.2.2: before Range", ["If-None-Match: \"e\"", range], .notModified),
        PreconditionCase("RFC 9110 13.2.2: before Range", ["If-None-Match: \"x\"", range], part),
        PreconditionCase(
            "RFC 9110 13.1.3: it hides If-Modified-Since",
            ["If-None-Match: \"x\"", "If-Modified-Since: \(after)"],
            whole
        ),
        PreconditionCase(
            "RFC 9110 13.1.3: it hides If-Modified-Since",
            ["If-None-Match: \"e\"", "If-Modified-Since: \(before)"],
            .notModified
        ),
    ]

    private static let ifModifiedSince: [PreconditionCase] = [
        PreconditionCase("RFC 9110 13.1.3", ["If-Modified-Since: \(exact)"], .notModified),
        PreconditionCase("RFC 9110 13.1.3", ["If-Modified-Since: \(after)"], .notModified),
        PreconditionCase("RFC 9110 13.1.3", ["If-Modified-Since: \(before)"], whole),
        PreconditionCase("RFC 9110 5.6.7", ["If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT"], .notModified),
        PreconditionCase("RFC 9110 5.6.7", ["If-Modified-Since: Sun Nov  6 08:49:37 1994"], .notModified),
        PreconditionCase("RFC 9110 13.1.3: no date", ["If-Modified-Since: yesterday"], whole),
        PreconditionCase("RFC 9110 13.1.3: no date", ["If-Modified-Since: 1781524800"], whole),
        PreconditionCase("RFC 9110 13.1.3: no day", ["If-Modified-Since: Tue, 32 Jan 2036 00:00:00 GMT"], whole),
        PreconditionCase("RFC 9110 13.1.3: a list", ["If-Modified-Since: \(after), \(after)"], whole),
        PreconditionCase(
            "RFC 9110 13.1.3: two lines",
            ["If-Modified-Since: \(after)", "If-Modified-Since: \(after)"],
            whole
        ),
        PreconditionCase("RFC 9110 13.2.2: before Range", ["If-Modified-Since: \(exact)", range], .notModified),
        PreconditionCase("RFC 9110 13.2.2: before Range", ["If-Modified-Since: \(before)", range], part),
    ]

    private static let ranges: [PreconditionCase] = [
        PreconditionCase("RFC 9110 14.2", [], whole),
        PreconditionCase("RFC 9110 14.2", [range], part),
        PreconditionCase("RFC 9110 14.2: two lines are no range", [range, range], whole),
        PreconditionCase("RFC 9110 13.1.5", ["If-Range: \"e\"", range], part),
        PreconditionCase("RFC 9110 13.1.5", ["If-Range: \"old\"", range], whole),
        PreconditionCase("RFC 9110 13.1.5: strong comparison", ["If-Range: W/\"e\"", range], whole),
        PreconditionCase("RFC 9110 13.1.5: the exact date", ["If-Range: \(exact)", range], part),
        PreconditionCase("RFC 9110 13.1.5: an earlier date", ["If-Range: \(before)", range], whole),
        PreconditionCase("RFC 9110 13.1.5: a later date", ["If-Range: \(after)", range], whole),
        PreconditionCase("RFC 9110 13.1.5: neither", ["If-Range: e", range], whole),
        PreconditionCase("RFC 9110 13.1.5: *", ["If-Range: *", range], whole),
        PreconditionCase("RFC 9110 13.1.5: empty", ["If-Range:", range], whole),
        PreconditionCase("RFC 9110 13.1.5: a list", ["If-Range: \"e\", \"e\"", range], whole),
        PreconditionCase("RFC 9110 13.1.5: two lines", ["If-Range: \"e\"", "If-Range: \"e\"", range], whole),
        PreconditionCase("RFC 9110 13.1.5: without Range", ["If-Range: \"old\""], whole),
        PreconditionCase("RFC 9110 13.2.2: last", ["If-Range: \"e\"", "If-None-Match: \"e\"", range], .notModified),
        PreconditionCase("RFC 9110 13.2.2: last", ["If-Range: \"old\"", "If-Match: \"e\"", range], whole),
    ]

    @Test(
        "each precondition, and their order",
        arguments: ifMatch + ifUnmodifiedSince + ifNoneMatch + ifModifiedSince + ranges
    )
    func get(_ row: PreconditionCase) { #expect(evaluate(row.fields) == row.outcome) }

    @Test(
        "RFC 9110 14.2: HEAD has the outcome of GET, without the range",
        arguments: ifMatch + ifUnmodifiedSince + ifNoneMatch + ifModifiedSince + ranges
    )
    func head(_ row: PreconditionCase) {
        #expect(evaluate(row.fields, method: "HEAD") == (row.outcome == part ? whole : row.outcome))
    }

    @Test("RFC 9110 13.1.2, 13.1.3: other methods have 412 for 304, and no If-Modified-Since")
    func otherMethods() {
        #expect(evaluate(["If-None-Match: \"e\""], method: "POST") == .failed)
        #expect(evaluate(["If-Modified-Since: \(exact)"], method: "POST") == whole)
        #expect(evaluate([range], method: "POST") == whole)
    }

    @Test("RFC 9110 13.1.3, 13.1.4: without a modification date, dates are ignored")
    func undated() {
        #expect(evaluate(["If-Modified-Since: \(after)"], lastModified: nil) == whole)
        #expect(evaluate(["If-Unmodified-Since: \(before)"], lastModified: nil) == whole)
        #expect(evaluate(["If-Range: \(exact)", range], lastModified: nil) == whole)
    }
}
