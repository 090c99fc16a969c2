internal import HTTPWire
internal import HostSystem
internal import HostTelemetry
internal import HostTransport
internal import ModelCatalog
internal import ModelStore

/// `POST /reports` on one loop: what devices say of a model after its download.
///
/// It is a write that anyone may do. So it costs next to nothing to refuse: the limits come before the body is looked at,
/// and that is done where it holds nobody up: 64 KiB of reports take 0.4 ms, 64 KiB made to take long 1.6 ms, and a
/// manifest may have to be read.
struct ReportDesk {
    let renderer: Renderer
    /// nil where nothing is recorded.
    let ledger: LoopLedger?
    let gate: ReportGate
    let manifests: ManifestCache

    static let methods = "POST, OPTIONS"
    private static let mediaType = "application/json"

    /// Whether a path is that of reports, however it is encoded (RFC 3986 6.2.2.2).
    static func isNamed(by path: Span<UInt8>) -> Bool {
        let name = "/reports"
        // Of almost every request this is all that is looked at.
        guard path.count >= name.utf8.count, path.count <= name.utf8.count * 3,
            path[1] == UInt8(ascii: "r") || path[1] == UInt8(ascii: "%")
        else { return false }
        var decoded = [UInt8(ascii: "/")]
        return PercentDecoding.decode(path.extracting(1...), into: &decoded) && decoded.elementsEqual(name.utf8)
    }

    /// Octets of content to read; none where it would be refused unseen. A client that waits for 100 (Continue) is then
    /// spared sending it.
    func contentLimit(for head: RequestHead, _ bytes: Span<UInt8>) -> Int {
        guard head.method == .post, ledger != nil, Self.isNamed(by: bytes.extracting(head.path)),
            Self.isJSON(head, bytes), !Self.isTooLong(head)
        else { return 0 }
        return ReportLimits.body
    }

    /// The answer to a request for this path; nil for what is answered alike at every path.
    func respond(
        to head: RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext,
        _ exchange: Renderer.Exchange,
        _ snapshot: CatalogSnapshot,
        into out: inout ResponseHead
    ) -> Reply? {
        guard Self.isNamed(by: bytes.extracting(head.path)), head.expectation != .unsupported, head.method != .other
        else { return nil }
        let instance = ProblemDetails.instance(bytes.extracting(head.path))
        // 404, and not a 202 that leads nowhere: `ModelDelivery` then lets its reports go, as it should, for this host
        // will not want them later either; and whoever counts on them is told.
        guard let ledger else {
            if head.method == .options { return nil }
            return .send(renderer.problem(.noReports(at: instance), exchange, &out))
        }
        switch head.method {
        case .post: break
        case .options: return .send(renderer.options(exchange, methods: Self.methods, &out))
        default:
            return .send(renderer.problem(.reportsArePosted(head.method.name, at: instance), exchange, &out))
        }
        if !Self.isJSON(head, bytes) {
            return .send(renderer.problem(.notJSON(Self.mediaType, at: instance), exchange, &out))
        }
        if context.isContentTooLong || Self.isTooLong(head) {
            return .send(renderer.problem(.tooManyReports(at: instance), exchange, &out))
        }
        if !ledger.takesReports { return .send(renderer.problem(.reportsHaveToWait(at: instance), exchange, &out)) }
        let key = context.peer.withOctets { ClientKey($0) }
        // One for the request itself, whatever it holds: malformed ones are not free, and no more than a burst of them
        // waits for a worker.
        if let refused = Problem(gate.take(1, for: key), at: instance) {
            return .send(renderer.problem(refused, exchange, &out))
        }
        let origin = ReportOrigin(
            at: ledger.now,
            client: ledger.client(context),
            device: ledger.device(head, bytes)?.text,
            key: key,
            instance: instance
        )
        let examination = ReportExamination(
            origin: origin,
            check: ReportCheck(snapshot: snapshot, manifests: manifests),
            gate: gate
        )
        return .offload { [content = context.content] in examination.findings(in: content) }
    }

    /// The answer to a request whose body was examined.
    func finish(
        _ findings: ReportFindings,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ exchange: Renderer.Exchange,
        _ out: inout ResponseHead
    ) -> Body {
        switch findings {
        case .problem(let problem):
            return renderer.problem(problem, exchange, &out)
        case .examined(let accepted, let refused):
            guard ledger?.report(accepted) == true else {
                let instance = ProblemDetails.instance(bytes.extracting(head.path))
                return renderer.problem(.reportsHaveToWait(at: instance), exchange, &out)
            }
            gate.counters.count(.accepted, accepted.count)
            gate.counters.count(.refused, refused.count)
            return renderer.accepted(ReportFindings.document(accepted: accepted.count, refused), exchange, &out)
        }
    }

    // MARK: The head

    private static func isTooLong(_ head: RequestHead) -> Bool {
        guard case .length(let length) = head.framing else { return false }
        return length > UInt64(ReportLimits.body)
    }

    /// Whether Content-Type says JSON, with any parameters: RFC 8259 defines none, and JSON is UTF-8 whatever they say.
    private static func isJSON(_ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard head.count(of: .contentType) == 1, let range = head.first(.contentType) else { return false }
        let value = bytes.extracting(range)
        var end = 0
        while end < value.count, value[end] != UInt8(ascii: ";") { end += 1 }
        while end > 0, value[end - 1] == 0x20 || value[end - 1] == 0x09 { end -= 1 }
        guard end == mediaType.utf8.count else { return false }
        // RFC 9110 8.3.1: type and subtype are case-insensitive.
        return mediaType.utf8.enumerated().allSatisfy { index, octet in
            value[index] == octet || (value[index] | 0x20 == octet && (0x41...0x5A).contains(value[index]))
        }
    }
}
