import Glibc
import HostSystem
import ModelStore
import TestSupport

extension InspectionFindingCase {
    private static let compiled = "Sam3.h18p.aimodelc"

    static let shapes: [InspectionFindingCase] = [
        .init("the outer metadata.json names another asset", "error unresolved-asset metadata.json") {
            $0.files["metadata.json"] = #"{"assets":{"main":"Sam2.aimodel"}}"#
        },
        .init("one of several that it names is not there", "error unresolved-asset metadata.json") {
            $0.files["metadata.json"] = #"{"assets":{"main":"Sam3.aimodel","vision":["Eye.aimodelc"]}}"#
        },
        .init("a folder of companions that it names as an asset", "error unresolved-asset metadata.json") {
            $0.files["metadata.json"] = #"{"assets":["Sam3.aimodel","tokenizer"]}"#
        },
        .init("a file in an asset that it names as an asset", "error unresolved-asset metadata.json") {
            $0.files["metadata.json"] = #"{"assets":{"main":"Sam3.aimodel/main.mlirb"}}"#
        },
        .init("a name that differs in case", "error unresolved-asset metadata.json") {
            $0.files["metadata.json"] = #"{"assets":{"main":"SAM3.aimodel"}}"#
        },
        .init("manifest.json's base is not the one in the folder", "error unresolved-asset manifest.json") {
            $0.setDocument(base: "Sam2")
        },
        .init("an asset with folders only", "error empty-asset Text.aimodel") { $0.addFolder("Text.aimodel/empty") },
        .init(
            "an asset with junk only",
            "error empty-asset Text.aimodel",
            "warning system-junk Text.aimodel/.DS_Store"
        ) { $0.files["Text.aimodel/.DS_Store"] = "x" },
        .init("a plain file where an asset must be", "error not-a-bundle Text.aimodel") {
            $0.files["Text.aimodel"] = "x"
        },
        .init("a plain file where a compiled asset must be", "error not-a-bundle Sam3.aimodelc") {
            $0.files["Sam3.aimodelc"] = "x"
        },
        .init("a suffix in capitals", "error not-a-bundle Text.AIModel") {
            $0.add(program: "main.mlirb", to: "Text.AIModel")
        },
        .init("an asset in an asset", "error nested-asset Sam3.aimodel/Sam3.aimodel") {
            $0.add(program: "main.mlirb", to: "Sam3.aimodel/Sam3.aimodel")
        },
        .init("an asset among the companions, with one in it", "error nested-asset models/Text.h18p.aimodelc") {
            $0.add(program: "main-h18p.mlirb", to: "models/Text.h18p.aimodelc")
            $0.add(program: "main.mlirb", to: "models/Text.h18p.aimodelc/Text.aimodel")
        },
        .init("a file with an asset's suffix below the top", "error not-a-bundle models/Text.aimodel") {
            $0.files["models/Text.aimodel"] = "x"
        },
        .init("a file without content", "warning empty-file tokenizer/added.json") {
            $0.files["tokenizer/added.json"] = ""
        },
        .init("an empty file in an asset", "warning empty-file Sam3.h18p.aimodelc/stats.json") {
            $0.files["\(compiled)/stats.json"] = ""
        },
        .init(
            "what tools leave",
            "warning system-junk .DS_Store",
            "warning system-junk ._Sam3.aimodel",
            "warning system-junk .git",
            "warning system-junk Sam3.aimodel/._main.hash",
            "warning system-junk Sam3_source.aimodel",
            "warning system-junk __MACOSX",
            "warning system-junk tokenizer/Thumbs.db"
        ) {
            for path in [".DS_Store", "._Sam3.aimodel", "Sam3.aimodel/._main.hash", "tokenizer/Thumbs.db"] {
                $0.files[path] = "x"
            }
            $0.files["__MACOSX/Sam3.aimodel/._main.mlirb"] = "x"
            $0.files[".git/config"] = "x"
            $0.add(program: "main.mlirb", to: "Sam3_source.aimodel")
        },
    ]

