import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ModelDelivery

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

    @Test(
        "Mirrors: what a host says tells more than that another does not answer; a withdrawal is final",
        arguments: [("unknown-version", 404, 6), ("version-withdrawn", 410, 1), ("variant-withdrawn", 410, 1)]
    )
    func mirrorsProblem(_ code: String, _ status: Int, _ requests: Int) async throws {
        let device = try Device(.single()) { _, _ in
            .answer(status: status, fields: [("AIModel-Problem", code)], body: "")
        }
        let silent = try FaultyProxy(device.server) { _, _ in .hangUp }
        var host = try device.host()
        host.mirrors = [Device.url("http://127.0.0.1:\(silent.port)")]
        let asked = host
        let error = await failure { () async throws(DeliveryError) in try await asked.resolve(options: .testing()) }
        #expect(error?.code == (status == 410 ? "version-withdrawn" : code))
        #expect(device.proxy.seen.count == 1)
        #expect(silent.seen.count == requests - (status == 410 ? 1 : 0))
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
