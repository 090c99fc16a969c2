import HostTelemetry
import ModelCatalog
import TestSupport
import Testing

@testable import HostService
@testable import HostTelemetry

@Suite("Versions by architectures")
struct ModelMatrixTests {
    private func entry(_ versions: [String], record: ModelRecord = .empty) throws -> ModelEntry {
        let stamp = FileStamp(modifiedNanoseconds: 0, size: 0, inode: 0)
        return ModelEntry(
            name: try #require(ModelName("Sam3")),
            versions: try versions.map { VersionEntry(version: try #require(Version($0)), stamp: stamp) },
            record: record
        )
    }

    private func miss(_ version: String, _ architecture: String, asked: Int64 = 1, base: String = "Sam3")
        -> MissingVariant
    {
        MissingVariant(
            model: "Sam3",
            version: version,
            base: base,
            architecture: architecture,
            asked: asked,
            devices: asked,
            answeredPortable: asked,
            first: 0,
            last: 0
        )
    }

    /// Each row as its version and states.
    private func lines(_ matrix: ModelMatrix) -> [String] {
        matrix.rows.map { row in
            "\(row.version): " + row.cells.map { "\($0.architecture) \($0.state)" }.joined(separator: ", ")
        }
    }

    @Test(
        "The state of a cell",
        arguments: [
            (["Sam3.aimodel", "Sam3.h18p.aimodelc"], "h18p", false, "compiled"),
            (["Sam3.aimodel", "Sam3.h18p.aimodelc"], "h18p", true, "compiled"),
            (["Sam3.aimodel"], "h18p", true, "missing"),
            (["Sam3.h16p.aimodelc"], "h18p", true, "missing"),
            (["A.aimodel", "A.h18p.aimodelc", "B.aimodel"], "h18p", false, "partial"),
            (["A.aimodel", "A.h18p.aimodelc", "B.aimodel"], "h18p", true, "missing"),
            (["A.h18p.aimodelc", "B.h16p.aimodelc"], "h18p", false, "none"),
            (["Sam3.aimodel", "Sam3.h16p.aimodelc"], "h16p", false, "compiled"),
        ]
    )
    func state(_ assets: [String], _ architecture: String, _ isAsked: Bool, _ state: String) throws {
        let manifest = try CatalogFixture.release("Sam3", "1.0.0", assets).manifest()
        let misses = isAsked ? [miss("1.0.0", architecture)] : []
        let matrix = ModelMatrix(try entry(["1.0.0"]), misses: misses) { _ in manifest }
        let cell = try #require(matrix.rows.first?.cells.first { $0.architecture.text == architecture })
        #expect(cell.state.rawValue == state)
    }

    @Test("A manifest that cannot be used is a row of its own, and takes no other down")
    func unreadable() throws {
        let manifest = try CatalogFixture.release("Sam3", "1.0.0", ["Sam3.aimodel", "Sam3.h18p.aimodelc"]).manifest()
        let matrix = ModelMatrix(try entry(["1.0.0", "2.0.0"]), misses: []) { version in
            version.version.text == "1.0.0" ? manifest : nil
        }
        #expect(lines(matrix) == ["2.0.0: h18p unknown", "1.0.0: h18p compiled"])
    }

    @Test("The newest twenty, and of the others those that a channel leads to or that a variant is missed of")
    func rows() throws {
        let manifest = try CatalogFixture.release("Sam3", "1.0.0", ["Sam3.aimodel"]).manifest()
        let stable = Channel(
            version: try #require(Version("3.0.0")),
            share: 10,
            history: [PastVersion(version: try #require(Version("2.0.0")), at: CatalogFixture.createdAt)]
        )
        let record = ModelRecord(channels: [try #require(ChannelName("stable")): stable], withdrawals: [])
        let entry = try entry((1...50).map { "\($0).0.0" }, record: record)
        let matrix = ModelMatrix(entry, misses: [miss("5.0.0", "h17p"), miss("99.0.0", "h17p")]) { _ in manifest }
        let versions = matrix.rows.map(\.version.text)
        #expect(versions == (31...50).reversed().map { "\($0).0.0" } + ["5.0.0", "3.0.0", "2.0.0"])
        #expect(matrix.versionsOmitted == 27)
        func channels(_ version: String) -> [String] {
            matrix.rows.first { $0.version.text == version }?.channels.map { "\($0.name) \($0.share)" } ?? []
        }
        #expect(channels("50.0.0") == ["latest 100"])
        #expect(channels("3.0.0") == ["stable 10"])
        #expect(channels("2.0.0") == ["stable 90"])
    }

    @Test("Anyone may ask for architectures that do not exist: so many are columns, those most asked for")
    func columns() throws {
        let manifest = try CatalogFixture.release("Sam3", "1.0.0", ["Sam3.aimodel", "Sam3.h18p.aimodelc"]).manifest()
        let asked = (10..<60).map { miss("1.0.0", "x\($0)", asked: 100 - Int64($0)) }
        let matrix = ModelMatrix(try entry(["1.0.0"]), misses: asked + [miss("1.0.0", "<img>"), miss("1.0.0", "H18")]) {
            _ in manifest
        }
        #expect(matrix.architectures.map(\.text) == ["h18p"] + (10..<26).map { "x\($0)" })
        #expect(matrix.architecturesOmitted == 34)
    }
}
