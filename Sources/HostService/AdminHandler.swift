internal import HTTPWire
internal import HostTelemetry
internal import HostTransport
internal import ModelCatalog
internal import ModelStore

/// The admin listener of one loop: for operators and their tools, on loopback unless configured otherwise.
final class AdminHandler: RequestHandler {
    private let renderer: Renderer
    private let host: AdminHost
    private let publisher: CatalogPublisher
    private let findings: CatalogFindings
    private let ledger: Ledger?
    private let ops: OpsRoutes
    private let connections: @Sendable () -> Int
    private let metrics: Metrics

    /// `address`: where it listens; `ledger`: nil where nothing is recorded; `connections`: how many are open now.
    init(
        clock: LoopClock,
        address: ListenAddress?,
        publisher: CatalogPublisher,
        findings: CatalogFindings,
        ledger: Ledger?,
        ops: OpsRoutes,
        connections: @escaping @Sendable () -> Int,
        metrics: Metrics
    ) {
        renderer = Renderer(clock: clock, isPublic: false, counters: metrics.makeCounters(for: .admin))
        self.metrics = metrics
        host = AdminHost(address)
        self.publisher = publisher
        self.findings = findings
        self.ledger = ledger
        self.ops = ops
        self.connections = connections
    }

    func respond(
        to head: RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext,
        into out: inout ResponseHead
    ) -> Reply {
        let exchange = Renderer.Exchange(head, persistent: context.persistent)
        let instance = ProblemDetails.instance(bytes.extracting(head.path))
        if let range = head.host, !host.isOwn(bytes.extracting(range)) {
            let name = AdminHost.text(bytes.extracting(range))
            return .send(renderer.problem(.misdirected(name, at: instance), exchange, &out))
        }
        if let refused = renderer.refusal(of: head, bytes, exchange, &out) { return .send(refused) }
        guard let path = try? RequestPath(bytes.extracting(head.path)) else {
            return .send(renderer.problem(unknown(instance), exchange, &out))
        }
        // What the `type` of this listener's own problems refers to.
        let isForPeople = MediaPreference.prefersHTML(head, bytes, default: path.isFolder)
        if let page = ProblemPage.document(at: path, asHTML: isForPeople) {
            return .send(renderer.document(page, head, bytes, exchange, &out))
        }
        if let answer = ops.answer(path, head, bytes) {
            return reply(answer, head, bytes, exchange, &out)
        }
        guard path.segments.count == 1, !path.isFolder else {
            return .send(renderer.problem(unknown(instance), exchange, &out))
        }
        switch path.segments[0] {
        case "healthz":
            return .send(renderer.document(Readiness.health, head, bytes, exchange, &out))
        case "readyz":
            let detail = Readiness.detail(
                publisher.current(),
                findings: findings,
                connections: connections(),
                ledger: ledger?.status
            )
            return .send(renderer.document(detail, head, bytes, exchange, &out))
        case "metrics":
            return .send(renderer.document(metrics.document, head, bytes, exchange, &out))
        default:
            return .send(renderer.problem(unknown(instance), exchange, &out))
        }
    }

    func resume(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        with found: any Sendable,
        _ context: RequestContext,
        into out: inout ResponseHead
    ) -> Reply {
        let exchange = Renderer.Exchange(head, persistent: context.persistent)
        guard let answer = found as? OpsRoutes.Answer else {
            return .send(renderer.problem(.overCapacity(at: nil), exchange, &out))
        }
        return reply(answer, head, bytes, exchange, &out)
    }

    private func reply(
        _ answer: OpsRoutes.Answer,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ exchange: Renderer.Exchange,
        _ out: inout ResponseHead
    ) -> Reply {
        switch answer {
        case .document(let document): .send(renderer.document(document, head, bytes, exchange, &out))
        case .problem(let problem): .send(renderer.problem(problem, exchange, &out))
        case .ask(let job): .offload(job)
        }
    }

    func reject(_ rejection: Rejection, toHEAD: Bool, into out: inout ResponseHead) -> Body {
        renderer.problem(Problem(rejection), .rejected(toHEAD: toHEAD), &out)
    }

    func contentLimit(for head: RequestHead, _ bytes: Span<UInt8>) -> Int { 0 }

    func finished(_ receipt: Receipt, octets: UInt64, unacknowledged: UInt64, at milliseconds: Int64) {}

    func housekeeping() {}

    private func unknown(_ instance: String) -> Problem {
        Problem(
            .unknownResource,
            "The admin listener answers / (the ops page), /api/overview and its parts, /healthz, /readyz and /metrics. "
                + "Models are served by the public listener.",
            at: instance
        )
    }
}
