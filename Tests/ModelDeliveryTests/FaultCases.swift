import Testing

@testable import ModelDelivery

/// Which transport carries the requests.
enum Carrier: String, CaseIterable, Sendable {
    case system
    case urlSession

    static let session = URLSessionTransport()

    var transport: any ExchangeTransport {
        switch self {
        case .system: SystemTransport.shared
        case .urlSession: Self.session
        }
    }
}

/// What a proxy does to the requests for `main.mlirb` of 100,000 bytes, and what must come of it.
struct FaultCase: CustomTestStringConvertible, Sendable {
    enum Outcome: Sendable {
        /// The right tree, and so many bytes of the file in all; nil where the kernel decides.
        case right(bytes: Int?)
        case failure(@Sendable (DeliveryError) -> Bool)
    }

    let testDescription: String
    /// The n-th request for the file, counted from 0, and whether it asks for a range.
    let fault: @Sendable (_ count: Int, _ isRange: Bool) -> Fault
    let outcome: Outcome
    /// Requests for the file; nil where that does not matter.
    var requests: Int?
    /// Short only where silence is what the case is about: a machine that is busy is silent too.
    var patience: Duration

    init(
        _ description: String,
        _ outcome: Outcome,
        requests: Int? = nil,
        patience: Duration = .seconds(30),
        _ fault: @escaping @Sendable (_ count: Int, _ isRange: Bool) -> Fault
    ) {
        testDescription = description
        self.fault = fault
        self.outcome = outcome
        self.requests = requests
        self.patience = patience
    }

    static let size = 100_000
    private static let page = Fault.answer(
        status: 200,
        fields: [("Content-Type", "text/html")],
        body: "<html>Sign in to this network</html>"
    )

    private static func isMalformed(_ error: DeliveryError) -> Bool {
        if case .network(let failure) = error { failure.cause == .malformedAnswer } else { false }
    }

    /// `fault` for the first request, nothing for those after it.
    private static func once(_ fault: Fault) -> @Sendable (Int, Bool) -> Fault {
        { count, _ in count == 0 ? fault : .none }
    }

    /// The first answer is cut at 40,000 bytes; then `fault`, so many times.
    private static func cutThen(_ fault: Fault, times: Int) -> @Sendable (Int, Bool) -> Fault {
        { count, _ in count == 0 ? .cut(40_000) : count <= times ? fault : .none }
    }

