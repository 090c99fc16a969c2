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

        init(_ publish: (ReleaseStore) throws -> Void = { try $0.publish(.standard()) }) throws {
            store = try ReleaseStore()
            try publish(store)
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
                openFiles: 16,
                ledger: nil,
                gate: ReportGate(counters: ReportCounters()),
                counters: LoopCounters(),
                misses: MissCounters()
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

        /// The content of the answer, and whether it was given at once.
        func content(_ target: String) throws -> (octets: [UInt8], atOnce: Bool) {
            let (bytes, head) = try parse(target)
            var out = ResponseHead()
            var reply = handler.respond(to: head, bytes.span, Self.context, into: &out)
            var atOnce = true
            if case .offload(let job) = reply {
                atOnce = false
                reply = handler.resume(head, bytes.span, with: job(), Self.context, into: &out)
            }
            guard case .send(.memory(let octets, _), _) = reply else { throw Unexpected(description: target) }
            return (octets, atOnce)
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

    // MARK: What grows with a release

    /// A release of so many bases, with a file each, and as many companions.
    private static func wide(_ count: Int) -> (ReleaseStore) throws -> Void {
        { store in
            let names = (0..<count).map { "part-\($0)" }
            try store.publish(
                model: "Wide",
                version: "1.0.0",
                assets: Dictionary(uniqueKeysWithValues: names.map { ("\($0).aimodel", ["main.mlirb": "abc"]) })
                    .merging(["part-0.h18p.aimodelc": ["main.mlirb": "abc"]]) { $1 },
                companions: Dictionary(uniqueKeysWithValues: names.map { ("\($0).json", "{}") })
            )
        }
    }

    /// A release of one asset of so many files.
    private static func deep(_ count: Int) -> (ReleaseStore) throws -> Void {
        { store in
            let files = (0..<count).map { ("weights/block-with-a-rather-long-name-\($0).bin", "abc" as ReleaseContent) }
            let asset = Dictionary(uniqueKeysWithValues: files)
            try store.publish(model: "Deep", version: "1.0.0", assets: ["Deep.aimodel": asset])
        }
    }

    @Test("A long answer is never made on the loop, though its manifest is at hand")
    func longAnswers() throws {
        let wide = try Fixture(Self.wide(201))
        #expect(try wide.answer("/models/Wide/1.0.0/manifest.json") == "HTTP/1.1 200 OK")
        for target in ["", "/", "/resolve?arch=h18p", "/nothing.aimodel", "/part-1.h16p.aimodelc"] {
            _ = try wide.begin("/models/Wide/1.0.0" + target)
        }
        let deep = try Fixture(Self.deep(201))
        #expect(try deep.answer("/models/Deep/1.0.0/manifest.json") == "HTTP/1.1 200 OK")
        for target in ["", "/", "/weights", "/weights/"] {
            _ = try deep.begin("/models/Deep/1.0.0/Deep.aimodel" + target)
        }
    }

    @Test("A short one is")
    func shortAnswers() throws {
        let fixture = try Fixture()
        #expect(try fixture.answer("/models/Sam3/1.4.0/manifest.json") == "HTTP/1.1 200 OK")
        for target in ["", "/", "/resolve?arch=h18p", "/Sam3.aimodel", "/Sam3.aimodel/odd/", "/tokenizer/"] {
            #expect(try fixture.content("/models/Sam3/1.4.0" + target).atOnce, "\(target)")
        }
    }

    @Test(
        "A large document is one array for all who ask, each form and each question its own",
        arguments: ["/models/Wide/1.0.0", "/models/Wide/1.0.0/", "/models/Wide/1.0.0/resolve?arch=h18p"]
    )
    func sharedDocuments(_ target: String) throws {
        let fixture = try Fixture(Self.wide(700))
        let first = try fixture.content(target).octets
        #expect(first.count > 64 << 10)
        let again = try fixture.content(target)
        #expect(again.octets.storage == first.storage)
        #expect(again.atOnce)
        for other in [
            "/models/Wide/1.0.0", "/models/Wide/1.0.0/", "/models/Wide/1.0.0/resolve?arch=h16p",
            "/models/Wide/1.0.0/resolve?arch=h18p&installed=1.0.0", "/models/Wide/latest/resolve?arch=h18p",
        ] where other != target {
            #expect(try fixture.content(other).octets != first, "\(other)")
        }
    }

    @Test("A large document goes with its catalog")
    func sharedDocumentsOfAnotherCatalog() throws {
        let fixture = try Fixture { store in
            try Self.wide(700)(store)
            try store.publish(.standard())
        }
        let target = "/models/Wide/1.0.0"
        let first = try fixture.content(target).octets
        try fixture.withdraw()
        let second = try fixture.content(target)
        #expect(!second.atOnce)
        #expect(second.octets == first)
    }
}

extension [UInt8] {
    /// Where the octets lie: of two arrays that share them the same.
    fileprivate var storage: UInt {
        withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}
