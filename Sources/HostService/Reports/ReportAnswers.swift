internal import HTTPWire
internal import HostTransport

extension Renderer {
    /// 202 (RFC 9110 15.3.3): what is accepted is written a moment later.
    func accepted(_ body: [UInt8], _ exchange: Exchange, _ out: inout ResponseHead) -> Body {
        begin(202, exchange, &out)
        out.field("Content-Type", "application/json")
        out.field("Content-Length", UInt64(body.count))
        out.field("Cache-Control", "no-store")
        out.field("X-Content-Type-Options", "nosniff")
        crossOrigin(&out)
        out.end()
        return .memory(body, body.indices)
    }
}

extension Problem {
    /// Seconds until a ledger that cannot write is worth another try.
    private static let ledgerWait: UInt64 = 10

    static func noReports(at instance: String) -> Problem {
        Problem(.unknownResource, "This host takes no reports: it runs without a ledger to keep them in.", at: instance)
    }

    static func reportsArePosted(_ method: String, at instance: String) -> Problem {
        var problem = Problem(
            .methodNotAllowed,
            "\(method) is not possible here; reports are sent with POST.",
            at: instance
        )
        problem.allow = ReportDesk.methods
        return problem
    }

    static func notJSON(_ mediaType: String, at instance: String) -> Problem {
        var problem = Problem(
            .unsupportedMediaType,
            "Reports are sent as JSON; Content-Type has to be \(mediaType).",
            at: instance
        )
        problem.acceptPost = mediaType
        return problem
    }

    static func tooManyReports(at instance: String) -> Problem {
        Problem(
            .payloadTooLarge,
            "The body is longer than is taken here (\(ReportLimits.body >> 10) KiB, \(ReportLimits.items) reports). "
                + "Send the reports in several requests.",
            at: instance
        )
    }

    /// What is acknowledged has to be written, and would not be.
    static func reportsHaveToWait(at instance: String) -> Problem {
        var problem = Problem(
            .overCapacity,
            "This host cannot write reports down just now, so none was taken. Keep them and send them again.",
            at: instance
        )
        problem.retryAfter = ledgerWait
        return problem
    }

    /// nil where nothing stands against it.
    init?(_ verdict: RateLimiter.Verdict, at instance: String) {
        switch verdict {
        case .taken:
            return nil
        case .clientWaits(let seconds):
            self.init(
                .rateLimited,
                "More reports came from this address than are taken from one: \(ReportLimits.client.burst) at once, "
                    + "then one a second. None of this request's was taken; send it again after the time that "
                    + "Retry-After names.",
                at: instance
            )
            retryAfter = seconds
        case .allWait(let seconds):
            self.init(
                .rateLimited,
                "More reports come in than this host takes from all its clients together. None of this request's was "
                    + "taken; send it again after the time that Retry-After names.",
                at: instance
            )
            retryAfter = seconds
        }
    }
}
