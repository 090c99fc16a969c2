import Foundation
import Synchronization
import TestSupport
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

@Suite("A host, or a network, that misbehaves: the right tree or a typed error, never a wrong tree")
struct FaultTests {
    @Test("The file of a release", arguments: FaultCase.all, Carrier.allCases)
    func file(_ fault: FaultCase, _ carrier: Carrier) async throws {
        let release = ReleaseFixture.single(FaultCase.size)
        let device = try Device(release) { request, count in
            request.target.hasSuffix("main.mlirb") ? fault.fault(count, request["range"] != nil) : .none
        }
        let library = try device.library {
            $0.seams.transport = carrier.transport
            $0.stallTimeout = fault.patience
        }
        let installation = try library.install(from: device.host())
        switch fault.outcome {
        case .right(let bytes):
            let installed = try await installation.value
            #expect(try Device.content(of: installed) == release.content(for: ["Sam3.aimodel"]))
            if let bytes { #expect(device.proxy.files.reduce(0) { $0 + $1.bodyBytes } == bytes) }
        case .failure(let isExpected):
            let error = await failure { () async throws(DeliveryError) in try await installation.value }
            #expect(error.map(isExpected) == true, "\(String(describing: error))")
            #expect(try device.visibleFiles().isEmpty)
            #expect(library.current("Sam3") == nil)
        }
        if let requests = fault.requests { #expect(device.proxy.files.count == requests) }
    }

    @Test("A resume sends Range and If-Range, and no coding but identity is accepted", arguments: Carrier.allCases)
    func resumeFields(_ carrier: Carrier) async throws {
        let device = try Device(.single()) { request, count in
            request.target.hasSuffix("main.mlirb") && count == 0 ? .cut(40_000) : .none
        }
        let library = try device.library { $0.seams.transport = carrier.transport }
        let installed = try await library.install(from: device.host()).value
        let asked = device.proxy.files.map(\.request)

        #expect(asked.map { $0["accept-encoding"] } == ["identity", "identity"])
        #expect(asked.map { $0["range"] } == [nil, "bytes=40000-"])
        let digest = try #require(installed.record.assets.first).digest
        #expect(digest.hasPrefix("sha256:"))
        #expect(asked[1]["if-range"]?.first == "\"" && asked[1]["if-range"]?.utf8.count == 66)
        #expect(device.proxy.seen.allSatisfy { $0.request["aimodel-device"] == "device-1" })
    }

    @Test(
        "A document that is damaged on the way is asked for again; one that never comes right is named",
        arguments: [("/resolve", "\"name\":\""), ("/manifest.json", "\"files\":[{\"digest\":\"sha256:")],
        [true, false]
    )
    func documents(_ document: (path: String, mark: String), once: Bool) async throws {
        let release = ReleaseFixture.standard()
        let device = try Device(release) { request, count in
            request.target.contains(document.path) && (count == 0 || !once) ? .flipAfter(document.mark) : .none
        }
        // The portable asset: the first of the manifest, so that the mark is in what this device takes.
        let installation = try device.library().install(from: device.host(architecture: "h99z"))
        if once {
            #expect(try await Device.content(of: installation.value) == release.content(for: ["Sam3.aimodel"]))
        } else {
            let error = await failure { () async throws(DeliveryError) in try await installation.value }
            #expect(error?.code == "integrity")
            #expect(try device.visibleFiles().isEmpty)
        }
    }

    @Test("A page in the place of an answer to resolve is no offer")
    func portal() async throws {
        let device = try Device(.standard()) { request, _ in
            .answer(status: 200, fields: [("Content-Type", "text/html")], body: "<html></html>")
        }
        let host = try device.host()
        let error = await failure { () async throws(DeliveryError) in try await host.resolve(options: .testing()) }
        guard case .network(let failure) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(failure.cause == .malformedAnswer)
    }

    @Test("The wait that a host asks for is kept, and up to a fifth more", arguments: [0.0, 0.5, 0.999])
    func retryAfter(chance: Double) async throws {
        let waits = Box<[Duration]>([])
        let device = try Device(.single()) { request, count in
            request.target.hasSuffix("main.mlirb") && count == 0
                ? .answer(status: 503, fields: [("Retry-After", "10")], body: "") : .none
        }
        let library = try device.library {
            $0.seams.random = { chance }
            $0.seams.sleep = { wait in waits.update { $0.append(wait) } }
        }
        _ = try await library.install(from: device.host()).value
        #expect(waits.value == [.seconds(10) * (1 + 0.2 * chance)])
    }

    @Test("Progress never runs backwards, through five resets and a start from nothing")
    func monotone() async throws {
        let device = try Device(.single()) { request, count in
            guard request.target.hasSuffix("main.mlirb") else { return .none }
            return count < 5 ? .cut(10_000) : count == 5 ? .ignoreRange : .none
        }
        // A clock that makes every value due.
        let clock = Box<Int>(0)
        let library = try device.library {
            $0.seams.now = {
                .seconds(
                    clock.update {
                        $0 += 1; return $0
                    }
                )
            }
        }
        let values = Box<[DeliveryProgress]>([])
        let asset = try HostedAsset(library: library, host: device.host())
        _ = try await asset.fetch { value in values.update { $0.append(value) } }

        let bytes = values.value.map(\.bytes)
        #expect(zip(bytes, bytes.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(values.value.last?.phase == .finished)
        #expect(values.value.last?.fraction == 1)
    }

    @Test("Mirrors: what the first lacks the second has; where the first ends, the second goes on")
    func mirrors() async throws {
        let release = ReleaseFixture.single()
        let device = try Device(release)
        let first = try FaultyProxy(device.server) { request, _ in
            request.target.contains("/resolve") ? .answer(status: 404, fields: [], body: "") : .cut(30_000)
        }
        var host = try ModelHost(
            Device.url("http://127.0.0.1:\(first.port)"),
            model: "Sam3",
            device: DeliveryDevice(architecture: "h18p")
        )
        host.mirrors = [Device.url("http://127.0.0.1:\(device.proxy.port)")]
        let installed = try await device.library().install(from: host).value

        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.aimodel"]))
        #expect(first.files.map(\.bodyBytes) == [30_000])
        #expect(device.proxy.files.map(\.bodyBytes) == [70_000])
    }

    @Test("Mirrors: that one host lets nobody in, another is not asked about")
    func mirrorsForbidden() async throws {
        let device = try Device(.single())
        let first = try FaultyProxy(device.server) { _, _ in .answer(status: 403, fields: [], body: "") }
        var host = try ModelHost(
            Device.url("http://127.0.0.1:\(first.port)"),
            model: "Sam3",
            device: DeliveryDevice(architecture: "h18p")
        )
        host.mirrors = [Device.url("http://127.0.0.1:\(device.proxy.port)")]
        let asked = host
        let library = try device.library()
        let error = await failure { () async throws(DeliveryError) in try await library.install(from: asked).value }
        guard case .server(let failure) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(failure.status == 403)
        #expect(device.proxy.seen.isEmpty)
    }

    @Test(
        "Cancelled in mid-download: the partial stays, and the next time only the rest is fetched",
        arguments: Carrier.allCases
    )
    func cancelled(_ carrier: Carrier) async throws {
        let release = ReleaseFixture.single()
        let device = try Device(release) { request, count in
            request.target.hasSuffix("main.mlirb") && count == 0 ? .stall(40_000) : .none
        }
        let library = try device.library { $0.seams.transport = carrier.transport }
        let installation = try library.install(from: device.host())
        #expect(await until { library.storage().unfinished == 40_000 })
        installation.cancel()
        let error = await failure { () async throws(DeliveryError) in try await installation.value }
        #expect(error == .cancelled)
        #expect(try device.visibleFiles().isEmpty)

        device.proxy.forget()
        device.proxy.setScript { _, _ in .none }
        let installed = try await device.library().install(from: device.host()).value
        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.aimodel"]))
        #expect(device.proxy.files.map(\.bodyBytes) == [60_000])
    }
}
