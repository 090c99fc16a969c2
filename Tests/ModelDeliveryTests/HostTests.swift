import Foundation
import ModelCatalog
import ModelDelivery
import TestSupport
import Testing

@Suite("Asking a host")
struct HostTests {
    private func offerError(
        _ device: Device,
        _ version: VersionSelector = .latest,
        architecture: String = "h99z",
        os: String? = "27.1",
        fallback: Fallback = .portable,
        model: String = "Sam3"
    ) async throws -> DeliveryError? {
        var host = try device.host(version, model: model, architecture: architecture, os: os)
        host.fallback = fallback
        let asked = host
        return await failure { () async throws(DeliveryError) in try await asked.resolve(options: .testing()) }
    }

    @Test("An architecture that nothing was compiled for: what there is, and the portable way out; not tried again")
    func noVariant() async throws {
        let device = try Device(.standard())
        let error = try await offerError(device, fallback: .none)
        guard case .noVariantForArchitecture("h99z", let available, let portable?) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(available == ["h16p", "h18p"])
        #expect(portable.path == "/models/Sam3/1.4.0/Sam3.aimodel" && portable.size > 40_000)
        #expect(device.proxy.seen.count == 1)
    }

    @Test("With the fallback, the portable one is offered, and the reason is told")
    func fallback() async throws {
        let device = try Device(.standard())
        let offer = try await device.host(architecture: "h99z").resolve(options: .testing())
        #expect(offer.assets.map(\.name) == ["Sam3.aimodel"] && offer.assets[0].architecture == nil)
        #expect(offer.assets[0].reason == "no-variant-for-architecture")
    }

    @Test("A system that is too old, and the version that runs on it")
    func olderSystem() async throws {
        var old = ReleaseFixture.single(version: "1.3.0")
        old.minDeploymentVersion = "26.0"
        let device = try Device(.standard(), old)
        #expect(
            try await offerError(device, os: "26.4") == .requiresNewerOS(minimum: "27.0", compatibleVersion: "1.3.0")
        )
        #expect(device.proxy.seen.count == 1)
    }

    @Test("A version that was withdrawn, why, and what to take instead")
    func withdrawn() async throws {
        let device = try Device(.standard())
        try device.server.store.writeRecord(
            model: "Sam3",
            withdrawals: [
                Withdrawal(
                    version: #require(Version("1.4.0")),
                    architecture: nil,
                    reason: "wrong masks",
                    replacement: Version("1.4.1"),
                    at: "2026-12-02T00:00:00Z"
                )
            ]
        )
        #expect(await until { (try? device.server.request("GET", "/models/Sam3/1.4.0/manifest.json").status) == 410 })
        #expect(
            try await offerError(device, .version("1.4.0"))
                == .withdrawn(reason: "wrong masks", architecture: nil, replacement: "1.4.1")
        )
    }

    @Test(
        "Names that the host does not know keep the host's codes",
        arguments: [
            (VersionSelector.version("9.9.9"), "Sam3", "unknown-version"),
            (.channel("beta"), "Sam3", "unknown-channel"),
            (.latest, "Sam4", "unknown-model"),
        ]
    )
    func unknown(_ version: VersionSelector, _ model: String, _ code: String) async throws {
        let device = try Device(.standard())
        let error = try await offerError(device, version, model: model)
        #expect(error?.code == code && error?.isRetryable == false)
        #expect(device.proxy.seen.count == 1)
    }

    @Test("The question carries what the device says of itself, escaped")
    func question() async throws {
        let device = try Device(.standard())
        var host = try device.host(.channel("latest"))
        host.device.identifier = "a+b c&d/é"
        _ = try await host.resolve(installed: "1.3.2", options: .testing())
        let request = try #require(device.proxy.seen.first).request
        #expect(
            request.target
                == "/models/Sam3/latest/resolve?arch=h18p&os=27.1&platform=iOS&installed=1.3.2"
                + "&device=a%2Bb%20c%26d%2F%C3%A9&fallback=portable"
        )
    }

    @Test("Credentials go to the host, and not to where it redirects")
    func credentials() async throws {
        let device = try Device(.single())
        let elsewhere = try FaultyProxy(device.server)
        let location = "http://127.0.0.1:\(elsewhere.port)/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb"
        device.proxy.setScript { request, _ in
            request.target.hasSuffix("main.mlirb")
                ? .answer(status: 307, fields: [("Location", location)], body: "") : .none
        }
        var host = try device.host()
        host.authorization = "Bearer secret"
        _ = try await device.library().install(from: host).value
        #expect(device.proxy.seen.allSatisfy { $0.request["authorization"] == "Bearer secret" })
        #expect(elsewhere.seen.map { $0.request["authorization"] } == [nil])
    }

    @Test(
        "A model's own address",
        arguments: [
            ("https://models.example.com/models/SAM3", "https://models.example.com", "SAM3"),
            ("http://127.0.0.1:8080/models/SAM3/", "http://127.0.0.1:8080", "SAM3"),
            ("https://example.com/ai/hub/models/a.b-c_1?x=1", "https://example.com/ai/hub", "a.b-c_1"),
        ]
    )
    func modelURL(_ text: String, _ base: String, _ model: String) throws {
        let host = try ModelHost(modelURL: Device.url(text), device: DeliveryDevice(architecture: "h18p"))
        #expect(host.baseURL.absoluteString == base && host.model == model)
    }

    @Test(
        "What is no address, no name, no architecture or no version is said before anything is asked",
        arguments: [
            ("ftp://h/models/A", "h18p", VersionSelector.latest), ("https://h/A", "h18p", .latest),
            ("https://h/models/.A", "h18p", .latest), ("https://h/models/A", "H18P", .latest),
            ("https://h/models/A", "h18p", .version("one")), ("https://h/models/A", "h18p", .channel("../x")),
            ("https://h/models/A", "h18p", .version("1/../..")), ("https://u:p@h/models/A", "h18p", .latest),
            ("https://u@h/models/A", "h18p", .latest), ("http://h:65536/models/A", "h18p", .latest),
            ("http://h:0/models/A", "h18p", .latest),
        ]
    )
    func invalid(_ text: String, _ architecture: String, _ version: VersionSelector) async {
        let error = await failure { () async throws(DeliveryError) in
            try ModelHost(
                modelURL: Device.url(text),
                version: version,
                device: DeliveryDevice(architecture: architecture)
            )
        }
        #expect(error?.code == "invalid-request")
    }

    @Test(
        "A version as people write it",
        arguments: [
            ("latest", VersionSelector.latest), ("1.4.0", .version("1.4.0")), ("stable", .channel("stable")),
        ]
    )
    func selector(_ text: String, _ expected: VersionSelector) {
        #expect(VersionSelector(text) == expected && expected.text == text)
    }

    @Test("An asset source: where it lies, once it does; gone, once it is removed")
    func source() async throws {
        let device = try Device(.standard())
        let source = try HostedAsset(library: device.library(), host: device.host(.version("1.4.0")))
        #expect(source.assetName == "Sam3.h18p.aimodelc" && source.expectedVersion == "1.4.0")
        #expect(await source.localURLIfPresent() == nil)
        let url = try await source.fetch { _ in }
        #expect(url.lastPathComponent == "Sam3.h18p.aimodelc")
        #expect(await source.localURLIfPresent() == url)
        device.proxy.forget()
        #expect(try await source.fetch { _ in } == url)
        #expect(device.proxy.files.isEmpty)
        try await source.removeLocalCopy()
        #expect(await source.localURLIfPresent() == nil)
    }
}
