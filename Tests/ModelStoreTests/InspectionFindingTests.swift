import ModelStore
import TestSupport
import Testing

@Suite("A build's folder with one fault")
struct InspectionFindingTests {
    @Test("The fault is named, where it is, and nothing else is", arguments: InspectionFindingCase.all)
    func fault(_ given: InspectionFindingCase) throws {
        let inspection = try given.folder.inspect()
        #expect(inspection.outline == given.found)
        #expect((inspection.plan == nil) == given.found.contains { $0.hasPrefix("error") })
        for finding in inspection.findings {
            // One line that says what to do: two halves at least.
            #expect(finding.message.contains(";") || finding.id == .caseCollision)
            #expect(!finding.message.contains("\n"))
        }
    }

    @Test(
        "--allow turns the errors of a fault into warnings, but those that are never allowed",
        arguments: InspectionFindingCase.all
    )
    func allowed(_ given: InspectionFindingCase) throws {
        let inspection = try given.folder.inspect(ReleaseOptions(allowed: Set(FindingID.allCases)))
        let never = given.found.contains { $0.hasPrefix("error unsafe-") }
        #expect(inspection.outline == given.found.map { never ? $0 : $0.replacingError() })
        #expect((inspection.plan == nil) == never)
    }

    @Test("Every id of the table has a fault above, but the one of a full disk")
    func complete() {
        let found = Set(InspectionFindingCase.all.flatMap(\.found).map { $0.split(separator: " ")[1] })
        #expect(found == Set(FindingID.allCases.filter { $0 != .notEnoughSpace }.map { Substring($0.rawValue) }))
    }

    @Test("Which findings only warn, and which are never allowed")
    func properties() {
        #expect(FindingID.allCases.filter(\.isWarning) == [.unknownArchitecture, .emptyFile, .systemJunk])
        #expect(FindingID.allCases.filter { !$0.mayBeAllowed } == [.unsafeEntry, .unsafeName])
    }