    static let all: [FaultCase] = [
        FaultCase(
            "a cut: the rest is fetched, and the rest only",
            .right(bytes: size),
            requests: 2,
            once(.cut(40_000))
        ),
        FaultCase("five cuts", .right(bytes: size), requests: 6) { count, _ in count < 5 ? .cut(10_000) : .none },
        FaultCase("a cut before the first byte", .right(bytes: size), requests: 2, once(.cut(0))),
        FaultCase("a reset in mid-body", .right(bytes: nil), once(.reset(40_000))),
        FaultCase("no answer at all, twice", .right(bytes: size)) { count, _ in count < 2 ? .hangUp : .none },
        FaultCase("silence in mid-body", .right(bytes: nil), patience: .seconds(1), once(.stall(40_000))),
        FaultCase("a byte turned over: the whole again", .right(bytes: 2 * size), requests: 2, once(.flip(70_000))),
        FaultCase(
            "a byte turned over each time: named, and not tried for ever",
            .failure { $0 == .integrity(file: "Sam3.aimodel/main.mlirb") },
            requests: 2
        ) { _, _ in .flip(70_000) },
        FaultCase(
            "200 to a range: what was there goes first",
            .right(bytes: 40_000 + size),
            requests: 2,
            cutThen(.ignoreRange, times: 1)
        ),
        FaultCase("a 206 that ends early is continued", .right(bytes: size)) { count, isRange in
            isRange ? .shortPart(9000) : count == 0 ? .cut(40_000) : .none
        },
        FaultCase(
            "a Content-Range that begins elsewhere is not appended",
            .right(bytes: nil),
            cutThen(.fields(["Content-Range": "bytes 39999-99998/100000"]), times: 1)
        ),
        FaultCase(
            "a Content-Range of a longer file",
            .right(bytes: nil),
            cutThen(.fields(["Content-Range": "bytes 40000-99999/100001"]), times: 1)
        ),
        FaultCase(
            "wrong Content-Ranges for ever: the whole is asked for in the end",
            .right(bytes: nil)
        ) { count, isRange in
            isRange ? .fields(["Content-Range": "bytes 1-60000/100000"]) : count == 0 ? .cut(40_000) : .none
        },
        FaultCase("a 206 without an entity tag", .right(bytes: nil), cutThen(.fields(["ETag": nil]), times: 1)),
        FaultCase(
            "another entity tag in mid-download: never spliced",
            .right(bytes: nil)
        ) { count, isRange in
            isRange ? .fields(["ETag": "\"other\""]) : count == 0 ? .cut(40_000) : .none
        },
        FaultCase("another entity tag for ever", .failure(isMalformed)) { _, _ in .fields(["ETag": "\"other\""]) },
        FaultCase("503 with Retry-After", .right(bytes: size + 4), requests: 2) { count, _ in
            count == 0 ? .answer(status: 503, fields: [("Retry-After", "7")], body: "busy") : .none
        },
        FaultCase("429 in mid-download", .right(bytes: size + 4), requests: 3) { count, _ in
            switch count {
            case 0: .cut(40_000)
            case 1: .answer(status: 429, fields: [("Retry-After", "1")], body: "slow")
            default: .none
            }
        },
        FaultCase("an HTML page with 200", .right(bytes: size + 36), requests: 2, once(page)),
        FaultCase(
            "an HTML page with 200 in the place of the rest: what is there stays",
            .right(bytes: size + 36),
            requests: 3,
            cutThen(page, times: 1)
        ),
        FaultCase("an HTML page for ever", .failure(isMalformed)) { _, _ in page },
        FaultCase("a chunked answer", .right(bytes: nil), requests: 1, once(.chunked)),
        FaultCase("a content coding", .failure(isMalformed)) { _, _ in .fields(["Content-Encoding": "br"]) },
        FaultCase("a length that is not the file's", .failure(isMalformed)) { _, _ in
            .answer(status: 200, fields: [], body: "short")
        },
        FaultCase("no host that answers", .failure { $0.code == "network" }) { _, _ in .hangUp },
        FaultCase(
            "a problem that says it cannot be helped, even with 500",
            .failure { $0.code == "asset-damaged" && !$0.isRetryable },
            requests: 1
        ) { _, _ in
            .answer(
                status: 500,
                fields: [("Content-Type", "application/problem+json"), ("AIModel-Problem", "asset-damaged")],
                body: #"{"type":"/problems/asset-damaged","status":500,"retryable":false,"detail":"no"}"#
            )
        },
        FaultCase("403: no retry", .failure { $0.code == "server" && !$0.isRetryable }, requests: 1) { _, _ in
            .answer(status: 403, fields: [], body: "")
        },
        FaultCase("401 with a scheme that nobody here speaks", .failure { !$0.isRetryable }, requests: 1) { _, _ in
            .answer(status: 401, fields: [("WWW-Authenticate", "Bearer realm=\"models\"")], body: "")
        },
        FaultCase("404: no retry", .failure { !$0.isRetryable }, requests: 1) { _, _ in
            .answer(status: 404, fields: [], body: "gone")
        },
        FaultCase("416: the whole is asked for", .right(bytes: nil)) { count, isRange in
            isRange
                ? .answer(status: 416, fields: [("Content-Range", "bytes */100000")], body: "")
                : count == 0 ? .cut(40_000) : .none
        },
        FaultCase(
            "cut for ever, and 416 to every range: three times from its beginning, no more",
            .failure(isMalformed),
            requests: 9
        ) { _, isRange in
            isRange ? .answer(status: 416, fields: [("Content-Range", "bytes */100000")], body: "") : .cut(40_000)
        },
        FaultCase(
            "cut for ever, and another entity tag for every range",
            .failure(isMalformed),
            requests: 9
        ) { _, isRange in
            isRange ? .fields(["ETag": "\"other\""]) : .cut(40_000)
        },
        FaultCase("no ranges, and cut here and there for ever", .failure(isMalformed), requests: 4) { count, _ in
            .cutWhole(10_000 + count * 37_777 % 80_000)
        },
        FaultCase("no ranges, and cut twice", .right(bytes: 30_000 + size), requests: 3) { count, _ in
            count == 2 ? .ignoreRange : .cutWhole(10_000 * (2 - count))
        },
        FaultCase(
            "a redirect",
            .right(bytes: size),
            once(.answer(status: 307, fields: [("Location", "/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb")], body: ""))
        ),
        FaultCase("redirects in a circle", .failure { $0.code == "server" }, requests: 6) { _, _ in
            .answer(status: 302, fields: [("Location", "/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb")], body: "")
        },
        FaultCase("a redirect out of HTTP", .failure { $0.code == "server" }, requests: 1) { _, _ in
            .answer(status: 302, fields: [("Location", "ftp://127.0.0.1/main.mlirb")], body: "")
        },
    ]
}
