import Foundation
import ModelDelivery
import TestSupport
import Testing

@Suite("Reports: queued, bounded, never in the way")
struct ReportTests {
    /// A host that takes reports, as a transport: it keeps what it was sent.
    private struct Taker: ExchangeTransport {
        let status: Int
        let sent: Box<[ExchangeRequest]>

        func exchange(_ request: ExchangeRequest, _ receiver: any AnswerReceiver) async throws(DeliveryError) {
            sent.update { $0.append(request) }
            guard status != 0 else { throw .network(NetworkFailure(.unreachable, "offline")) }
            try receiver.begin(AnswerHead(status: status, fields: [("Content-Length", "0")]))
        }
    }

    private func installed() async throws -> (device: Device, model: InstalledModel) {
        let device = try Device(.standard())
        var host = try device.host()
        host.device.osBuild = "24A335"
        return (device, try await device.library().install(from: host).value)
    }

    @Test("A report says what was installed, and outlives the process")
    func sent() async throws {
        let (device, model) = try await installed()
        try device.library().report(ModelReport(.loaded, of: model.assets[0], in: model, coldLoadMilliseconds: 1200))
        let sent = Box<[ExchangeRequest]>([])
        let library = try device.library { $0.seams.transport = Taker(status: 202, sent: sent) }
        #expect(try await library.sendReports(to: device.host()) == 1)
        let request = try #require(sent.value.first)
        #expect(request.method == "POST" && request.url.path == "/reports")
        #expect(request.fields.contains { $0.name == "Content-Type" && $0.value == "application/json" })
        let json = try #require(JSONSerialization.jsonObject(with: Data(request.body)) as? [[String: Any]])
        #expect(json.count == 1)
        #expect(json[0]["outcome"] as? String == "loaded" && json[0]["asset"] as? String == "Sam3.h18p.aimodelc")
        #expect(json[0]["architecture"] as? String == "h18p" && json[0]["osBuild"] as? String == "24A335")
        #expect(json[0]["coldLoadMilliseconds"] as? Int == 1200 && json[0]["device"] as? String == "device-1")
        #expect(try await library.sendReports(to: device.host()) == 0)
        #expect(sent.value.count == 1)
    }

    @Test(
        "What cannot be sent waits; what the host does not take is dropped",
        arguments: [
            (0, 2), (503, 2), (429, 2), (404, 1), (400, 1),
        ]
    )
    func kept(_ status: Int, _ attempts: Int) async throws {
        let (device, model) = try await installed()
        let sent = Box<[ExchangeRequest]>([])
        let library = try device.library { $0.seams.transport = Taker(status: status, sent: sent) }
        library.report(ModelReport(.loadFailed, of: model.assets[0], in: model, errorDomain: "D", errorCode: 7))
        #expect(try await library.sendReports(to: device.host()) == 0)
        #expect(try await library.sendReports(to: device.host()) == 0)
        #expect(sent.value.count == attempts)
    }

    @Test("A hundred wait at most; the oldest go")
    func bounded() async throws {
        let (device, model) = try await installed()
        let sent = Box<[ExchangeRequest]>([])
        let library = try device.library { $0.seams.transport = Taker(status: 202, sent: sent) }
        for code in 0..<103 {
            library.report(ModelReport(.loadFailed, of: model.assets[0], in: model, errorCode: code))
        }
        #expect(try await library.sendReports(to: device.host()) == 100)
        let json = try JSONSerialization.jsonObject(with: Data(sent.value[0].body)) as? [[String: Any]]
        #expect(json?.compactMap { $0["errorCode"] as? Int } == Array(3..<103))
        #expect(sent.value[0].body.count < 64 << 10)
    }
}
