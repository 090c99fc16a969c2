import Foundation
import ModelDelivery
import TestSupport
import Testing

@Suite("Installing")
struct InstallTests {
    @Test("A device has the tree of its architecture and the companions, byte for byte, and nothing else")
    func fresh() async throws {
        let release = ReleaseFixture.standard()
        let device = try Device(release)
        let library = try device.library()
        let installed = try await library.install(from: device.host()).value

        #expect(installed.version == "1.4.0" && installed.isCurrent)
        #expect(installed.assets.map(\.name) == ["Sam3.h18p.aimodelc"])
        #expect(installed.assets[0].architecture == "h18p" && !installed.assets[0].isPortable)
        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.h18p.aimodelc"]))
        #expect(
            Set(try device.visibleFiles().keys.filter { !$0.hasPrefix("Sam3/1.4.0/") })
                == ["Sam3/current.json", "Sam3/1.4.0~installed.json"]
        )
        #expect(try await library.verify(installed).isEmpty)
        #expect(library.current("Sam3") == installed)
        #expect(library.storage().unfinished == 0)
    }

    @Test("Every kind of name arrives: spaces, plus, percent, accents, two dots, an empty file, a .gz")
    func names() async throws {
        let release = ReleaseFixture.standard()
        let device = try Device(release)
        let installed = try await device.library().install(from: device.host(architecture: "h99z")).value

        #expect(installed.assets[0].isPortable)
        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.aimodel"]))
    }

    @Test("What is installed already is not fetched again, nor is anything asked for but two documents")
    func again() async throws {
        let device = try Device(.standard())
        let first = try await device.library().install(from: device.host()).value
        device.proxy.forget()
        let second = try await device.library().install(from: device.host()).value

        #expect(second == first)
        #expect(device.proxy.files.isEmpty)
        #expect(device.proxy.seen.count == 2)
    }

    @Test("A new version that shares its weights transfers the changed files only", arguments: [false, true])
    func update(linksFail: Bool) async throws {
        let weights = ReleaseContent.pattern(200_000, seed: 3)
        func release(_ version: String, _ program: String) -> ReleaseFixture {
            ReleaseFixture(
                version: version,
                assets: ["Sam3.aimodel": ["weights.bin": weights, "main.mlirb": .init(stringLiteral: program)]]
            )
        }
        let device = try Device(release("1.4.0", "old"))
        let library = try device.library { $0.seams.linksFail = linksFail }
        let old = try await library.install(from: device.host()).value
        try device.server.store.publish(release("1.5.0", "newer"))
        device.proxy.forget()
        #expect(await eventuallyOffers("1.5.0", device))
        device.proxy.forget()
        let new = try await library.install(from: device.host()).value

        #expect(new.version == "1.5.0")
        #expect(device.proxy.files.map(\.request.target) == ["/models/Sam3/1.5.0/Sam3.aimodel/main.mlirb"])
        #expect(device.proxy.files.reduce(0) { $0 + $1.bodyBytes } == 5)
        #expect(try Device.content(of: new)["Sam3.aimodel/weights.bin"] == weights.bytes)
        #expect(try await library.verify(old).isEmpty)
        #expect(library.previous("Sam3")?.version == "1.4.0")
        // With links the weights are on the disk once.
        #expect(library.storage().total == (linksFail ? 400_008 : 200_008))
    }

    /// Whether the host has noticed a release that was published while it runs.
    private func eventuallyOffers(_ version: String, _ device: Device) async -> Bool {
        await until { (try? device.server.request("GET", "/models/Sam3/\(version)/manifest.json").status) == 200 }
    }

    @Test("A file of an installed version that is damaged is not taken over but fetched")
    func damagedReuse() async throws {
        let device = try Device(.single(version: "1.4.0"))
        let library = try device.library()
        let old = try await library.install(from: device.host()).value
        let path = old.folder.path + "/Sam3.aimodel/main.mlirb"
        var bytes = ReleaseFixture.single().assets["Sam3.aimodel"]?["main.mlirb"]?.bytes ?? []
        bytes[500] ^= 1
        try TemporaryFolder.writeInPlace(bytes, to: path)
        var next = ReleaseFixture.single(version: "1.5.0")
        next.companions = ["notes.txt": "new"]
        try device.server.store.publish(next)
        #expect(await eventuallyOffers("1.5.0", device))
        let new = try await library.install(from: device.host()).value

        #expect(try Device.content(of: new) == next.content(for: ["Sam3.aimodel"]))
        #expect(try await library.verify(old).map(\.fault) == [.wrongContent])
    }

    @Test("Files that are the same are fetched once", arguments: [false, true])
    func duplicates(linksFail: Bool) async throws {
        let same = ReleaseContent.pattern(5000)
        let release = ReleaseFixture(assets: ["Sam3.aimodel": ["a": same, "b/c": same, "b/d": same, "main.mlirb": "x"]])
        let device = try Device(release)
        let library = try device.library { $0.seams.linksFail = linksFail }
        let installation = try library.install(from: device.host())
        let installed = try await installation.value

        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.aimodel"]))
        #expect(device.proxy.files.reduce(0) { $0 + $1.bodyBytes } == 5001)
        let last = await installation.progress.reduce(nil) { $1 }
        #expect(
            last
                == DeliveryProgress(
                    phase: .finished,
                    bytes: 15_001,
                    total: 15_001,
                    bytesPerSecond: last?.bytesPerSecond ?? 0
                )
        )
    }

    @Test("A file of 5 MiB comes by itself, and is whole")
    func large() async throws {
        let release = ReleaseFixture.single(5 << 20)
        let device = try Device(release)
        let installed = try await device.library().install(from: device.host()).value
        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.aimodel"]))
    }

    @Test("A library that was moved is what it was: only relative paths are stored")
    func moved() async throws {
        let device = try Device(.standard())
        let installed = try await device.library().install(from: device.host()).value
        let elsewhere = device.folder.path + "/Elsewhere"
        try FileManager.default.moveItem(atPath: device.libraryFolder.path, toPath: elsewhere)
        let library = try ModelLibrary(folder: URL(fileURLWithPath: elsewhere), options: .testing())
        let current = try #require(library.current("Sam3"))

        #expect(current.folder.path.hasPrefix(elsewhere))
        #expect(current.record == installed.record)
        #expect(try await library.verify(current).isEmpty)
        for (path, bytes) in try Device.files(below: elsewhere) where path.hasSuffix(".json") {
            #expect(!String(decoding: bytes, as: UTF8.self).contains(device.folder.path), "\(path)")
        }
    }

    @Test("The record holds what it takes to rebuild from nothing")
    func record() async throws {
        let device = try Device(.standard())
        var host = try device.host(.channel("latest"))
        host.device.osBuild = "24A335"
        let record = try await device.library().install(from: host).value.record

        #expect(record.model == "Sam3" && record.version == "1.4.0" && record.architecture == "h18p")
        #expect(record.osBuild == "24A335" && record.osVersion == "27.1")
        #expect(record.assets.map(\.name) == ["Sam3.h18p.aimodelc"] && record.assets[0].architecture == "h18p")
        #expect(record.assets[0].digest.hasPrefix("sha256:"))
        #expect(try JSONDecoder().decode(RebuildRecord.self, from: JSONEncoder().encode(record)) == record)
    }

    @Test("Availability says what there is, what is to transfer and whether it fits, and transfers nothing")
    func availability() async throws {
        let device = try Device(.standard())
        let library = try device.library { $0.seams.freeBytes = { _ in 1000 } }
        let before = try await library.availability(of: device.host())
        #expect(before.offer.version == "1.4.0" && !before.isInstalled && !before.fits)
        #expect(before.bytesToTransfer == before.offer.size && before.availableBytes == 1000)
        #expect(device.proxy.files.isEmpty)

        _ = try await device.library().install(from: device.host()).value
        let after = try await library.availability(of: device.host())
        #expect(after.isInstalled && after.bytesToTransfer == 0 && after.fits)
        #expect(!after.offer.updateAvailable)
    }

    @Test("Two installations of one model into one library: the second is told so, the first goes on")
    func busy() async throws {
        let device = try Device(.standard())
        let second = Box<DeliveryError?>(nil)
        let library = try device.library()
        let host = try device.host()
        // In the midst of the first, from a library object of another process.
        let other = try device.library()
        let first = try device.library {
            $0.seams.transport = Detour {
                second.value == nil && $0.url.path.contains("metadata.json")
            } before: {
                let error = await failure { () async throws(DeliveryError) in try await other.install(from: host).value
                }
                second.update { $0 = error }
            }
        }
        _ = try await first.install(from: host).value
        #expect(second.value == .busy(model: "Sam3"))
        #expect(library.current("Sam3") != nil)
    }
}

/// The system's transport, with something done before the first request of a kind.
struct Detour: ExchangeTransport {
    let isWanted: @Sendable (ExchangeRequest) -> Bool
    let before: @Sendable () async -> Void

    init(_ isWanted: @escaping @Sendable (ExchangeRequest) -> Bool, before: @escaping @Sendable () async -> Void) {
        self.isWanted = isWanted
        self.before = before
    }

    func exchange(_ request: ExchangeRequest, _ receiver: any AnswerReceiver) async throws(DeliveryError) {
        if isWanted(request) { await before() }
        try await SystemTransport.shared.exchange(request, receiver)
    }
}
