import Foundation
import TestSupport
import Testing

@testable import ModelDelivery

/// An answer to `resolve` that another question would have had, or none.
struct Lie: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let code: String
    var architecture = "h18p"
    var version = VersionSelector.latest
    var fallback = Fallback.portable
    var os = "27.1"
    /// What the host is asked for instead.
    let edit: @Sendable (String) -> String
    /// What becomes of the assets that it answers with.
    var change: @Sendable ([Any]) -> [Any] = { $0 }

    private static func replacing(_ old: String, _ new: String) -> @Sendable (String) -> String {
        { $0.replacingOccurrences(of: old, with: new) }
    }

    static let all: [Lie] = [
        Lie(
            testDescription: "another version than the one that was named",
            code: "integrity",
            version: .version("1.4.0"),
            edit: replacing("/1.4.0/", "/1.3.0/")
        ),
        Lie(
            testDescription: "what was compiled for another architecture",
            code: "integrity",
            edit: replacing("arch=h18p", "arch=h16p")
        ),
        Lie(
            testDescription: "the portable asset, though something was compiled for the device",
            code: "integrity",
            edit: replacing("arch=h18p", "arch=h99z")
        ),
        Lie(
            testDescription: "the portable asset, where that was ruled out",
            code: "integrity",
            architecture: "h99z",
            fallback: .none,
            edit: replacing("fallback=none", "fallback=portable")
        ),
        Lie(
            testDescription: "a release that needs a newer system",
            code: "requires-newer-os",
            os: "26.0",
            edit: replacing("os=26.0", "os=27.1")
        ),
        Lie(testDescription: "one base of two", code: "integrity", edit: { $0 }, change: { Array($0.prefix(1)) }),
        Lie(testDescription: "one base twice", code: "integrity", edit: { $0 }, change: { $0 + $0.prefix(1) }),
        Lie(testDescription: "one base in the place of another", code: "integrity", edit: { $0 }) { [$0[0], $0[0]] },
        Lie(testDescription: "no base at all", code: "integrity", edit: { $0 }, change: { _ in [] }),
        Lie(testDescription: "a base under another\'s name", code: "integrity", edit: { $0 }) { assets in
            assets.map { asset in
                guard var fields = asset as? [String: Any] else { return asset }
                fields["base"] = "Other"
                return fields
            }
        },
    ]
}

@Suite("The answer to resolve is held against the question")
struct AnswerToQuestionTests {
    private static func release(_ version: String) -> ReleaseFixture {
        var release = ReleaseFixture.standard(version: version)
        release.assets["Decoder.h16p.aimodelc"] = ["main-h16p.mlirb": "d16", "main.hash": "1"]
        release.assets["Decoder.h18p.aimodelc"] = ["main-h18p.mlirb": "d18", "main.hash": "2"]
        release.assets["Decoder.aimodel"] = ["main.mlirb": "d"]
        return release
    }

    /// The transport of the system, before a host that lies as a test says.
    private struct LyingHost: ExchangeTransport {
        let lie: Lie

        func exchange(_ request: ExchangeRequest, _ receiver: any AnswerReceiver) async throws(DeliveryError) {
            guard request.url.path.hasSuffix("/resolve") else {
                return try await SystemTransport.shared.exchange(request, receiver)
            }
            var request = request
            request.url = Device.url(lie.edit(request.url.absoluteString))
            let answer = DocumentReceiver(limit: 1 << 20)
            try await SystemTransport.shared.exchange(request, answer)
            guard let head = answer.answer.head,
                var document = try? JSONSerialization.jsonObject(with: Data(answer.answer.body)) as? [String: Any],
                let assets = document["assets"] as? [Any]
            else { throw .invalidRequest("the host refuses the other question") }
            document["assets"] = lie.change(assets)
            guard let body = try? JSONSerialization.data(withJSONObject: document) else {
                throw .invalidRequest("no JSON")
            }
            try receiver.begin(head)
            // `withUnsafeBytes` forgets which kind of error its closure throws.
            let taken = body.withUnsafeBytes { bytes -> Result<Void, DeliveryError> in
                do throws(DeliveryError) {
                    return .success(try receiver.receive(bytes))
                } catch {
                    return .failure(error)
                }
            }
            try taken.get()
        }
    }

    @Test("No lie is installed", arguments: Lie.all)
    func refused(_ lie: Lie) async throws {
        let device = try Device(Self.release("1.3.0"), Self.release("1.4.0"))
        let library = try device.library { $0.seams.transport = LyingHost(lie: lie) }
        var host = try device.host(lie.version, architecture: lie.architecture, os: lie.os)
        host.fallback = lie.fallback
        let asked = host
        let error = await failure { () async throws(DeliveryError) in try await library.install(from: asked).value }
        if lie.code == "integrity" { #expect(error == .integrity(file: "resolve")) }
        #expect(error?.code == lie.code, "\(String(describing: error))")
        #expect(device.proxy.files.isEmpty && library.installed().isEmpty)
    }

    @Test("The truth is", arguments: ["h18p", "h99z"])
    func taken(_ architecture: String) async throws {
        let device = try Device(Self.release("1.4.0"))
        let truth = Lie(testDescription: "", code: "", edit: { $0 })
        let library = try device.library { $0.seams.transport = LyingHost(lie: truth) }
        let installed = try await library.install(from: device.host(architecture: architecture)).value
        #expect(Set(installed.assets.map(\.base)) == ["Decoder", "Sam3"])
    }
}
