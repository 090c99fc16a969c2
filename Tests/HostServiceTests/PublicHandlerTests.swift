import HTTPWire
import HostSystem
import HostTransport
import ModelCatalog
import ModelStore
import TestSupport
import Testing

@testable import HostService

/// The handler alone, for what depends on the order of a request, a job and a publication.
@Suite("A loop's handler between two catalogs")
struct PublicHandlerTests {
    private final class Fixture {
        let store: ReleaseStore
        let publisher = CatalogPublisher()
        let scanner: CatalogScanner
        let handler: PublicHandler

        init() throws {
            store = try ReleaseStore()
            try store.publish(.standard())
            let findings = CatalogFindings()
            let folder = try StoreFolder(root: store.root)
            scanner = CatalogScanner(store: folder, findings: findings)
            publisher.publish(try scanner.scan())
            handler = PublicHandler(
                clock: LoopClock(),
                locator: Locator(
                    manifests: ManifestCache(store: folder, findings: findings),
                    opener: FileOpener(tree: try PublicTree(root: store.root), findings: findings)
                ),
                publisher: publisher,
                openFiles: 16
            )
        }

        /// The octets of a request and its head.
        private func parse(_ target: String) throws -> ([UInt8], RequestHead) {
            let bytes = Array("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
            var head = RequestHead()
            var parser = RequestParser()
            guard parser.parse(bytes.span, into: &head) == .complete else { throw Unexpected(description: target) }
            return (bytes, head)
        }

        private static let context = RequestContext(persistent: true, peer: PeerAddress())

        /// The job of a request that cannot be answered at once.
        func begin(_ target: String) throws -> (@Sendable () -> any Sendable) {
            let (bytes, head) = try parse(target)
            var out = ResponseHead()
            guard case .offload(let job) = handler.respond(to: head, bytes.span, Self.context, into: &out) else {
                throw Unexpected(description: "answered at once: \(target)")
            }
            return job
        }

        /// The status line of the answer with what a job found.
        func end(_ target: String, with found: any Sendable) throws -> String {
            let (bytes, head) = try parse(target)
            var out = ResponseHead()
            _ = handler.resume(head, bytes.span, with: found, Self.context, into: &out)
            return Self.statusLine(out)
        }

        /// The status line of the whole exchange.
        func answer(_ target: String) throws -> String {
            let (bytes, head) = try parse(target)
            var out = ResponseHead()
            if case .offload(let job) = handler.respond(to: head, bytes.span, Self.context, into: &out) {
                return try end(target, with: job())
            }
            return Self.statusLine(out)
        }

        func withdraw() throws {
            guard let withdrawal = CatalogFixture.withdrawal("1.4.0", nil, "recall", nil) else {
                throw Unexpected(description: "no withdrawal")
            }
            try store.writeRecord(model: "Sam3", withdrawals: [withdrawal])
            let scanned = try scanner.scan()
            let current = publisher.current()
            publisher.publish(current.replacing(scanned.models.map(\.value)))
        }

        private static func statusLine(_ head: ResponseHead) -> String {
            String(decoding: head.bytes.prefix { $0 != 13 }, as: UTF8.self)
        }
    }

    private struct Unexpected: Error { let description: String }

    private static let target = "/models/Sam3/1.4.0/metadata.json"

    @Test("A request that began before a withdrawal is answered from its own catalog, and the next from the new one")
    func withdrawnMeanwhile() throws {
        let fixture = try Fixture()
        let job = try fixture.begin(Self.target)
        let found = job()
        try fixture.withdraw()
        // Another request makes the loop take the new catalog while the job is under way.
        #expect(try fixture.answer("/models/Sam3/1.4.0/tokenizer/tokenizer.json") == "HTTP/1.1 410 Gone")
        #expect(try fixture.end(Self.target, with: found) == "HTTP/1.1 200 OK")
        #expect(try fixture.answer(Self.target) == "HTTP/1.1 410 Gone")
    }

    @Test("What a loop keeps goes with its catalog")
    func keptFiles() throws {
        let fixture = try Fixture()
        #expect(try fixture.answer(Self.target) == "HTTP/1.1 200 OK")
        #expect(try fixture.answer(Self.target) == "HTTP/1.1 200 OK")
        try fixture.withdraw()
        #expect(try fixture.answer(Self.target) == "HTTP/1.1 410 Gone")
    }
}
