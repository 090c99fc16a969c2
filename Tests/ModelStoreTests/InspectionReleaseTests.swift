import Glibc
import HostSystem
import ModelCatalog
import ModelStore
import TestSupport
import Testing

@Suite("A build's folder without a fault, and what is planned")
struct InspectionReleaseTests {
    private func plan(_ folder: InspectionFolder, _ options: ReleaseOptions = ReleaseOptions()) throws -> ReleasePlan {
        let inspection = try folder.inspect(options)
        #expect(inspection.outline == [])
        return try #require(inspection.plan)
    }

    @Test("Every file of a sound release is planned once, in its place, sorted")
    func sound() throws {
        let folder = InspectionFolder.sound()
        let plan = try plan(folder)
        #expect(plan.model.text == "Sam3")
        #expect(plan.version.text == "1.4.0")
        #expect(plan.minDeploymentVersion?.text == "27.0")
        #expect(plan.assets.map(\.name.text) == ["Sam3.aimodel", "Sam3.h16p.aimodelc", "Sam3.h18p.aimodelc"])
        #expect(plan.companions.map(\.source) == ["metadata.json", "tokenizer/tokenizer.json"])
        #expect(plan.companions.map(\.path.text) == plan.companions.map(\.source))
        #expect(plan.hashMismatchAllowed == false)
        let package = "main-h18p-delegates/MPSGraph/mpsExecutable.mpsgraphpackage"
        #expect(
            plan.assets[2].files.map(\.path.text) == [
                "\(package)/manifest.plist", "\(package)/original_model_0.mpsgraph", "\(package)/resources.bin",
                "\(package)/specialized_model_1.mpsgraph", "main-h18p.mlirb", "main.hash", "metadata.json",
                "stats.json",
            ]
        )
        for asset in plan.assets {
            #expect(asset.files.map(\.source) == asset.files.map { "\(asset.name)/\($0.path)" })
            #expect(asset.compile == nil)
        }
        let sources = (plan.assets.flatMap(\.files) + plan.companions)
        #expect(Set(sources.map(\.source)) == Set(folder.files.keys).subtracting(["manifest.json"]))
        for source in sources { #expect(UInt64(source.status.size) == folder.files[source.source]?.size) }
        #expect(plan.size == sources.reduce(0) { $0 + UInt64($1.status.size) })
    }

    @Test("What main.hash says of each program is handed on, true or not")
    func digests() throws {
        var folder = InspectionFolder.sound()
        let other = ContentDigest.sha256(of: [1, 2, 3])
        folder.files["Sam3.h18p.aimodelc/main.hash"] = .bytes(other.bytes)
        let assets = try plan(folder).assets
        #expect(
            assets.map { $0.expectedProgramDigest?.source } == [
                "Sam3.aimodel/main.mlirb", "Sam3.h16p.aimodelc/main-h16p.mlirb", "Sam3.h18p.aimodelc/main-h18p.mlirb",
            ]
        )
        #expect(
            assets.map { $0.expectedProgramDigest?.1 } == [
                folder.files["Sam3.aimodel/main.mlirb"]?.digest,
                folder.files["Sam3.h16p.aimodelc/main-h16p.mlirb"]?.digest, other,
            ]
        )
        #expect(try plan(folder, ReleaseOptions(allowed: [.hashMismatch])).hashMismatchAllowed)
    }

    @Test("With two architectures inside, main.hash speaks of the one in the name")
    func digestOfTwo() throws {
        var folder = InspectionFolder.sound()
        folder.files["Sam3.h18p.aimodelc/main-h16p.mlirb"] = .program()
        let plan = try #require(try folder.inspect(ReleaseOptions(allowed: [.architectureMismatch])).plan)
        #expect(plan.assets[2].expectedProgramDigest?.source == "Sam3.h18p.aimodelc/main-h18p.mlirb")
    }

    @Test("Sound releases of many shapes", arguments: InspectionChange.soundShapes)
    func shapes(_ change: InspectionChange) throws {
        var folder = InspectionFolder.sound()
        change.apply(&folder)
        let plan = try plan(folder)
        let planned = plan.assets.flatMap(\.files) + plan.companions
        #expect(Set(planned.map(\.source)).isSuperset(of: folder.files.keys.filter { $0 != "manifest.json" }))
    }

    @Test("An outer metadata.json may name the portable asset of a base that is compiled only")
    func referenceToPortable() throws {
        var folder = InspectionFolder.sound()
        folder.remove("Sam3.aimodel")
        #expect(try folder.inspect().outline == ["error missing-portable Sam3.aimodel"])
    }

    @Test("The folder may be named by a link, and with a slash behind")
    func linkToFolder() throws {
        var folder = InspectionFolder.sound()
        folder.finishing.append { root in
            guard symlink(root, "\(root)-link") == 0 else { throw Errno.current }
        }
        try folder.withPath { path in
            defer { unlink("\(path)-link") }
            let inspection = try ReleaseInspector.inspect("\(path)-link/", ReleaseOptions())
            #expect(inspection.plan?.folder == "\(path)-link/")
        }
    }

    // MARK: Compile facts

    private static let facts =
        #","compile":{"platform":"iOS","preferredCompute":"gpu","#
        + #""h18p":{"preferredCompute":"neuralEngine","expectFrequentReshapes":true}}"#

    @Test("Compile facts of manifest.json: those of an architecture before those for all, one by one")
    func compileFacts() throws {
        var folder = InspectionFolder.sound()
        folder.setDocument(more: Self.facts)
        #expect(
            try plan(folder).assets.map(\.compile) == [
                CompileFacts(platform: "iOS", preferredCompute: "gpu"),
                CompileFacts(platform: "iOS", preferredCompute: "gpu"),
                CompileFacts(platform: "iOS", preferredCompute: "neuralEngine", expectFrequentReshapes: true),
            ]
        )
    }

    @Test(
        "--compile-info goes before manifest.json, and may be wrapped as there",
        arguments: [
            #"{"platform":"macOS","portable":{"preferredCompute":"cpu"},"note":1}"#,
            #"{"compile":{"platform":"macOS","portable":{"preferredCompute":"cpu"}}}"#,
        ]
    )
    func compileInfo(_ text: String) throws {
        var folder = InspectionFolder.sound()
        folder.setDocument(more: Self.facts)
        let elsewhere = try TemporaryFolder()
        try TemporaryFolder.writeInPlace(Array(text.utf8), to: "\(elsewhere.path)/facts.json")
        let plan = try plan(folder, ReleaseOptions(compileInfo: "\(elsewhere.path)/facts.json"))
        #expect(
            plan.assets.map(\.compile) == [
                CompileFacts(platform: "macOS", preferredCompute: "cpu"),
                CompileFacts(platform: "macOS", preferredCompute: "gpu"),
                CompileFacts(platform: "macOS", preferredCompute: "neuralEngine", expectFrequentReshapes: true),
            ]
        )
    }
}
