import Glibc
import HostSystem
import ModelStore
import TestSupport

extension InspectionChange {
    /// What makes a sound release into another sound one.
    static let soundShapes: [InspectionChange] = [
        .init("a portable asset alone") {
            $0.remove("Sam3.h16p.aimodelc")
            $0.remove("Sam3.h18p.aimodelc")
            $0.setDocument(architectures: [])
        },
        .init("no metadata.json in an asset") { $0.files["Sam3.aimodel/metadata.json"] = nil },
        .init("no outer metadata.json") { $0.files["metadata.json"] = nil },
        .init("several bases") {
            $0.addPortable("Text.Encoder")
            $0.addPortable("Vae")
            $0.addCompiled("Vae", "h16p")
            $0.addCompiled("Vae", "h18p")
            $0.setDocument(base: "Pipeline")
        },
        .init("several functions in an asset") {
            for asset in ["Sam3.h16p.aimodelc/text-encode-h16p", "Sam3.h18p.aimodelc/text-encode-h18p"] {
                $0.files["\(asset).mlirb"] = .program(seed: 9)
                $0.files["\(asset)-delegates/MPSGraph/resources.bin"] = .pattern(10)
            }
            $0.files["Sam3.aimodel/text-encode.mlirb"] = .program(seed: 9)
        },
        .init("Neural Engine regions") {
            let package = "Sam3.h18p.aimodelc/main-h18p-delegates/MPSGraph/mpsExecutable.mpsgraphpackage"
            $0.files["\(package)/binary_0.llir.bundle/m_ANE_region_0.bc/net.plist"] = "x"
            $0.files["\(package)/binary_0.llir.bundle/m_ANE_region_0.bc/main.hwx"] = .pattern(50)
        },
        .init("the outer metadata.json names an asset of no architecture") {
            $0.files["metadata.json"] = #"{"assets":{"main":"Sam3.aimodelc"}}"#
        },
        .init("the outer metadata.json names one variant, and holds what is not known") {
            $0.files["metadata.json"] = #"{"assets":{"main":"Sam3.h18p.aimodelc","x":{"n":1}},"new":{}}"#
        },
        .init("the outer metadata.json names several assets in a list") {
            $0.files["metadata.json"] = #"{"assets":["Sam3.aimodel","Sam3.h16p.aimodelc"]}"#
        },
        .init("the outer metadata.json is of another kind") { $0.files["metadata.json"] = "[1]" },
        .init("names that only look dangerous") {
            let names = ["a b+c%d#e?f&g=h.bin", "modèle é.bin", "v1..2.bin", "...", "-rf", "manifest.json", "resolve"]
            for name in names + ["👩‍👩‍👧.txt", String(repeating: "n", count: 255)] {
                $0.files["tokenizer/\(name)"] = "x"
            }
        },
        .init("text about Git LFS") {
            let text = String(repeating: "That is how a pointer begins.\n", count: 60)
            $0.files["tokenizer/README"] = .text("version https://git-lfs.github.com/spec/v1\n" + text)
        },
        .init("names that differ in more than case") {
            for name in ["ı", "i", "I\u{307}", "ss", "s"] { $0.files["tokenizer/\(name)"] = "x" }
        },
        .init("one file by two names") {
            $0.finishing.append { root in
                let folder = "\(root)/tokenizer"
                guard Glibc.link("\(folder)/tokenizer.json", "\(folder)/again.json") == 0 else { throw Errno.current }
            }
        },
        .init("empty folders") { $0.addFolder("tokenizer/empty/deep") },
    ]
}
