internal import HTTPWire
internal import HostTransport
internal import ModelCatalog
internal import ModelStore

/// The admin listener of one loop: for operators and their tools, on loopback unless configured otherwise.
final class AdminHandler: RequestHandler {
    private let renderer: Renderer
    private let publisher: CatalogPublisher
    private let findings: CatalogFindings
    private let connections: @Sendable () -> Int

    /// `connections`: how many are open now.
    init(
        clock: LoopClock,
        publisher: CatalogPublisher,
        findings: CatalogFindings,
        connections: @escaping @Sendable () -> Int
    ) {
        renderer = Renderer(clock: clock, isPublic: false)
        self.publisher = publisher
        self.findings = findings
        self.connections = connections
    }

    func respond(
        to head: RequestHead,
        _ bytes: Span<UInt8>,
        persistent: Bool,
        into out: inout ResponseHead
    ) -> Reply {
        let exchange = Renderer.Exchange(head, persistent: persistent)
        let instance = ProblemDetails.instance(bytes.extracting(head.path))
        if let host = head.host, !AdminHost.isOwn(bytes.extracting(host)) {
            let name = AdminHost.text(bytes.extracting(host))
            return .send(renderer.problem(.misdirected(name, at: instance), exchange, &out))
        }
        if head.expectation == .unsupported {
            return .send(renderer.problem(.expectationFailed(at: instance), exchange, &out))
        }
        switch head.method {
        case .get, .head: break
        case .options: return .send(renderer.options(exchange, &out))
        case .other: return .send(renderer.problem(.unknownMethod(at: instance), exchange, &out))
        default: return .send(renderer.problem(.methodNotAllowed(head.method.name, at: instance), exchange, &out))
        }
        guard let path = try? RequestPath(bytes.extracting(head.path)), path.segments.count == 1, !path.isFolder else {
            return .send(renderer.problem(unknown(instance), exchange, &out))
        }
        switch path.segments[0] {
        case "healthz":
            return .send(renderer.document(Readiness.health, head, bytes, exchange, &out))
        case "readyz":
            let detail = Readiness.detail(publisher.current(), findings: findings, connections: connections())
            return .send(renderer.document(detail, head, bytes, exchange, &out))
        default:
            return .send(renderer.problem(unknown(instance), exchange, &out))
        }
    }

    func resume(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        with found: any Sendable,
        persistent: Bool,
        into out: inout ResponseHead
    ) -> Reply {
        // Nothing here is handed to another thread.
        .sendThenClose(renderer.problem(.overCapacity(at: nil), .rejected, &out))
    }

    func reject(_ rejection: Rejection, into out: inout ResponseHead) -> Body {
        renderer.problem(Problem(rejection), .rejected, &out)
    }

    func housekeeping() {}

    private func unknown(_ instance: String) -> Problem {
        Problem(
            .unknownResource,
            "The admin listener answers /healthz and /readyz. Models are served by the public listener.",
            at: instance
        )
    }
}

/// Which Host values the admin listener takes for its own: numeric addresses and localhost.
///
/// A page of another site can make a browser resolve that site's name to this machine (DNS rebinding), but it cannot
/// make the browser send anything but that name in Host.
enum AdminHost {
    static func isOwn(_ host: Span<UInt8>) -> Bool {
        let name = text(host).lowercased()
        // A bracketed IPv6 address.
        if name.hasPrefix("[") { return true }
        let bare = name.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        if bare == "localhost" || bare.isEmpty { return true }
        let parts = bare.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    static func text(_ host: Span<UInt8>) -> String {
        var octets: [UInt8] = []
        for index in host.indices { octets.append(host[index]) }
        return String(decoding: octets, as: UTF8.self)
    }
}
