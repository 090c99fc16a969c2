internal import HTTPWire
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

    /// `openFiles`: descriptors that this loop may keep open for files served lately.
    init(
        clock: LoopClock,
        locator: Locator,
        publisher: CatalogPublisher,
        openFiles: Int,
        counters: LoopCounters
    ) {
        self.clock = clock
        self.locator = locator
        self.publisher = publisher
        renderer = Renderer(clock: clock, isPublic: true, counters: counters)
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
        if let refused = renderer.refusal(of: head, bytes, exchange, &out) { return .send(refused) }
        refresh()
        if let file = files.find(bytes.extracting(head.path), now: clock.milliseconds) {
            return .send(renderer.file(file, head, bytes, exchange, &out))
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
        if let located = locator.locate(inquiry, in: snapshot, mayWait: false) {
            return .send(render(located, head, bytes, exchange, keeping: true, &out))
        }
        // The job takes the snapshot that this request began with.
        return .offload { [locator, snapshot, generation] in
            let located = locator.locate(inquiry, in: snapshot, mayWait: true)
            return Found(located: located ?? .problem(.overCapacity(at: inquiry.instance)), generation: generation)
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
        guard let found = found as? Found else {
            return .send(renderer.problem(.overCapacity(at: nil), exchange, &out))
        }
        // What was found in an older snapshot answers this request, which began with it, and no other: kept, it would
        // outlive a withdrawal that came in meanwhile.
        let isCurrent = found.generation == generation
        return .send(render(found.located, head, bytes, exchange, keeping: isCurrent, &out))
    }

    /// What a job has found.
    private struct Found: Sendable {
        let located: Located
        /// This handler's when the job was made.
        let generation: UInt64
    }

    func reject(_ rejection: Rejection, toHEAD: Bool, into out: inout ResponseHead) -> Body {
        renderer.problem(Problem(rejection), .rejected(toHEAD: toHEAD), &out)
    }

    func contentLimit(for head: RequestHead, _ bytes: Span<UInt8>) -> Int { 0 }

    func finished(_ receipt: Receipt, octets: UInt64) {}

    func housekeeping() {
        refresh()
        files.closeRemoved()
    }

    /// Takes the newest snapshot. The common case is one atomic load.
    private func refresh() {
        guard publisher.generation != generation else { return }
        generation = publisher.generation
        snapshot = publisher.current()
        files.removeAll()
    }

    private func render(
        _ located: Located,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ exchange: Renderer.Exchange,
        keeping isCurrent: Bool,
        _ out: inout ResponseHead
    ) -> Body {
        switch located {
        case .file(let file):
            // Without Last-Modified it was prepared before its time had come, and must not be kept that way.
            if isCurrent, file.lastModified != nil {
                files.insert(file, path: bytes.extracting(head.path), now: clock.milliseconds)
            }
            return renderer.file(file, head, bytes, exchange, &out)
        case .document(let document):
            return renderer.document(document, head, bytes, exchange, &out)
        case .problem(let problem):
            return renderer.problem(problem, exchange, &out)
        case .redirect(let redirect):
            return renderer.redirect(redirect, exchange, &out)
        }
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
