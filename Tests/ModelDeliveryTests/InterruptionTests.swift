import Foundation
import ModelCatalog
import ModelDelivery
import TestSupport
import Testing

/// A process that ended: what the seam throws where it did.
private let ended = DeliveryError.fileSystem(operation: "kill", path: "", code: 9)

@Suite("A process may end at any instant: each version is whole or absent, and nothing is fetched twice")
struct InterruptionTests {
    /// Ends the installation when `step` is reached for the n-th time.
    private func library(_ device: Device, endingAt step: InstallStep, _ count: Int) throws -> ModelLibrary {
        let reached = Box(0)
        return try device.library {
            $0.concurrentSmallFiles = 1
            $0.seams.reached = { now throws(DeliveryError) in
                guard now == step,
                    reached.update({
                        $0 += 1; return $0
                    }) == count
                else { return }
                throw ended
            }
        }
    }

    @Test("Between every step of a first installation", arguments: InstallStep.allCases, [1, 2, 4])
    func first(_ step: InstallStep, _ count: Int) async throws {
        let release = ReleaseFixture.standard()
        let device = try Device(release)
        let wanted = release.content(for: ["Sam3.h18p.aimodelc"])
        let dying = try library(device, endingAt: step, count)
        let host = try device.host()
        let error = await failure { () async throws(DeliveryError) in try await dying.install(from: host).value }
        // A step that comes once is not reached a second time.
        #expect(error == ended || (count > 1 && step != .fileStaged && error == nil))

        try expectWhole(device, ["1.4.0": wanted])
        if error != nil, step != .pointed { #expect(try device.library().current("Sam3") == nil) }

        let installed = try await device.library().install(from: host).value
        #expect(try Device.content(of: installed) == wanted)
        #expect(device.proxy.files.reduce(0) { $0 + $1.bodyBytes } == wanted.values.reduce(0) { $0 + $1.count })
        #expect(try device.library().storage().unfinished == 0)
    }

    @Test("Between every step of an update: the version in use is untouched", arguments: InstallStep.allCases)
    func update(_ step: InstallStep) async throws {
        let old = ReleaseFixture.standard(version: "1.4.0", seed: 1)
        let new = ReleaseFixture.standard(version: "1.5.0", seed: 100)
        let contents = [
            "1.4.0": old.content(for: ["Sam3.h18p.aimodelc"]), "1.5.0": new.content(for: ["Sam3.h18p.aimodelc"]),
        ]
        let device = try Device(old, new)
        _ = try await device.library().install(from: device.host(.version("1.4.0"))).value
        let dying = try library(device, endingAt: step, 1)
        let host = try device.host(.version("1.5.0"))
        let error = await failure { () async throws(DeliveryError) in try await dying.install(from: host).value }
        #expect(error == ended)
        let between = try device.library()
        #expect(between.current("Sam3")?.version == (step == .pointed ? "1.5.0" : "1.4.0"))
        try expectWhole(device, contents)

        let installed = try await between.install(from: host).value
        #expect(installed.version == "1.5.0" && between.previous("Sam3")?.version == "1.4.0")
        try expectWhole(device, contents)
    }

    @Test(
        "Where there are no links, a tree that was never finished gives its files back",
        arguments: [
            InstallStep.assembled, .synced, .renamed,
        ]
    )
    func withoutLinks(_ step: InstallStep) async throws {
        let release = ReleaseFixture.standard()
        let device = try Device(release)
        let host = try device.host()
        let dying = try device.library {
            $0.seams.linksFail = true
            $0.seams.reached = { now throws(DeliveryError) in if now == step { throw ended } }
        }
        #expect(await failure { () async throws(DeliveryError) in try await dying.install(from: host).value } == ended)
        let before = device.proxy.files.reduce(0) { $0 + $1.bodyBytes }
        let installed = try await device.library { $0.seams.linksFail = true }.install(from: host).value

        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.h18p.aimodelc"]))
        #expect(device.proxy.files.reduce(0) { $0 + $1.bodyBytes } == before)
    }

    @Test("A tree without a record is looked at before it is believed", arguments: [true, false])
    func orphan(isDamaged: Bool) async throws {
        let release = ReleaseFixture.standard()
        let device = try Device(release)
        let first = try await device.library().install(from: device.host()).value
        let root = device.libraryFolder.path
        try TemporaryFolder.remove("\(root)/Sam3/1.4.0~installed.json")
        try TemporaryFolder.remove("\(root)/Sam3/current.json")
        if isDamaged {
            try TemporaryFolder.writeInPlace([1], to: first.folder.path + "/Sam3.h18p.aimodelc/stats.json")
        }
        device.proxy.forget()
        let library = try device.library()
        #expect(library.installed().isEmpty)
        let host = try device.host()
        if isDamaged {
            // Whose it is nobody knows: it is not believed, and not removed either.
            let before = try device.visibleFiles()
            let error = await failure { () async throws(DeliveryError) in try await library.install(from: host).value }
            #expect(error == .fileSystem(operation: "replace", path: first.folder.path, code: EEXIST))
            #expect(try device.visibleFiles() == before && library.installed().isEmpty)
        } else {
            let again = try await library.install(from: host).value
            #expect(try Device.content(of: again) == release.content(for: ["Sam3.h18p.aimodelc"]))
        }
        #expect(device.proxy.files.isEmpty)
    }

    @Test(
        "What stands in the place of a version and is not its tree is left alone, and said before anything is fetched",
        arguments: ["1.4.0/precious.txt", "1.4.0", ""]
    )
    func foreign(_ path: String) async throws {
        let device = try Device(.standard())
        let library = try device.library()
        let place = device.libraryFolder.path + "/Sam3"
        let file = path.isEmpty ? place : "\(place)/\(path)"
        try TemporaryFolder.write([1, 2, 3], to: file)
        let host = try device.host()
        let error = await failure { () async throws(DeliveryError) in try await library.install(from: host).value }
        #expect(error == .fileSystem(operation: "replace", path: path.isEmpty ? place : place + "/1.4.0", code: EEXIST))
        #expect(error.map { "\($0)".contains("move it away") } == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data([1, 2, 3]))
        #expect(device.proxy.files.isEmpty)
    }

    @Test("A tree without a record that holds more than the manifest names is not accepted")
    func orphanWithSurplus() async throws {
        let device = try Device(.standard())
        let first = try await device.library().install(from: device.host()).value
        try TemporaryFolder.remove(device.libraryFolder.path + "/Sam3/1.4.0~installed.json")
        try TemporaryFolder.write([1], to: first.folder.path + "/Sam3.h18p.aimodelc/other.mlirb")
        let library = try device.library()
        let host = try device.host()
        let error = await failure { () async throws(DeliveryError) in try await library.install(from: host).value }
        #expect(error == .fileSystem(operation: "replace", path: first.folder.path, code: EEXIST))
    }

    @Test("An empty folder in the place of a version is nobody's")
    func emptyFolder() async throws {
        let release = ReleaseFixture.standard()
        let device = try Device(release)
        try TemporaryFolder.makeFolder(device.libraryFolder.path + "/Sam3/1.4.0")
        let installed = try await device.library().install(from: device.host()).value
        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.h18p.aimodelc"]))
    }

    @Test(
        "A partial that is longer than its file, or as long and wrong, is no help and no harm",
        arguments: [
            100_000, 100_001, 1,
        ]
    )
    func wrongPartial(_ count: Int) async throws {
        let release = ReleaseFixture.single()
        let device = try Device(release)
        let manifest = try release.manifest()
        let digest = manifest.assets[0].files[0].digest.hex
        try TemporaryFolder.write(
            [UInt8](repeating: 0xAA, count: count),
            to: device.libraryFolder.path + "/.delivery/staging/Sam3/\(digest).part"
        )
        let installed = try await device.library().install(from: device.host()).value
        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.aimodel"]))
    }

    @Test("What one version began, the next one finishes: partials are known by their content")
    func carriedOver() async throws {
        let weights = ReleaseContent.pattern(100_000)
        func release(_ version: String) -> ReleaseFixture {
            ReleaseFixture(
                version: version,
                assets: ["Sam3.aimodel": ["main.mlirb": weights, "metadata.json": .init(stringLiteral: version)]]
            )
        }
        let device = try Device(release("1.4.0"), release("1.5.0")) { request, _ in
            request.target.hasSuffix("1.4.0/Sam3.aimodel/main.mlirb") ? .cut(60_000) : .none
        }
        let host = try device.host(.version("1.4.0"))
        let library = try device.library { $0.attemptsWithoutProgress = 1 }
        _ = await failure { () async throws(DeliveryError) in try await library.install(from: host).value }
        device.proxy.forget()
        let installed = try await library.install(from: device.host(.version("1.5.0"))).value
        #expect(installed.version == "1.5.0")
        #expect(device.proxy.files.first { $0.request.target.hasSuffix("main.mlirb") }?.bodyBytes == 40_000)
    }

    @Test("A file that was taken from an installed version, which is then damaged, is hashed before it is installed")
    func damagedAfterAdoption() async throws {
        let weights = ReleaseContent.pattern(100_000)
        func release(_ version: String) -> ReleaseFixture {
            ReleaseFixture(
                version: version,
                assets: ["Sam3.aimodel": ["main.mlirb": weights, "metadata.json": .init(stringLiteral: version)]]
            )
        }
        let device = try Device(release("1.4.0"), release("1.5.0"))
        let old = try await device.library().install(from: device.host(.version("1.4.0"))).value
        let host = try device.host(.version("1.5.0"))
        let dying = try library(device, endingAt: .fileStaged, 1)
        #expect(await failure { () async throws(DeliveryError) in try await dying.install(from: host).value } == ended)
        var bytes = weights.bytes
        bytes[50_000] ^= 1
        try TemporaryFolder.writeInPlace(bytes, to: old.folder.path + "/Sam3.aimodel/main.mlirb")
        let new = try await device.library().install(from: host).value

        #expect(try Device.content(of: new) == release("1.5.0").content(for: ["Sam3.aimodel"]))
        #expect(try await device.library().verify(new).isEmpty)
    }

    @Test("A staged file of the right size and other bytes is fetched anew")
    func wrongWhole() async throws {
        let release = ReleaseFixture.single()
        let device = try Device(release)
        let digest = try release.manifest().assets[0].files[0].digest.hex
        try TemporaryFolder.write(
            [UInt8](repeating: 0xAA, count: 100_000),
            to: device.libraryFolder.path + "/.delivery/staging/Sam3/\(digest)"
        )
        let installed = try await device.library().install(from: device.host()).value
        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.aimodel"]))
        #expect(device.proxy.files.map(\.bodyBytes) == [100_000])
    }

    /// No version that is to be seen is half there.
    private func expectWhole(_ device: Device, _ contents: [String: [String: [UInt8]]]) throws {
        for (version, content) in contents {
            let folder = device.libraryFolder.path + "/Sam3/\(version)"
            guard FileManager.default.fileExists(atPath: folder) else { continue }
            #expect(try Device.files(below: folder) == content)
        }
    }
}
