import ModelCatalog
import Synchronization
import Testing

@testable import ModelStore

@Suite("CatalogFindings: what is wrong, bounded")
struct CatalogFindingsTests {
    private final class Told: Sendable {
        let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func tell(_ finding: Finding) { lines.withLock { $0.append(finding.description) } }
    }

    private func stamp(_ size: Int64) -> FileStamp { FileStamp(modifiedNanoseconds: 1, size: size, inode: 1) }

    @Test("a finding is told once, when it is new, and again when it says something else")
    func toldOnce() {
        let told = Told()
        let findings = CatalogFindings(onFinding: told.tell)
        findings.report("manifests/A/1.json", "cut short")
        findings.report("manifests/A/1.json", "cut short")
        findings.report("manifests/A/1.json", "not JSON")
        #expect(told.all == ["manifests/A/1.json: cut short", "manifests/A/1.json: not JSON"])
        #expect(findings.list().map(\.description) == ["manifests/A/1.json: not JSON"])
        findings.clear("manifests/A/1.json")
        #expect(findings.list().isEmpty)
        findings.report("manifests/A/1.json", "not JSON")
        #expect(told.all.count == 3)
    }

    @Test("findings are sorted by the octets of their paths")
    func sorted() {
        let findings = CatalogFindings()
        for path in ["manifests/b", "top", "manifests/B", "manifests/a/1.json"] { findings.report(path, "x") }
        #expect(findings.list().map(\.path) == ["manifests/B", "manifests/a/1.json", "manifests/b", "top"])
    }

    @Test("what was found in the tree of a version that is not published goes, listed or only counted")
    func unpublished() throws {
        let findings = CatalogFindings(limit: 3)
        let trees = ["Public/models/A/1.0/A.aimodel/x", "Public/models/A/1.0/tokenizer.json", "Public/models/A/2.0/x"]
        for path in ["manifests/A/1.0.json"] + trees + ["Public/models/B/1.0/\u{301}/x"] { findings.report(path, "x") }
        #expect(findings.list().map(\.path) == ["Public/models/A/1.0/A.aimodel/x", trees[1], "manifests/A/1.0.json"])
        #expect(findings.omittedCount == 2)
        let versions = [VersionEntry(version: try #require(Version("2.0")), stamp: stamp(1))]
        let entry = ModelEntry(name: try #require(ModelName("A")), versions: versions)
        findings.dropUnpublished(in: CatalogSnapshot(generation: 1, entries: [entry]))
        #expect(findings.list().map(\.path) == ["manifests/A/1.0.json"])
        #expect(findings.omittedCount == 1)
        findings.dropPublished()
        #expect(findings.count == 1)
    }

    @Test("beyond the limit findings are counted, each once, and told of once as a whole")
    func bounded() {
        let told = Told()
        let findings = CatalogFindings(limit: 1000, onFinding: told.tell)
        for _ in 0..<2 {
            for number in 0..<1500 { findings.report("manifests/M\(number)/1.json", "cut short") }
        }
        #expect(findings.list().count == 1000)
        #expect(findings.omittedCount == 500)
        #expect(findings.count == 1500)
        #expect(told.all.count == 1001)
        findings.clear("manifests/M1499/1.json")
        #expect(findings.omittedCount == 499)
        findings.clear("manifests/M0/1.json")
        findings.report("manifests/M1498/1.json", "cut short")
        #expect(findings.list().count == 1000)
        #expect(findings.omittedCount == 498)
    }

    @Test("a scan of a folder drops what it did not find, but what others found in a file that is still the same")
    func settled() {
        let findings = CatalogFindings()
        findings.report("manifests/A/1.json", "cut short", stamp: stamp(1))
        findings.report("manifests/A/2.json", "cut short", stamp: stamp(1))
        findings.report("manifests/A/3.json", "cut short", stamp: stamp(1))
        findings.report("manifests/A/old", "ignored")
        findings.report("manifests/B/1.json", "of another folder")
        findings.settle("manifests/A", found: [.init(name: "new"): "ignored"]) {
            [.init(name: "1.json", stamp: stamp(1)), .init(name: "2.json", stamp: stamp(2))]
        }
        #expect(findings.list().map(\.path) == ["manifests/A/1.json", "manifests/A/new", "manifests/B/1.json"])
    }

    @Test("a scan drops those beyond the limit as well")
    func settledBeyond() {
        let findings = CatalogFindings(limit: 1)
        findings.report("manifests/A/1.json", "cut short", stamp: stamp(1))
        findings.report("manifests/A/2.json", "cut short", stamp: stamp(1))
        findings.report("manifests/A/3.json", "cut short", stamp: stamp(1))
        findings.settle("manifests/A", found: [:]) {
            [.init(name: "1.json", stamp: stamp(1)), .init(name: "2.json", stamp: stamp(1))]
        }
        #expect(findings.count == 2)
        findings.clear("manifests/A/2.json", stamp: stamp(2))
        #expect(findings.count == 2)
        findings.clear("manifests/A/2.json", stamp: stamp(1))
        #expect(findings.count == 1)
        findings.settle("manifests/A", found: [:]) { [] }
        #expect(findings.count == 0)
    }

    @Test("the findings of a folder go with it")
    func droppedFolders() {
        let findings = CatalogFindings()
        findings.report("manifests/A/1.json", "x")
        findings.report("manifests/B/1.json", "x")
        findings.report("manifests/bad name", "x")
        findings.dropFolders(below: "manifests", except: ["manifests/B"])
        #expect(findings.list().map(\.path) == ["manifests/B/1.json", "manifests/bad name"])
    }
}
