import Foundation
import ModelDelivery
import TestSupport
import Testing

/// A process that ended: what the seam throws where it did.
private let ended = DeliveryError.fileSystem(operation: "kill", path: "", code: 9)

@Suite("AIModel-Download: a UUID for each download, the same over its whole life, and for nothing else")
struct DownloadTests {
    private static let main = "main.mlirb"

    /// Keeps what it is to send.
    private struct Keeper: ExchangeTransport {
        let sent: Box<[ExchangeRequest]>

        func exchange(_ request: ExchangeRequest, _ receiver: any AnswerReceiver) async throws(DeliveryError) {
            sent.update { $0.append(request) }
            throw .network(NetworkFailure(.unreachable, "offline"))
        }
    }

    /// What the requests that were seen bore, each once, in order.
    private func borne(_ exchanges: [FaultyProxy.Exchange]) -> [String] {
        exchanges.reduce(into: []) { found, exchange in
            let value = exchange.request["aimodel-download"] ?? "none"
            if !found.contains(value) { found.append(value) }
        }
    }

    /// RFC 9562, section 4: version 4 of the variant that it defines, in lower case.
    private func isUUID(_ text: String) -> Bool {
        text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil
    }

    private func recordPath(_ device: Device) -> String {
        device.libraryFolder.path + "/.delivery/staging/Sam3/download.json"
    }

    /// Lets an installation lose its connection within `main.mlirb` and give up; what its requests bore.
    private func begin(_ device: Device, _ host: ModelHost) async throws -> [String] {
        device.proxy.forget()
        device.proxy.setScript { request, _ in request.target.hasSuffix(Self.main) ? .cut(30_000) : .none }
        let library = try device.library { $0.attemptsWithoutProgress = 1 }
        let error = await failure { () async throws(DeliveryError) in try await library.install(from: host).value }
        #expect(error?.code == "network")
        device.proxy.setScript { _, _ in .none }
        defer { device.proxy.forget() }
        return borne(device.proxy.files)
    }

    /// Installs to the end, in a library that knows only its folder; what its requests bore.
    private func finish(_ device: Device, _ host: ModelHost) async throws -> [String] {
        let installed = try await device.library().install(from: host).value
        #expect(try await device.library().verify(installed).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: recordPath(device)))
        defer { device.proxy.forget() }
        return borne(device.proxy.files)
    }

    @Test("Every request for a file bears it, retries too; questions and reports do not", arguments: Carrier.allCases)
    func fields(_ carrier: Carrier) async throws {
        let device = try Device(.standard()) { request, count in
            request.target.hasSuffix("vocab%20list.txt") && count == 0 ? .cut(400) : .none
        }
        let library = try device.library { $0.seams.transport = carrier.transport }
        let host = try device.host()
        let model = try await library.install(from: host).value

        let files = device.proxy.files
        #expect(files.contains { $0.request["range"] == "bytes=400-" })
        let identifiers = borne(files)
        #expect(identifiers.count == 1 && identifiers.allSatisfy(isUUID), "\(identifiers)")
        let documents = device.proxy.seen.filter { $0.request["accept"] == "application/json" }
        #expect(documents.count == 2 && borne(documents) == ["none"])

        let sent = Box<[ExchangeRequest]>([])
        let reporting = try device.library { $0.seams.transport = Keeper(sent: sent) }
        reporting.report(ModelReport(.loaded, of: model.assets[0], in: model))
        _ = await reporting.sendReports(to: host)
        #expect(sent.value.count == 1 && sent.value[0].fields.contains { $0.name == "AIModel-Device" })
        #expect(!sent.value[0].fields.contains { $0.name == "AIModel-Download" })
    }

