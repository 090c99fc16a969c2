internal import HTTPWire
internal import HostTransport

/// Writes answers: what was located, as this request's method, preconditions and ranges want it.
/// Used on one loop's thread.
struct Renderer {
    let clock: LoopClock
    /// Public answers may be read by any page (CORS); the admin listener's never.
    let isPublic: Bool
    let counters: LoopCounters

    /// One request and how its connection goes on.
    struct Exchange {
        let isHEAD: Bool
        let minorVersion: UInt8
        let persistent: Bool
    }

    /// The status line, Date, and what becomes of the connection.
    func begin(_ status: Int, _ exchange: Exchange, _ out: inout ResponseHead) {
        counters.began(status)
        out.begin(status: status)
        out.raw(clock.dateField)
        if !exchange.persistent {
            out.field("Connection", "close")
        } else if exchange.minorVersion == 0 {
            // RFC 9112 C.2.2: a 1.0 client that asked for it has to be told.
            out.field("Connection", "keep-alive")
        }
    }

    // MARK: Files

    /// A file, for GET or HEAD (RFC 9110 13.2.2, 14.2).
    func file(
        _ file: PreparedFile,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ exchange: Exchange,
        _ out: inout ResponseHead
    ) -> FileAnswer {
        var range = RangeSelection.whole
        if Self.isConditional(head) {
            let etag = file.etag
            switch Preconditions.evaluate(
                head,
                bytes,
                etag: etag.span,
                lastModified: file.lastModified,
                now: clock.unixSeconds
            ) {
            case .notModified:
                begin(304, exchange, &out)
                out.raw(file.validatorFields)
                out.end()
                return FileAnswer(status: 304)
            case .failed:
                return preconditionFailed(file, head, bytes, exchange, &out)
            case .proceed(let rangeApplies):
                if rangeApplies, let value = head.first(.range) {
                    range = RangeField.select(bytes.extracting(value), length: file.size)
                }
            }
        }
        switch range {
        case .whole:
            begin(200, exchange, &out)
            out.raw(file.wholeFields)
            out.end()
            let isEmpty = exchange.isHEAD || file.size == 0
            return FileAnswer(status: 200, contentLength: file.size, body: isEmpty ? .none : file.body(nil))
        case .single(let range):
            begin(206, exchange, &out)
            out.raw(file.contentFields)
            out.field("Content-Type", file.mediaType)
            out.contentRange(range, length: file.size)
            out.field("Content-Length", range.count)
            out.end()
            return FileAnswer(status: 206, contentLength: range.count, range: range, body: file.body(range))
        case .several(let ranges):
            return multipart(file, ranges, exchange, &out)
        case .unsatisfiable:
            return unsatisfiable(file, head, bytes, exchange, &out)
        }
    }

    /// Whether any field that changes what a file's answer is stands in the head.
    private static func isConditional(_ head: RequestHead) -> Bool {
        head.contains(.range) || head.contains(.ifNoneMatch) || head.contains(.ifModifiedSince)
            || head.contains(.ifMatch) || head.contains(.ifUnmodifiedSince)
    }

    private func multipart(
        _ file: PreparedFile,
        _ ranges: ByteRangeList,
        _ exchange: Exchange,
        _ out: inout ResponseHead
    ) -> FileAnswer {
        let parts = MultipartByteranges(
            ranges: ranges,
            length: file.size,
            contentType: file.mediaType,
            boundary: file.boundary
        )
        begin(206, exchange, &out)
        out.raw(file.contentFields)
        out.field("Content-Type", parts.mediaType)
        out.field("Content-Length", parts.contentLength)
        out.end()
        return FileAnswer(
            status: 206,
            contentLength: parts.contentLength,
            parts: (0..<ranges.count).map { ranges[$0].first...ranges[$0].last },
            body: .pieces(MultipartBody(parts, of: file))
        )
    }

    private func preconditionFailed(
        _ file: PreparedFile,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ exchange: Exchange,
        _ out: inout ResponseHead
    ) -> FileAnswer {
        var failed = Problem(
            .preconditionFailed,
            "The file here is not the one that If-Match or If-Unmodified-Since names. Ask without it for what there is.",
            at: ProblemDetails.instance(bytes.extracting(head.path))
        )
        failed.file = file
        return FileAnswer(status: 412, body: problem(failed, exchange, &out))
    }

