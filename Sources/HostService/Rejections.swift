internal import HTTPWire
internal import HostTransport

/// Refusals that concern the protocol rather than what is published.
extension Problem {
    static func expectationFailed(at instance: String?) -> Problem {
        Problem(
            .expectationFailed,
            "Expect names something other than 100-continue, which is all that is understood here.",
            at: instance
        )
    }

    static func unknownMethod(at instance: String?) -> Problem {
        Problem(.notImplemented, "The request's method is not known here; use GET or HEAD.", at: instance)
    }

    static func misdirected(_ host: String, at instance: String?) -> Problem {
        Problem(
            .misdirectedRequest,
            "This listener does not answer for the host \(host), so that no page of another site can read it. "
                + "Use its own address, or localhost.",
            at: instance
        )
    }

    /// Why a connection ends without a request that could be answered.
    init(_ rejection: Rejection) {
        switch rejection {
        case .malformed(.badRequest(let cause)):
            self = .badRequest(cause.rawValue)
        case .malformed(.uriTooLong):
            self.init(
                .uriTooLong,
                "The request target is longer than is read here (\(RequestLimits.told.targetText)).",
                at: nil
            )
        case .malformed(.headerFieldsTooLarge):
            self.init(
                .headerFieldsTooLarge,
                "The request's fields are more than is read here (\(RequestLimits.told.headText)).",
                at: nil
            )
        case .malformed(.notImplemented):
            self.init(
                .notImplemented,
                "The request's body has a transfer coding other than chunked; send it without.",
                at: nil
            )
        case .malformed(.versionNotSupported):
            self.init(.versionNotSupported, "Only HTTP/1.1 and HTTP/1.0 are spoken here.", at: nil)
        case .malformedBody:
            self = .badRequest("The request's body ends early, or its chunks are not framed as RFC 9112 7.1 says.")
        case .timedOut:
            self.init(.requestTimeout, "The request did not arrive in time. Send it again.", at: nil)
        case .overCapacity:
            self = .overCapacity(at: nil)
        case .notSecure:
            self = .badRequest("This port speaks HTTPS, and the request came as plain HTTP. Use https:// in its URL.")
        }
    }
}

extension RequestLimits {
    /// Those that connections have unless configured otherwise, for what is said about them.
    static let told = RequestLimits()

    var targetText: String { "\(target >> 10) KiB" }
    var headText: String { "\(fields) fields, \(head >> 10) KiB" }
}
