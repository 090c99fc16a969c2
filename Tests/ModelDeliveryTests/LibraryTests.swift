import Foundation
import ModelCatalog
import ModelDelivery
import TestSupport
import Testing

@Suite("What is installed: rollback, verify, repair, reclaim, remove")
struct LibraryTests {
    private func twoVersions() async throws -> (device: Device, library: ModelLibrary) {
        let device = try Device(.standard(version: "1.4.0", seed: 1), .standard(version: "1.5.0", seed: 100))
        let library = try device.library()
        _ = try await library.install(from: device.host(.version("1.4.0"))).value
        _ = try await library.install(from: device.host(.version("1.5.0"))).value
        return (device, library)
    }

    @Test("Rollback leads to the version before, and back again")
    func rollback() async throws {
        let (device, library) = try await twoVersions()
        defer { withExtendedLifetime(device) {} }
        #expect(library.current("Sam3")?.version == "1.5.0" && library.previous("Sam3")?.version == "1.4.0")
        #expect(try library.rollback("Sam3").version == "1.4.0")
        #expect(library.current("Sam3")?.version == "1.4.0" && library.previous("Sam3")?.version == "1.5.0")
        #expect(try library.rollback("Sam3").version == "1.5.0")
        #expect(library.installed("Sam3").map(\.version) == ["1.5.0", "1.4.0"])
    }

    @Test("Without a version before, rollback says so")
    func rollbackOfOne() async throws {
        let device = try Device(.standard())
        let library = try device.library()
        _ = try await library.install(from: device.host()).value
        let error = await failure { () async throws(DeliveryError) in try library.rollback("Sam3") }
        #expect(error == .notInstalled(model: "Sam3", version: nil))
    }

    @Test("Verify names every fault; repair fetches the damaged files and no other", arguments: [false, true])
    func repair(linksFail: Bool) async throws {
        let release = ReleaseFixture.standard()
        let device = try Device(release)
        let library = try device.library { $0.seams.linksFail = linksFail }
        let installed = try await library.install(from: device.host(architecture: "h99z")).value
        let tree = installed.folder.path + "/Sam3.aimodel"
        let program = try #require(release.assets["Sam3.aimodel"]?["main.mlirb"]?.bytes)
        var flipped = program
        flipped[20_000] ^= 0x10
        try TemporaryFolder.writeInPlace(flipped, to: tree + "/main.mlirb")
        #expect(
            try await library.verify(installed)
                == [DamagedFile(path: "Sam3.aimodel/main.mlirb", fault: .wrongContent)]
        )
        device.proxy.forget()
        _ = try await library.repair(installed, from: device.host(architecture: "h99z")).value
        #expect(device.proxy.seen.map(\.bodyBytes) == [program.count])
        #expect(try await library.verify(installed).isEmpty)

