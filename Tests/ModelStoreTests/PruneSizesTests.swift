import HostSystem
import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("What versions take on the disk", .waits)
struct StoredSizesTests {
    private let bench: PublishBench

    init() throws {
        bench = try PublishBench()
        for version in ["1.0.0", "1.1.0"] {
            try bench.publish(
                ReleaseFixture(
                    version: version,
                    assets: [
                        "Sam3.aimodel": [
                            "main.mlirb": .pattern(8_192, seed: version == "1.0.0" ? 1 : 2),
                            "shared.bin": .pattern(40_960, seed: 3),
                            "twice.bin": .pattern(40_960, seed: 3),
                        ]
                    ]
                )
            )
        }
    }

    @Test("a shared file counts once, and comes back with the last who has it")
    func sizes() throws {
        let sizes = try StoredSizes(root: bench.root)
        func own(_ path: String) throws -> UInt64 {
            try UInt64(bench.status("Public/models/Sam3/1.0.0/Sam3.aimodel/\(path)").allocated)
        }
        let main = try own("main.mlirb")
        let shared = try own("shared.bin")
        let version = ChangedStore.version("1.0.0")
        let other = ChangedStore.version("1.1.0")
        let one = try sizes.sizes(of: version, of: ChangedStore.model, apparent: 90_112)
        #expect(one == VersionSizes(apparent: 90_112, stored: main + shared, own: main))
        #expect(try sizes.stored([(ChangedStore.model, version), (ChangedStore.model, other)]) == 2 * main + shared)
        #expect(try sizes.reclaimable([version, other], of: ChangedStore.model) == 2 * main + shared)
        #expect(try sizes.reclaimable([], of: ChangedStore.model) == 0)
    }

    @Test("a version without a tree takes nothing, and a store without a document root neither")
    func absent() throws {
        let sizes = try StoredSizes(root: bench.root)
        let none = try sizes.sizes(of: ChangedStore.version("9.9"), of: ChangedStore.model, apparent: 1)
        #expect(none == VersionSizes(apparent: 1, stored: 0, own: 0))
        let empty = try TemporaryFolder()
        #expect(try StoredSizes(root: empty.path).stored([(ChangedStore.model, ChangedStore.version("1.0"))]) == 0)
    }
}