    @Test("To allow one finding allows no other")
    func onlyThat() throws {
        var folder = InspectionFolder.sound()
        folder.files["Sam3.aimodel/main.hash"] = nil
        folder.files["Text.aimodel"] = "x"
        let inspection = try folder.inspect(ReleaseOptions(allowed: [.missingHash]))
        #expect(
            inspection.outline == ["warning missing-hash Sam3.aimodel/main.hash", "error not-a-bundle Text.aimodel"]
        )
        #expect(inspection.plan == nil)
    }

    @Test(
        "What is let pass although no asset comes of it is missing all the same",
        arguments: [
            ("Sam3.aimodel", "error missing-portable Sam3.aimodel"),
            ("Sam3.h18p.aimodelc", "error missing-architecture Sam3.h18p.aimodelc"),
        ]
    )
    func leftOut(_ asset: String, _ missing: String) throws {
        var folder = InspectionFolder.sound()
        folder.remove(asset)
        var plain = folder
        plain.files[asset] = "x"
        #expect(try plain.inspect().outline == ["error not-a-bundle \(asset)"])
        #expect(
            try plain.inspect(ReleaseOptions(allowed: [.notABundle])).outline
                == [missing, "warning not-a-bundle \(asset)"]
        )
        folder.addFolder(asset)
        #expect(try folder.inspect().outline == ["error empty-asset \(asset)"])
        let allowed = try folder.inspect(ReleaseOptions(allowed: [.emptyAsset]))
        #expect(Set(allowed.outline) == [missing, "warning empty-asset \(asset)"])
        #expect(allowed.plan == nil)
    }

    @Test(
        "A manifest.json that is a Git LFS pointer is a finding, and the others are found, where options say the rest"
    )
    func pointerDocument() throws {
        var folder = InspectionFolder.sound()
        folder.files["manifest.json"] = .pointer
        folder.files["Sam3.aimodel/main.hash"] = nil
        let found = try folder.inspect(ReleaseOptions(model: "Sam3", version: "1"))
        #expect(found.outline == ["error missing-hash Sam3.aimodel/main.hash", "error not-a-program manifest.json"])
        #expect(found.plan == nil)
        // Without them nobody knows what is to be published; that is not said to be missing from the options.
        let error = try #require(throws: InspectionError.self) {
            try folder.inspect(ReleaseOptions(model: "Sam3"))
        }
        guard case .badDocument(_, let reason) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.contains("git lfs pull"))
    }

    @Test("Something else than a file in the place of manifest.json is refused, and nothing is read from it")
    func document() throws {
        let options = ReleaseOptions(model: "Sam3", version: "1")
        var folder = InspectionFolder.sound()
        folder.files["manifest.json"] = nil
        folder.files["manifest.json/a"] = "x"
        #expect(try folder.inspect(options).outline == ["error unsafe-name manifest.json"])
        folder.files["manifest.json/a"] = nil
        folder.link("manifest.json", to: "metadata.json")
        #expect(try folder.inspect(options).outline == ["error unsafe-entry manifest.json"])
    }

    @Test("All faults at once are all told of, sorted by path and then by id")
    func allAtOnce() throws {
        var folder = InspectionFolder.sound()
        folder.addCompiled("Text", "h16p")
        folder.addCompiled("Nameless", "h16p")
        folder.move("Nameless.h16p.aimodelc", to: "Nameless.aimodelc")
        folder.addCompiled("Sam3", "m5x")
        folder.remove("Sam3.m5x.aimodelc/main-m5x-delegates")
        folder.setDocument(architectures: ["h16p", "h17p", "m5x"])
        folder.files["Sam3.aimodel/main.mlirb"] = nil
        folder.files["Sam3.aimodel/main.hash"] = "abc"
        folder.files["Sam3.aimodel/metadata.json"] = "{}"
        folder.files["Sam3.h16p.aimodelc/main-h16p.mlirb"] = .pointer
        folder.files["Sam3.h16p.aimodelc/main.hash"] = nil
        folder.files["Sam3.h18p.aimodelc/main-h16p.mlirb"] = .program()
        folder.files["metadata.json"] = #"{"assets":{"main":"Sam2.aimodel"}}"#
        folder.addFolder("Empty.aimodel")
        folder.files["Plain.aimodel"] = "x"
        folder.add(program: "main.mlirb", to: "models/Deep.aimodel")
        folder.link("link", to: "/etc/passwd")
        folder.files["bell\u{7}"] = ""
        folder.files["tokenizer/.DS_Store"] = "x"
        folder.files["tokenizer/Tokenizer.json"] = "{}"
        folder.files["tokenizer/empty"] = ""

        let inspection = try folder.inspect()
        #expect(
            inspection.outline == [
                "error empty-asset Empty.aimodel",
                "error no-architecture-in-name Nameless.aimodelc",
                "error not-a-bundle Plain.aimodel",
                "error hash-mismatch Sam3.aimodel/main.hash",
                "error missing-program Sam3.aimodel/main.mlirb",
                "error unsupported-asset-version Sam3.aimodel/metadata.json",
                "error not-a-program Sam3.h16p.aimodelc/main-h16p.mlirb",
                "error missing-hash Sam3.h16p.aimodelc/main.hash",
                "error missing-architecture Sam3.h17p.aimodelc",
                "error unlisted-architecture Sam3.h18p.aimodelc",
                "error architecture-mismatch Sam3.h18p.aimodelc/main-h16p.mlirb",
                "warning unknown-architecture Sam3.m5x.aimodelc",
                "error missing-delegates Sam3.m5x.aimodelc/main-m5x-delegates",
                "error missing-portable Text.aimodel",
                "error missing-architecture Text.h17p.aimodelc",
                "error missing-architecture Text.m5x.aimodelc",
                #"error unsafe-name bell\u{7}"#,
                "error unsafe-entry link",
                "error unresolved-asset metadata.json",
                "error nested-asset models/Deep.aimodel",
                "warning system-junk tokenizer/.DS_Store",
                "warning empty-file tokenizer/empty",
                "error case-collision tokenizer/tokenizer.json",
            ]
        )
        #expect(Set(inspection.findings.map(\.id)) == Set(FindingID.allCases).subtracting([.notEnoughSpace]))
        #expect(inspection.plan == nil)
    }
}

extension String {
    fileprivate func replacingError() -> String {
        hasPrefix("error ") ? "warning " + dropFirst("error ".count) : self
    }
}
