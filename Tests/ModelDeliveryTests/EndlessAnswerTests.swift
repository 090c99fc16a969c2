import Foundation
import TestSupport
import Testing

@testable import ModelDelivery

@Suite("A host that never comes to an end is left")
struct EndlessAnswerTests {
    private static let chunk = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"

    private static func endless(_ status: String, _ fields: String = "") -> Fault {
        .flood("HTTP/1.1 \(status)\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n", then: chunk)
    }

    /// Whether the proxy could send less than it would have.
    private func expectLeft(_ proxy: FaultyProxy) async {
        #expect(await until { proxy.seen.first.map { $0.bodyBytes > 0 } == true })
        #expect(proxy.seen.allSatisfy { $0.bodyBytes < FaultyProxy.floodLimit })
    }

    @Test(
        "A refusal's body: the refusal is told, the rest not read",
        arguments: ["/resolve", "mlirb"]
    )
    func refusal(_ place: String) async throws {
        let flooded = Box(0)
        let device = try Device(.single()) { request, _ in
            guard request.target.contains(place) else { return .none }
            flooded.update { $0 += 1 }
            return Self.endless("403 Forbidden", "Content-Type: text/plain\r\n")
        }
        let library = try device.library()
        let host = try device.host()
        let error = await failure { () async throws(DeliveryError) in try await library.install(from: host).value }
        guard case .server(let failure) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(failure.status == 403 && flooded.value == 1)
        await expectLeft(device.proxy)
    }

    @Test("A redirect's body: the way on is known, the rest not read")
    func redirect() async throws {
        let release = ReleaseFixture.single()
        let device = try Device(release) { request, count in
            request.target.contains("mlirb") && count == 0
                ? Self.endless("307 Temporary Redirect", "Location: \(request.target)\r\n") : .none
        }
        let library = try device.library()
        let installed = try await library.install(from: device.host()).value
        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.aimodel"]))
        await expectLeft(device.proxy)
    }

    @Test("Interim answers: sixteen are waited for, not more")
    func interim() async throws {
        let device = try Device(.single()) { request, _ in .flood("", then: "HTTP/1.1 102 Processing\r\n\r\n") }
        let host = try device.host()
        let error = await failure { () async throws(DeliveryError) in
            try await host.resolve(options: .testing { $0.attemptsWithoutProgress = 1 })
        }
        guard case .network(let failure) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(failure.cause == .malformedAnswer && failure.detail.contains("16 interim"))
        await expectLeft(device.proxy)
    }

    @Test("A head that comes byte by byte is a silence too")
    func slowHead() async throws {
        // Of a minute: who waits for its end gets none.
        let head = "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 3_000)
        let device = try Device(.single()) { _, _ in .drip(head) }
        let host = try device.host()
        let error = await failure { () async throws(DeliveryError) in
            try await host.resolve(
                options: .testing {
                    $0.attemptsWithoutProgress = 1
                    $0.stallTimeout = .milliseconds(400)
                }
            )
        }
        guard case .network(let failure) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(failure.cause == .stalled)
    }

    @Test("A document has so many bytes and so long, whichever ends first", arguments: [200, 403])
    func allowance(_ status: Int) throws {
        let time = Box(Duration.zero)
        let options = DeliveryOptions.testing {
            $0.seams.now = { time.value }
            $0.stallTimeout = .seconds(30)
        }
        let receiver = DocumentReceiver(limit: 100, options: options)
        func give(_ count: Int) -> DeliveryError? {
            [UInt8](repeating: 0x20, count: count).withUnsafeBytes { bytes in
                do throws(DeliveryError) {
                    try receiver.receive(bytes)
                    return nil
                } catch {
                    return error
                }
            }
        }
        let limit = status == 200 ? 100 : 65_536
        try receiver.begin(AnswerHead(status: status, fields: []))
        #expect(give(limit) == nil && give(1) == BodyAllowance.exceeded)
        #expect(receiver.hasEnough == (status != 200) && receiver.answer.body.count == limit)

        try receiver.begin(AnswerHead(status: status, fields: []))
        time.update { $0 = .seconds(599) }
        #expect(give(1) == nil)
        time.update { $0 = .seconds(600) }
        #expect(give(1) == BodyAllowance.exceeded && receiver.answer.body.count == 1)
    }
}