    static let names: [InspectionFindingCase] = [
        .init("a link to a file", "error unsafe-entry tokenizer/link.json") {
            $0.link("tokenizer/link.json", to: "tokenizer.json")
        },
        .init("a link that leads nowhere", "error unsafe-entry gone") { $0.link("gone", to: "/nowhere") },
        .init("a link to a folder, which is not entered", "error unsafe-entry Sam3.aimodel/up") {
            $0.link("Sam3.aimodel/up", to: "..")
        },
        .init("a link in a program's place is not a missing program", "error unsafe-entry Sam3.aimodel/main.mlirb") {
            $0.files["Sam3.aimodel/main.mlirb"] = nil
            $0.link("Sam3.aimodel/main.mlirb", to: "../blobs/1")
        },
        .init("a link in an asset's place is not a missing asset", "error unsafe-entry Sam3.aimodel") {
            $0.remove("Sam3.aimodel")
            $0.link("Sam3.aimodel", to: "/tmp")
        },
        .init("a FIFO, which is not waited for", "error unsafe-entry tokenizer/pipe") {
            $0.finishing.append { root in
                guard mkfifo("\(root)/tokenizer/pipe", 0o600) == 0 else { throw Errno.current }
            }
        },
        .init("a socket", "error unsafe-entry Sam3.aimodel/s") {
            $0.finishing.append { try makeSocket("\($0)/Sam3.aimodel/s") }
        },
        .init("a control character", #"error unsafe-name tokenizer/a\u{1B}[2Jb"#) {
            $0.files["tokenizer/a\u{1B}[2Jb"] = "x"
        },
        .init("a line feed in a folder's name, told of once", #"error unsafe-name new\u{A}line"#) {
            $0.files["new\nline/a"] = "x"
            $0.files["new\nline/b"] = "x"
        },
        .init("a C1 control character", #"error unsafe-name tokenizer/\u{9B}1m"#) {
            $0.files["tokenizer/\u{9B}1m"] = "x"
        },
        .init("octets that are not UTF-8", #"error unsafe-name tokenizer/caf\xE9"#) {
            $0.finishing.append { try makeFile(Array("\($0)/tokenizer/caf".utf8) + [0xE9]) }
        },
        .init("octets that are not UTF-8 at the top", #"error unsafe-name \xFF\xC3(.aimodel"#) {
            $0.finishing.append { try makeFile(Array("\($0)/".utf8) + [0xFF, 0xC3] + Array("(.aimodel".utf8)) }
        },
        .init("the reserved name resolve", "error unsafe-name resolve") { $0.files["resolve/a"] = "x" },
        .init("the name of an asset's archive", "error unsafe-name Sam3.aimodel.tar") {
            $0.files["Sam3.aimodel.tar"] = "x"
        },
        .init("a suffix and no base", "error unsafe-name .aimodel") { $0.add(program: "main.mlirb", to: ".aimodel") },
        .init("a name with no room for .tar", "error unsafe-name \(String(repeating: "n", count: 244)).aimodel") {
            $0.add(program: "main.mlirb", to: String(repeating: "n", count: 244) + ".aimodel")
        },
        .init("names in two cases", "error case-collision tokenizer/Vocab.txt") {
            $0.files["tokenizer/VOCAB.TXT"] = "x"
            $0.files["tokenizer/Vocab.txt"] = "x"
        },
        .init("a letter in two forms", "error case-collision tokenizer/caf\u{E9}") {
            $0.files["tokenizer/caf\u{E9}"] = "x"
            // Not by `files`: as keys of a dictionary the two are one.
            $0.finishing.append { try makeFile(Array("\($0)/tokenizer/cafe\u{301}".utf8)) }
        },
        .init("folders in two cases", "error case-collision extra/a", "error case-collision extra/a/x") {
            $0.files["extra/A/x"] = "x"
            $0.files["extra/A/z"] = "x"
            $0.files["extra/a/x"] = "x"
            $0.files["extra/a/y"] = "x"
        },
    ]
}

private func makeSocket(_ path: String) throws {
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard number >= 0 else { throw Errno.current }
    defer { close(number) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    guard bound == 0 else { throw Errno.current }
}

private func makeFile(_ path: [UInt8]) throws {
    let number = open((path + [0]).map { CChar(bitPattern: $0) }, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard number >= 0 else { throw Errno.current }
    defer { close(number) }
    guard write(number, "x", 1) == 1 else { throw Errno.current }
}
