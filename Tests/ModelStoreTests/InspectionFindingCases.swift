import Glibc
import HostSystem
import ModelCatalog
import ModelStore
import TestSupport
import Testing

/// A sound release with one fault in it, and what is found.
struct InspectionFindingCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// `error id path`.
    let found: [String]
    let spoil: @Sendable (inout InspectionFolder) -> Void

    init(_ description: String, _ found: String..., spoil: @escaping @Sendable (inout InspectionFolder) -> Void) {
        testDescription = description
        self.found = found
        self.spoil = spoil
    }

    var folder: InspectionFolder {
        var folder = InspectionFolder.sound()
        spoil(&folder)
        return folder
    }

    /// In the order of the table of findings.
    static let all = variants + programs + shapes + names
    private static let compiled = "Sam3.h18p.aimodelc"
    private static let package = "Sam3.h18p.aimodelc/main-h18p-delegates/MPSGraph/mpsExecutable.mpsgraphpackage"

    static let variants: [InspectionFindingCase] = [
        .init("compiled variants and no portable one", "error missing-portable Sam3.aimodel") {
            $0.remove("Sam3.aimodel")
        },
        .init("no portable one of the second base", "error missing-portable Text.aimodel") {
            $0.addCompiled("Text", "h16p")
            $0.addCompiled("Text", "h18p")
        },
        .init("manifest.json lists what is not there", "error missing-architecture Sam3.h17p.aimodelc") {
            $0.setDocument(architectures: ["h16p", "h17p", "h18p"])
        },
        .init("manifest.json lists what is no architecture", "error missing-architecture Sam3.H 1.aimodelc") {
            $0.setDocument(architectures: ["h16p", "h18p", "H 1"])
        },
        .init("one of two bases lacks what manifest.json lists", "error missing-architecture Text.h18p.aimodelc") {
            $0.addPortable("Text")
            $0.addCompiled("Text", "h16p")
        },
        .init("manifest.json does not list what is there", "error unlisted-architecture Sam3.h18p.aimodelc") {
            $0.setDocument(architectures: ["h16p"])
        },
        .init("compiled, and no architecture in the name", "error no-architecture-in-name Sam3.aimodelc") {
            $0.move(compiled, to: "Sam3.aimodelc")
        },
        .init("compiled, and no architecture before the suffix", "error no-architecture-in-name Sam3.H18P.aimodelc") {
            $0.move(compiled, to: "Sam3.H18P.aimodelc")
        },
        .init(
            "another architecture inside than in the name",
            "error architecture-mismatch Sam3.h18p.aimodelc/main-h17p-delegates",
            "error architecture-mismatch Sam3.h18p.aimodelc/main-h17p.mlirb"
        ) {
            $0.remove(compiled)
            $0.addCompiled("Sam3", "h18p", inside: "h17p")
        },
        .init(
            "a second architecture's program",
            "error architecture-mismatch Sam3.h18p.aimodelc/main-h16p.mlirb"
        ) { $0.files["\(compiled)/main-h16p.mlirb"] = .program() },
        .init(
            "another function's program of a second architecture",
            "error architecture-mismatch Sam3.h18p.aimodelc/text-encode-h16p.mlirb"
        ) {
            $0.files["\(compiled)/text-encode-h18p.mlirb"] = .program()
            $0.files["\(compiled)/text-encode-h16p.mlirb"] = .program()
        },
        .init(
            "an architecture's delegates in a portable asset",
            "error architecture-mismatch Sam3.aimodel/main-h18p-delegates"
        ) { $0.files["Sam3.aimodel/main-h18p-delegates/MPSGraph/resources.bin"] = .pattern(10) },
        .init(
            "two architectures under a name that says none",
            "error architecture-mismatch Sam3.aimodelc",
            "error no-architecture-in-name Sam3.aimodelc"
        ) {
            $0.move(compiled, to: "Sam3.aimodelc")
            $0.files["Sam3.aimodelc/main-h16p.mlirb"] = .program()
        },
        .init("an architecture of an unusual form", "warning unknown-architecture Sam3.m5x.aimodelc") {
            $0.addCompiled("Sam3", "m5x")
            $0.setDocument(architectures: ["h16p", "h18p", "m5x"])
        },
    ]

    static let programs: [InspectionFindingCase] = [
        .init("no program in a portable asset", "error missing-program Sam3.aimodel/main.mlirb") {
            $0.files["Sam3.aimodel/main.mlirb"] = nil
        },
        .init("a folder in the program's place", "error missing-program Sam3.aimodel/main.mlirb") {
            $0.files["Sam3.aimodel/main.mlirb"] = nil
            $0.files["Sam3.aimodel/main.mlirb/part"] = .program()
        },
        .init("no program in a compiled asset", "error missing-program Sam3.h18p.aimodelc/main-h18p.mlirb") {
            $0.files["\(compiled)/main-h18p.mlirb"] = nil
        },
        .init("the portable program in a compiled asset", "error missing-program Sam3.h18p.aimodelc/main-h18p.mlirb") {
            $0.files["\(compiled)/main-h18p.mlirb"] = nil
            $0.files["\(compiled)/main.mlirb"] = .program()
        },
        .init("a program without the MLIR magic", "error not-a-program Sam3.aimodel/main.mlirb") {
            $0.files["Sam3.aimodel/main.mlirb"] = .pattern(2000)
        },
        .init("a program cut within the magic", "error not-a-program Sam3.h18p.aimodelc/main-h18p.mlirb") {
            $0.files["\(compiled)/main-h18p.mlirb"] = [0x4D, 0x4C, 0xEF]
        },
        .init("an empty program", "error not-a-program Sam3.aimodel/main.mlirb") {
            $0.files["Sam3.aimodel/main.mlirb"] = ""
        },
        .init("another function's program without the magic", "error not-a-program Sam3.aimodel/encode.mlirb") {
            $0.files["Sam3.aimodel/encode.mlirb"] = "text"
        },
        .init("a program that is a Git LFS pointer", "error not-a-program Sam3.aimodel/main.mlirb") {
            $0.files["Sam3.aimodel/main.mlirb"] = .pointer
        },
        .init("weights that are a Git LFS pointer", "error not-a-program \(package)/resources.bin") {
            $0.files["\(package)/resources.bin"] = .pointer
        },
        .init("a hash that is a Git LFS pointer", "error not-a-program Sam3.aimodel/main.hash") {
            $0.files["Sam3.aimodel/main.hash"] = .pointer
        },
        .init("metadata that is a Git LFS pointer", "error not-a-program Sam3.aimodel/metadata.json") {
            $0.files["Sam3.aimodel/metadata.json"] = .pointer
        },
        .init("a companion that is a Git LFS pointer", "error not-a-program tokenizer/tokenizer.json") {
            $0.files["tokenizer/tokenizer.json"] = .pointer
        },
        .init("an outer metadata.json that is a Git LFS pointer", "error not-a-program metadata.json") {
            $0.files["metadata.json"] = .pointer
        },
        .init("main.hash in hexadecimal digits", "error hash-mismatch Sam3.aimodel/main.hash") {
            $0.files["Sam3.aimodel/main.hash"] = .text(ReleaseContent.program().digest.hex + "\n")
        },
        .init("an empty main.hash", "error hash-mismatch Sam3.h18p.aimodelc/main.hash") {
            $0.files["\(compiled)/main.hash"] = ""
        },
        .init("no main.hash", "error missing-hash Sam3.aimodel/main.hash") { $0.files["Sam3.aimodel/main.hash"] = nil },
        .init("no main.hash in a compiled asset", "error missing-hash Sam3.h18p.aimodelc/main.hash") {
            $0.files["\(compiled)/main.hash"] = nil
        },
        .init("another assetVersion", "error unsupported-asset-version Sam3.aimodel/metadata.json") {
            $0.files["Sam3.aimodel/metadata.json"] = #"{"assetVersion":"2.1"}"#
        },
        .init("an assetVersion that is a number", "error unsupported-asset-version Sam3.aimodel/metadata.json") {
            $0.files["Sam3.aimodel/metadata.json"] = #"{"assetVersion":2.0}"#
        },
        .init("no assetVersion", "error unsupported-asset-version Sam3.h18p.aimodelc/metadata.json") {
            $0.files["\(compiled)/metadata.json"] = "{}"
        },
        .init("metadata that is no JSON", "error unsupported-asset-version Sam3.aimodel/metadata.json") {
            $0.files["Sam3.aimodel/metadata.json"] = #"{"assetVersion":"2.0""#
        },
        .init("empty metadata", "error unsupported-asset-version Sam3.aimodel/metadata.json") {
            $0.files["Sam3.aimodel/metadata.json"] = ""
        },
        .init("a folder in the metadata's place", "error unsupported-asset-version Sam3.aimodel/metadata.json") {
            $0.files["Sam3.aimodel/metadata.json"] = nil
            $0.files["Sam3.aimodel/metadata.json/x"] = "x"
        },
        .init("an outer metadata.json that is no JSON", "error unsupported-asset-version metadata.json") {
            $0.files["metadata.json"] = "kind: segmenter"
        },
        .init("no delegates", "error missing-delegates Sam3.h18p.aimodelc/main-h18p-delegates") {
            $0.remove("\(compiled)/main-h18p-delegates")
        },
        .init("delegates that hold folders only", "error missing-delegates Sam3.h18p.aimodelc/main-h18p-delegates") {
            $0.remove("\(compiled)/main-h18p-delegates")
            $0.addFolder("\(compiled)/main-h18p-delegates/MPSGraph")
        },
        .init("another function's delegates only", "error missing-delegates Sam3.h18p.aimodelc/main-h18p-delegates") {
            $0.move("\(compiled)/main-h18p-delegates", to: "\(compiled)/encode-h18p-delegates")
        },
        .init("empty weights", "error missing-delegates \(package)/resources.bin") {
            $0.files["\(package)/resources.bin"] = ""
        },
    ]
}
