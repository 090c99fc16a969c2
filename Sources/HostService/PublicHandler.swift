internal import HTTPWire
internal import HostTelemetry
internal import HostTransport
internal import ModelCatalog
internal import ModelStore

/// The public listener of one loop: models for devices, curl and caches.
///
/// The steady path of a GET is `FileCache.find`, then `Renderer.file`: no lock, no memory, no String.
final class PublicHandler: RequestHandler {
    private let clock: LoopClock
    private let renderer: Renderer
    private let locator: Locator
    private let publisher: CatalogPublisher
    private var snapshot: CatalogSnapshot
    /// The publisher's generation when the snapshot was taken.
    private var generation: UInt64
    private var files: FileCache
    private let ledger: LoopLedger?
    private let reports: ReportDesk
    private let misses: MissCounters

    /// - Parameters:
    ///   - openFiles: descriptors that this loop may keep open for files served lately.
    ///   - ledger: nil where nothing is recorded.
    ///   - gate: what may be reported, all loops together.
    init(
        clock: LoopClock,
        locator: Locator,
        publisher: CatalogPublisher,
        openFiles: Int,
        ledger: LoopLedger?,
        gate: ReportGate,
        counters: LoopCounters,
        misses: MissCounters
    ) {
        self.clock = clock
        self.locator = locator
        self.publisher = publisher
        self.ledger = ledger
        self.misses = misses
        renderer = Renderer(clock: clock, isPublic: true, counters: counters)
        reports = ReportDesk(renderer: renderer, ledger: ledger, gate: gate, manifests: locator.manifests)
        files = FileCache(capacity: openFiles, opener: locator.opener)
        generation = publisher.generation
        snapshot = publisher.current()
    }

    func respond(
        to head: RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext,
        into out: inout ResponseHead
    ) -> Reply {
        let exchange = Renderer.Exchange(head, persistent: context.persistent)
        refresh()
        if let reply = reports.respond(to: head, bytes, context, exchange, snapshot, into: &out) { return reply }
        if let refused = renderer.refusal(of: head, bytes, exchange, &out) { return .send(refused) }
        if let file = files.find(bytes.extracting(head.path), now: clock.milliseconds) {
            return send(file, head, bytes, context, exchange, started: clock.milliseconds, &out)
        }
        let inquiry: Inquiry
        do throws(RequestPath.Failure) {
            inquiry = try Inquiry(head, bytes)
        } catch {
            return .send(renderer.problem(problem(error, head, bytes), exchange, &out))
        }
        if let status = Readiness.publicAnswer(to: inquiry) {
            return .send(renderer.document(status, head, bytes, exchange, &out))
        }
        let started = clock.milliseconds
        if let sighting = locator.locate(inquiry, in: snapshot, mayWait: false) {
            let found = Found(sighting: sighting, generation: generation, started: started)
            return render(found, head, bytes, context, exchange, &out)
        }
        // The job takes the snapshot that this request began with.
        return .offload { [locator, snapshot, generation] in
            let sighting = locator.locate(inquiry, in: snapshot, mayWait: true)
            return Found(
                sighting: sighting
                    ?? Sighting(located: .problem(.overCapacity(at: inquiry.instance)), observation: nil),
                generation: generation,
                started: started
            )
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
        if let findings = found as? ReportFindings {
            return .send(reports.finish(findings, head, bytes, exchange, &out))
        }
        guard let found = found as? Found else {
            return .send(renderer.problem(.overCapacity(at: nil), exchange, &out))
        }
        return render(found, head, bytes, context, exchange, &out)
    }

    /// What a walk has found, on this thread or another.
    private struct Found: Sendable {
        let sighting: Sighting
        /// This handler's when the request began.
        let generation: UInt64
        /// Milliseconds of the loop's clock when the request began.
        let started: Int64
    }

    func reject(_ rejection: Rejection, toHEAD: Bool, into out: inout ResponseHead) -> Body {
        renderer.problem(Problem(rejection), .rejected(toHEAD: toHEAD), &out)
    }

    func contentLimit(for head: RequestHead, _ bytes: Span<UInt8>) -> Int { reports.contentLimit(for: head, bytes) }

    func finished(_ receipt: Receipt, octets: UInt64, unacknowledged: UInt64, at milliseconds: Int64) {
        ledger?.finished(receipt, octets: octets, unacknowledged: unacknowledged, at: milliseconds)
    }

    func housekeeping() {
        refresh()
        files.closeRemoved()
        ledger?.tick()
    }

    /// Takes the newest snapshot. The common case is one atomic load.
    private func refresh() {
        guard publisher.generation != generation else { return }
        generation = publisher.generation
        snapshot = publisher.current()
        files.removeAll()
    }

    private func render(
        _ found: Found,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext,
        _ exchange: Renderer.Exchange,
        _ out: inout ResponseHead
    ) -> Reply {
        if let observation = found.sighting.observation {
            for miss in observation.misses { misses.count(model: miss.model, architecture: miss.architecture) }
            ledger?.observed(observation, head, bytes, context)
        }
        switch found.sighting.located {
        case .file(let file):
            // What was found in an older snapshot answers this request, which began with it, and no other: kept, it
            // would outlive a withdrawal that came in meanwhile. And without Last-Modified it was prepared before its
            // time had come, and must not be kept that way.
            if found.generation == generation, file.lastModified != nil {
                files.insert(file, path: bytes.extracting(head.path), now: clock.milliseconds)
            }
            return send(file, head, bytes, context, exchange, started: found.started, &out)
        case .document(let document):
            return .send(renderer.document(document, head, bytes, exchange, &out))
        case .problem(let problem):
            return .send(renderer.problem(problem, exchange, &out))
        case .redirect(let redirect):
            return .send(renderer.redirect(redirect, exchange, &out))
        }
    }

    private func send(
        _ file: PreparedFile,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext,
        _ exchange: Renderer.Exchange,
        started: Int64,
        _ out: inout ResponseHead
    ) -> Reply {
        let answer = renderer.file(file, head, bytes, exchange, &out)
        guard let ledger else { return .send(answer.body) }
        return .send(answer.body, receipt: ledger.begin(file, answer, head, bytes, context, started: started))
    }

    private func problem(
        _ failure: RequestPath.Failure,
        _ head: RequestHead,
        _ bytes: Span<UInt8>
    ) -> Problem {
        let instance = ProblemDetails.instance(bytes.extracting(head.path))
        switch failure {
        case .malformed:
            return .badRequest("The path is not percent-encoded as RFC 3986 2.1 says.", at: instance)
        case .unpublishable:
            return .unknownResource(instance)
        }
    }
}