        try TemporaryFolder.remove(tree + "/main.hash")
        try TemporaryFolder.writeInPlace([1, 2], to: tree + "/odd/empty")
        try TemporaryFolder.remove(tree + "/odd/v1..2.bin")
        try TemporaryFolder.makeFolder(tree + "/odd/v1..2.bin")
        #expect(
            try await library.verify(installed) == [
                DamagedFile(path: "Sam3.aimodel/main.hash", fault: .missing),
                DamagedFile(path: "Sam3.aimodel/odd/empty", fault: .wrongSize(2)),
                DamagedFile(path: "Sam3.aimodel/odd/v1..2.bin", fault: .missing),
            ]
        )
        _ = try await library.repair(installed, from: device.host(architecture: "h99z")).value
        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.aimodel"]))
        #expect(library.storage().unfinished == 0)
    }

    @Test("What the manifest does not name is damage too: verify sees it, repair and install take it out")
    func surplus() async throws {
        let release = ReleaseFixture.standard()
        let device = try Device(release)
        let library = try device.library()
        let installed = try await library.install(from: device.host()).value
        let tree = installed.folder.path
        let host = try device.host()
        for again in [false, true] {
            try TemporaryFolder.write([1], to: tree + "/Sam3.h18p.aimodelc/other.mlirb")
            try TemporaryFolder.write([2], to: tree + "/Sam3.h16p.aimodelc/main.hash")
            try FileManager.default.createSymbolicLink(atPath: tree + "/link", withDestinationPath: "/")
            #expect(
                try await library.verify(installed) == [
                    DamagedFile(path: "Sam3.h16p.aimodelc", fault: .unexpected),
                    DamagedFile(path: "Sam3.h18p.aimodelc/other.mlirb", fault: .unexpected),
                    DamagedFile(path: "link", fault: .unexpected),
                ]
            )
            device.proxy.forget()
            _ = try await again ? library.install(from: host).value : library.repair(installed, from: host).value
            #expect(try Device.content(of: installed) == release.content(for: ["Sam3.h18p.aimodelc"]))
            #expect(try await library.verify(installed).isEmpty)
            #expect(device.proxy.files.isEmpty)
        }
    }

    @Test("A link in the place of a folder is no part of the tree, whatever it leads to")
    func linkedFolder() async throws {
        let release = ReleaseFixture.standard()
        let device = try Device(release)
        let library = try device.library()
        let installed = try await library.install(from: device.host()).value
        let asset = installed.folder.path + "/Sam3.h18p.aimodelc"
        let elsewhere = device.folder.path + "/elsewhere"
        try FileManager.default.moveItem(atPath: asset, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: asset, withDestinationPath: elsewhere)
        #expect(
            try await library.verify(installed).contains(DamagedFile(path: "Sam3.h18p.aimodelc", fault: .unexpected))
        )
        let kept = try Device.files(below: elsewhere)
        _ = try await library.repair(installed, from: device.host()).value
        #expect(try await library.verify(installed).isEmpty)
        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.h18p.aimodelc"]))
        #expect(try Device.files(below: elsewhere) == kept)
    }

    @Test("An installed version that was damaged is put right by the next installation", arguments: ["", "x"])
    func damagedInstalled(_ content: String) async throws {
        let release = ReleaseFixture.single()
        let device = try Device(release)
        let library = try device.library()
        let installed = try await library.install(from: device.host()).value
        let path = installed.folder.path + "/Sam3.aimodel/main.mlirb"
        if content.isEmpty {
            try TemporaryFolder.remove(path)
        } else {
            var bytes = release.content(for: ["Sam3.aimodel"])["Sam3.aimodel/main.mlirb"] ?? []
            bytes[99_999] ^= 0x80
            try TemporaryFolder.writeInPlace(bytes, to: path)
        }
        device.proxy.forget()
        #expect(try await library.install(from: device.host()).value == installed)
        #expect(try Device.content(of: installed) == release.content(for: ["Sam3.aimodel"]))
        #expect(device.proxy.files.map(\.bodyBytes) == [100_000])
        #expect(library.storage().unfinished == 0)
    }

    @Test("A repair does not write into what another version shares")
    func repairOfShared() async throws {
        let weights = ReleaseContent.pattern(50_000)
        func release(_ version: String) -> ReleaseFixture {
            ReleaseFixture(
                version: version,
                assets: ["Sam3.aimodel": ["w": weights, "main.mlirb": .init(stringLiteral: version)]]
            )
        }
        let device = try Device(release("1.4.0"), release("1.5.0"))
        let library = try device.library()
        let old = try await library.install(from: device.host(.version("1.4.0"))).value
        let new = try await library.install(from: device.host(.version("1.5.0"))).value
        try TemporaryFolder.writeInPlace([0], to: new.folder.path + "/Sam3.aimodel/w")
        // One file with two names: both are damaged, and each is put right by itself.
        #expect(try await library.verify(old).count == 1)
        _ = try await library.repair(new, from: device.host(.version("1.5.0"))).value
        #expect(try await library.verify(new).isEmpty)
        #expect(try await library.verify(old).map(\.path) == ["Sam3.aimodel/w"])
        device.proxy.forget()
        _ = try await library.repair(old, from: device.host(.version("1.4.0"))).value
        #expect(try await library.verify(old).isEmpty)
        // The whole one of the other version served.
        #expect(device.proxy.files.isEmpty)
    }

    @Test("Reclaim leaves the current and the previous version, and takes what was never finished")
    func reclaim() async throws {
        let device = try Device(
            .standard(version: "1.3.0", seed: 1),
            .standard(version: "1.4.0", seed: 50),
            .standard(version: "1.5.0", seed: 100)
        )
        let library = try device.library()
        for version in ["1.3.0", "1.4.0", "1.5.0"] {
            _ = try await library.install(from: device.host(.version(version))).value
        }
        try TemporaryFolder.write([1, 2, 3], to: device.libraryFolder.path + "/.delivery/staging/Other/ab.part")
        let before = library.storage()
        #expect(before.unfinished == 3 && before.installed.count == 3)
        let freed = try await library.reclaim()

        #expect(library.installed().map(\.version) == ["1.5.0", "1.4.0"])
        #expect(freed == before.installed.first { $0.version == "1.3.0" }.map { $0.reclaimable + 3 })
        #expect(library.storage().unfinished == 0)
        _ = try await library.reclaim("Sam3", keepingPrevious: false)
        #expect(library.installed().map(\.version) == ["1.5.0"])
        #expect(try await library.verify(#require(library.current("Sam3"))).isEmpty)
        #expect(try Device.files(below: device.libraryFolder.path + "/.delivery/trash").isEmpty)
    }

    @Test("Remove takes the files, the record and the pointer's mention")
    func remove() async throws {
        let (device, library) = try await twoVersions()
        try await library.remove(#require(library.current("Sam3")))
        #expect(library.current("Sam3") == nil)
        #expect(library.previous("Sam3")?.version == "1.4.0")
        try await library.remove(#require(library.previous("Sam3")))
        #expect(library.installed().isEmpty && library.storage().total == 0)
        #expect(try device.visibleFiles().keys.sorted() == ["Sam3/current.json"])
    }

    @Test("Sizes: what versions share counts once in all, and is not reclaimable by removing one of them")
    func storage() async throws {
        let weights = ReleaseContent.pattern(50_000)
        func release(_ version: String) -> ReleaseFixture {
            ReleaseFixture(
                version: version,
                assets: ["Sam3.aimodel": ["w": weights, "main.mlirb": .init(stringLiteral: version)]]
            )
        }
        let device = try Device(release("1.4.0"), release("1.5.0"))
        let library = try device.library()
        for version in ["1.4.0", "1.5.0"] { _ = try await library.install(from: device.host(.version(version))).value }
        let use = library.storage()
        #expect(use.total == 50_010)
        #expect(use.installed.map(\.size) == [50_005, 50_005] && use.installed.map(\.reclaimable) == [5, 5])
        #expect(use.installed.map(\.isCurrent) == [true, false])
    }

    @Test("After a restore from a backup the records tell what is missing")
    func restored() async throws {
        let (device, library) = try await twoVersions()
        for version in ["1.4.0", "1.5.0"] { try TemporaryFolder.remove(device.libraryFolder.path + "/Sam3/\(version)") }
        #expect(library.installed().isEmpty && library.current("Sam3") == nil)
        let records = library.rebuildRecords()
        #expect(Set(records.map(\.version)) == ["1.4.0", "1.5.0"])
        _ = try await library.install(from: device.host(.version("1.4.0"))).value
        #expect(library.current("Sam3")?.version == "1.4.0")
        #expect(library.rebuildRecords().map(\.version) == ["1.5.0"])
    }

    @Test("One version, another choice of assets, after one architecture was withdrawn: both stand, each whole")
    func otherAssets() async throws {
        let release = ReleaseFixture.standard()
        let device = try Device(release)
        let library = try device.library()
        let compiled = try await library.install(from: device.host()).value
        let portable = try await library.install(from: device.host(architecture: "h99z")).value
        #expect(compiled.version == portable.version && compiled.folder != portable.folder)
        #expect(library.current("Sam3") == portable)
        #expect(try await library.verify(compiled).isEmpty)
        #expect(try await library.verify(portable).isEmpty)
        #expect(try library.rollback("Sam3").assets == compiled.assets)
    }

    @Test(
        "Records that nobody can believe are no installation",
        arguments: [
            "", "{", #"{"schemaVersion":2}"#, #"{"schemaVersion":1,"rebuild":{},"files":[]}"#,
        ]
    )
    func damagedRecord(_ text: String) async throws {
        let device = try Device(.standard())
        let library = try device.library()
        _ = try await library.install(from: device.host()).value
        try TemporaryFolder.write(Array(text.utf8), to: device.libraryFolder.path + "/Sam3/1.4.0~installed.json")
        #expect(library.installed().isEmpty && library.current("Sam3") == nil)
        // The tree is whole still: it is hashed and taken, not fetched.
        device.proxy.forget()
        _ = try await library.install(from: device.host()).value
        #expect(library.current("Sam3") != nil && device.proxy.files.isEmpty)
    }

    @Test("A record with a path that leads out of the tree is not followed")
    func hostileRecord() async throws {
        let device = try Device(.standard())
        let library = try device.library()
        let installed = try await library.install(from: device.host()).value
        let path = device.libraryFolder.path + "/Sam3/1.4.0~installed.json"
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        try TemporaryFolder.write(
            Array(text.replacingOccurrences(of: "tokenizer/tokenizer.json", with: "../../current.json").utf8),
            to: path
        )
        let error = await failure { () async throws(DeliveryError) in try await library.verify(installed) }
        #expect(error?.code == "integrity")
    }
}