    private func unsatisfiable(
        _ file: PreparedFile,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ exchange: Exchange,
        _ out: inout ResponseHead
    ) -> FileAnswer {
        var failed = Problem(
            .rangeNotSatisfiable,
            "The file has \(file.size) octets; none of the ranges asked for lies within it.",
            at: ProblemDetails.instance(bytes.extracting(head.path)),
            [("size", .size(file.size))]
        )
        failed.file = file
        return FileAnswer(status: 416, body: problem(failed, exchange, &out))
    }

    // MARK: Documents, problems, redirects

    func document(
        _ document: Document,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ exchange: Exchange,
        _ out: inout ResponseHead
    ) -> Body {
        if let etag = document.etag, head.contains(.ifNoneMatch) || head.contains(.ifMatch) {
            let outcome = Preconditions.evaluate(
                head,
                bytes,
                etag: etag.span,
                lastModified: nil,
                now: clock.unixSeconds
            )
            if outcome == .notModified {
                begin(304, exchange, &out)
                documentFields(document, &out)
                out.end()
                return .none
            }
            if outcome == .failed {
                return problem(
                    Problem(
                        .preconditionFailed,
                        "The document here is not the one that If-Match names. Ask without it for what there is.",
                        at: ProblemDetails.instance(bytes.extracting(head.path))
                    ),
                    exchange,
                    &out
                )
            }
        }
        begin(200, exchange, &out)
        documentFields(document, &out)
        out.field("Content-Type", document.mediaType)
        out.field("X-Content-Type-Options", "nosniff")
        out.field("Content-Length", UInt64(document.body.count))
        out.end()
        return exchange.isHEAD || document.body.isEmpty ? .none : .memory(document.body, document.body.indices)
    }

    private func documentFields(_ document: Document, _ out: inout ResponseHead) {
        if let etag = document.etag { out.field("ETag", etag) }
        out.field("Cache-Control", document.cacheControl)
        if document.isNegotiated { out.field("Vary", "Accept") }
        if document.mediaType.hasPrefix("text/html") {
            out.field("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
        }
        crossOrigin(&out)
    }

    func problem(_ problem: Problem, _ exchange: Exchange, _ out: inout ResponseHead) -> Body {
        let body = problem.details.encode()
        counters.refused(problem.details.code)
        begin(problem.details.code.status, exchange, &out)
        out.field("AIModel-Problem", problem.details.code.rawValue)
        out.field("Content-Type", ProblemDetails.mediaType)
        out.field("Content-Length", UInt64(body.count))
        out.field("Cache-Control", "no-store")
        out.field("X-Content-Type-Options", "nosniff")
        if let allow = problem.allow { out.field("Allow", allow) }
        if let type = problem.acceptPost { out.field("Accept-Post", type) }
        if let seconds = problem.retryAfter { out.field("Retry-After", seconds) }
        if let file = problem.file {
            out.field("ETag", file.etag)
            out.field("Accept-Ranges", "bytes")
            if problem.details.code == .rangeNotSatisfiable { out.contentRange(unsatisfied: file.size) }
        }
        crossOrigin(&out)
        out.end()
        return exchange.isHEAD ? .none : .memory(body, body.indices)
    }

    func redirect(_ redirect: Redirect, _ exchange: Exchange, _ out: inout ResponseHead) -> Body {
        begin(redirect.status, exchange, &out)
        out.field("Location", redirect.location)
        out.field("Cache-Control", "no-cache")
        if redirect.isNegotiated { out.field("Vary", "Accept") }
        out.field("Content-Length", 0 as UInt64)
        crossOrigin(&out)
        out.end()
        return .none
    }

    /// The answer to OPTIONS: what may be asked here, and, for a browser's preflight, by whom.
    func options(
        _ exchange: Exchange,
        methods: String = CrossOrigin.methods,
        _ out: inout ResponseHead
    ) -> Body {
        begin(204, exchange, &out)
        out.field("Allow", methods)
        if isPublic {
            crossOrigin(&out)
            out.field("Access-Control-Allow-Methods", methods)
            out.field("Access-Control-Allow-Headers", CrossOrigin.requestFields)
            out.field("Access-Control-Max-Age", CrossOrigin.maxAge)
        }
        out.end()
        return .none
    }

    func crossOrigin(_ out: inout ResponseHead) {
        guard isPublic else { return }
        out.raw(CrossOrigin.fields.octets)
    }
}