    @Test("A process that ended within a file: the next one goes on under the same UUID, and the last forgets it")
    func resumed() async throws {
        let device = try Device(.single())
        let host = try device.host()
        let first = try await begin(device, host)
        #expect(first.count == 1 && first.allSatisfy(isUUID), "\(first)")
        #expect(try await begin(device, host) == first)
        #expect(try await finish(device, host) == first)

        let library = try device.library()
        try await library.remove(#require(library.current("Sam3")))
        let again = try await finish(device, host)
        #expect(again.count == 1 && again.allSatisfy(isUUID) && again != first, "\(again)")
    }

    @Test("A process that ended between two files", arguments: [1, 2, 4])
    func between(_ count: Int) async throws {
        let device = try Device(.standard())
        let host = try device.host()
        let reached = Box(0)
        let dying = try device.library {
            $0.concurrentSmallFiles = 1
            $0.seams.reached = { step throws(DeliveryError) in
                guard step == .fileStaged else { return }
                let isTheOne = reached.update { number in
                    number += 1
                    return number == count
                }
                if isTheOne { throw ended }
            }
        }
        #expect(await failure { () async throws(DeliveryError) in try await dying.install(from: host).value } == ended)
        // One of the staged files comes to harm, so that there is something to ask for.
        let staging = URL(fileURLWithPath: recordPath(device)).deletingLastPathComponent()
        let staged = try FileManager.default.contentsOfDirectory(atPath: staging.path).filter { $0.utf8.count == 64 }
        try TemporaryFolder.remove("\(staging.path)/\(#require(staged.first))")
        let first = borne(device.proxy.files)
        device.proxy.forget()
        #expect(first.count == 1)
        #expect(try await finish(device, host) == first)
    }

    @Test("Another version is another download, even where it finishes what the one before began; so is its return")
    func nextVersion() async throws {
        func release(_ version: String) -> ReleaseFixture {
            let assets: [String: ReleaseContent] = [
                Self.main: .pattern(100_000), "metadata.json": .init(stringLiteral: version),
            ]
            return ReleaseFixture(version: version, assets: ["Sam3.aimodel": assets])
        }
        let device = try Device(release("1.4.0"), release("1.5.0"))
        let old = try await begin(device, device.host(.version("1.4.0")))
        let new = try await begin(device, device.host(.version("1.5.0")))
        let oldAgain = try await begin(device, device.host(.version("1.4.0")))
        let newAgain = try await finish(device, device.host(.version("1.5.0")))
        let all = old + new + oldAgain + newAgain
        #expect(all.count == 4 && Set(all).count == 4 && all.allSatisfy(isUUID), "\(all)")
    }

    @Test("Other assets of the same version are another download")
    func otherAssets() async throws {
        let contents: [String: ReleaseContent] = [Self.main: .pattern(100_000)]
        var release = ReleaseFixture.standard()
        release.assets["Sam3.aimodel"] = contents
        let device = try Device(release)
        let portable = try await begin(device, device.host(architecture: "h99z"))
        let compiled = try await finish(device, device.host(architecture: "h18p"))
        #expect(portable.count == 1 && compiled.count == 1 && portable != compiled)
    }

    @Test("What is thrown away is forgotten; its record counts as no byte of a model")
    func reclaimed() async throws {
        let device = try Device(.single())
        let host = try device.host()
        let first = try await begin(device, host)
        #expect(FileManager.default.fileExists(atPath: recordPath(device)))
        #expect(try device.library().storage().unfinished == 30_000)
        #expect(try await device.library().reclaim() == 30_000)
        #expect(!FileManager.default.fileExists(atPath: recordPath(device)))
        let second = try await finish(device, host)
        #expect(first.count == 1 && second.count == 1 && first != second)
    }

    @Test("A repair is a download of its own, and goes on as one")
    func repaired() async throws {
        let device = try Device(.single())
        let host = try device.host()
        let installed = try await device.library().install(from: host).value
        let first = borne(device.proxy.files)
        device.proxy.forget()
        try TemporaryFolder.writeInPlace([1], to: installed.folder.path + "/Sam3.aimodel/" + Self.main)
        device.proxy.setScript { _, count in count == 0 ? .cut(60_000) : .none }
        let dying = try device.library { $0.attemptsWithoutProgress = 1 }
        let error = await failure { () async throws(DeliveryError) in
            try await dying.repair(installed, from: host).value
        }
        #expect(error?.code == "network")
        _ = try await device.library().repair(installed, from: host).value
        #expect(device.proxy.files.map { $0.request["range"] } == [nil, "bytes=60000-"])
        let second = borne(device.proxy.files)
        #expect(second.count == 1 && second.allSatisfy(isUUID) && second != first, "\(first) \(second)")
    }

    /// What may lie in the place of a record, made from what was there.
    enum Oddity: String, CaseIterable, Sendable {
        case nothing, half, otherJSON, upperCase, noUUID, anotherField, endless, folder

        func replacing(_ text: String, _ id: String) -> [UInt8] {
            switch self {
            case .nothing, .folder: []
            case .half: Array(text.utf8.prefix(text.utf8.count / 2))
            case .otherJSON: Array(#"["\#(id)"]"#.utf8)
            case .upperCase: Array(text.replacing(id, with: id.uppercased()).utf8)
            case .noUUID: Array(text.replacing(id, with: "download-1").utf8)
            case .anotherField: Array(text.replacing(id, with: #"\#(id)\r\nAuthorization: x"#).utf8)
            case .endless: Array(text.replacing(id, with: String(repeating: id, count: 1000)).utf8)
            }
        }
    }

    @Test("A record that is of no use is replaced, and nothing fails", arguments: Oddity.allCases)
    func odd(_ oddity: Oddity) async throws {
        let device = try Device(.single())
        let host = try device.host()
        let first = try await begin(device, host)
        let path = recordPath(device)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains(first[0]))
        try TemporaryFolder.remove(path)
        if oddity == .folder {
            try TemporaryFolder.makeFolder(path + "/below")
        } else {
            try TemporaryFolder.write(oddity.replacing(text, first[0]), to: path)
        }
        let second = try await begin(device, host)
        #expect(second.count == 1 && second.allSatisfy(isUUID) && second != first, "\(second)")
        let third = try await finish(device, host)
        // Nothing can be kept where a folder is in the way.
        #expect(third.count == 1 && third.allSatisfy(isUUID) && (third == second) == (oddity != .folder), "\(third)")
    }
}
