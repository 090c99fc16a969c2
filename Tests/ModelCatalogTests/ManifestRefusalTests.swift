import Testing

@testable import ModelCatalog

private let good =
    #"{"schemaVersion":1,"model":"SAM3","version":"1.4.0","createdAt":"2026-12-01T09:30:00Z","minDeploymentVersion":"27.0","architectures":["h18p"],"assets":[{"name":"SAM3.h18p.aimodelc","base":"SAM3","kind":"compiled","architecture":"h18p","size":30,"fileCount":2,"requiredFreeBytes":99,"digest":"D","archive":{"name":"SAM3.h18p.aimodelc.tar","size":3072,"digest":"D"},"files":[{"path":"a/b","size":10,"digest":"D"},{"path":"c","size":20,"digest":"D"}]}],"companions":[{"path":"t/k.json","size":5,"digest":"D"}]}"#

private func filled(_ text: String) -> String {
    text.replacing(#":"D""#, with: #":"sha256:"# + String(repeating: "ab", count: 32) + #"""#)
}

private func refusal(_ text: String) throws -> String? {
    let model = try model("SAM3")
    let version = try version("1.4.0")
    do throws(ManifestError) {
        _ = try Manifest.decode(Array(filled(text).utf8), model: model, version: version)
        return nil
    } catch {
        return error.description
    }
}

@Suite("Manifests that are refused, each with what and where")
struct ManifestRefusalTests {
    @Test("the manifest that the others are made from is good")
    func goodOne() throws {
        #expect(try refusal(good) == nil)
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        let find: String
        let replacement: String
        let message: String
        init(_ find: String, _ replacement: String, _ message: String) {
            (self.find, self.replacement, self.message) = (find, replacement, message)
        }
        var testDescription: String { message }
    }

    @Test(
        arguments: [
            Fault(
                #""schemaVersion":1"#,
                #""schemaVersion":2"#,
                "schemaVersion is 2, and this program reads 1 only: use the aimodel-host that wrote it, or a newer one"
            ),
            Fault(#""schemaVersion":1,"#, "", "schemaVersion: missing"),
            Fault(#""schemaVersion":1"#, #""schemaVersion":"1""#, "schemaVersion: not of type integer"),
            Fault(
                #""model":"SAM3""#,
                #""model":"sam3""#,
                #"model is "sam3", but the manifest stands where "SAM3" belongs"#
            ),
            Fault(
                #""version":"1.4.0""#,
                #""version":"1.4""#,
                #"version is "1.4", but the manifest stands where "1.4.0" belongs"#
            ),
            Fault("T09:30:00Z", "", #"createdAt: "2026-12-01" is not a date and time as in 2026-12-01T09:30:00Z"#),
            Fault("27.0", "27.x", #"minDeploymentVersion: "27.x" is not one to three numbers as in 27.1"#),
            Fault(
                #"["h18p"]"#,
                #"["h18p","h16p"]"#,
                #"architectures is ["h16p", "h18p"], but the rest of the manifest makes it ["h18p"]"#
            ),
            Fault(#"["h18p"]"#, "[]", #"architectures is [], but the rest of the manifest makes it ["h18p"]"#),
            Fault(
                #"["h18p"]"#,
                #"["h18p","h18p"]"#,
                #"architectures is ["h18p", "h18p"], but the rest of the manifest makes it ["h18p"]"#
            ),
            Fault(#"["h18p"]"#, #"["iPhone 18"]"#, #"architectures[0]: "iPhone 18" is not an architecture as in h18p"#),
            Fault(
                #""name":"SAM3.h18p.aimodelc","#,
                #""name":"../x.aimodel","#,
                #"assets[0].name: "../x.aimodel" is not an asset's name: <base>.<architecture>.aimodelc or <base>.aimodel"#
            ),
            Fault(
                #""base":"SAM3""#,
                #""base":"SAM""#,
                "assets[0].base is SAM, but the rest of the manifest makes it SAM3"
            ),
            Fault(
                #""kind":"compiled""#,
                #""kind":"portable""#,
                "assets[0].kind is portable, but the rest of the manifest makes it compiled"
            ),
            Fault(
                #""architecture":"h18p""#,
                #""architecture":null"#,
                "assets[0].architecture is null, but the rest of the manifest makes it h18p"
            ),
            Fault(
                #""architecture":"h18p""#,
                #""architecture":"h16p""#,
                "assets[0].architecture is h16p, but the rest of the manifest makes it h18p"
            ),
            Fault(#""size":30"#, #""size":31"#, "assets[0].size is 31, but the rest of the manifest makes it 30"),
            Fault(
                #""fileCount":2"#,
                #""fileCount":3"#,
                "assets[0].fileCount is 3, but the rest of the manifest makes it 2"
            ),
            Fault(
                "c.tar",
                "c.tgz",
                "assets[0].archive.name is SAM3.h18p.aimodelc.tgz, but the rest of the manifest makes it SAM3.h18p.aimodelc.tar"
            ),
            // Whatever a manifest holds, what is said of it is one line of a log.
            Fault(
                "c.tar",
                #"c\u0000\n.tar"#,
                #"assets[0].archive.name is "SAM3.h18p.aimodelc\0\n.tar", but the rest of the manifest makes it SAM3.h18p.aimodelc.tar"#
            ),
            Fault(
                #""base":"SAM3""#,
                #""base":"\u001b[2J""#,
                #"assets[0].base is "\u{1B}[2J", but the rest of the manifest makes it SAM3"#
            ),
            Fault("3072", "3073", "assets[0].archive.size is 3073, but the rest of the manifest makes it 3072"),
            Fault(#""path":"c","size":20,"#, #""path":"c","#, "assets[0].files[1].size: missing"),
            Fault(
                #""size":20"#,
                #""size":-20"#,
                "assets[0].files[1].size: not a whole number from 0 to 18446744073709551615"
            ),
            Fault(
                #""size":20"#,
                #""size":2.5"#,
                "assets[0].files[1].size: not a whole number from 0 to 18446744073709551615"
            ),
            Fault(
                #""size":20"#,
                #""size":18446744073709551616"#,
                "assets[0].files[1].size: not a whole number from 0 to 18446744073709551615"
            ),
            Fault(#""size":20"#, #""size":"20""#, "assets[0].files[1].size: not of type integer"),
            Fault(#""size":20"#, #""size":null"#, "assets[0].files[1].size: null, where a value is needed"),
            Fault(
                #""size":20"#,
                #""size":9223372036854775808"#,
                "asset SAM3.h18p.aimodelc: the size passes 9223372036854775807 bytes, the most that a file offset can count"
            ),
            Fault(
                #""size":20"#,
                #""size":18446744073709551615"#,
                "asset SAM3.h18p.aimodelc: the size passes 9223372036854775807 bytes, the most that a file offset can count"
            ),
            Fault(
                #""size":20"#,
                #""size":9223372036854775790"#,
                "asset SAM3.h18p.aimodelc: the size passes 9223372036854775807 bytes, the most that a file offset can count"
            ),
            Fault(
                #""requiredFreeBytes":99"#,
                #""requiredFreeBytes":9223372036854775808"#,
                "asset SAM3.h18p.aimodelc, requiredFreeBytes: the size passes 9223372036854775807 bytes, the most that a file offset can count"
            ),
            Fault(#""path":"c""#, #""path":"../c""#, #"assets[0].files[1].path: "../c" is not a safe relative path"#),
            Fault(#""path":"c""#, #""path":"c\u0000""#, #"assets[0].files[1].path: "c\0" is not a safe relative path"#),
            Fault(#""path":"c""#, #""path":"a/b""#, #"asset SAM3.h18p.aimodelc: the path "a/b" is there twice"#),
            Fault(
                #""path":"c""#,
                #""path":"a""#,
                #"asset SAM3.h18p.aimodelc: "a" is a file, and a folder of "a/b" too"#
            ),
            Fault(
                #""path":"c""#,
                #""path":"a/b/c""#,
                #"asset SAM3.h18p.aimodelc: "a/b" is a file, and a folder of "a/b/c" too"#
            ),
            Fault(
                #""size":20,"digest":"D""#,
                #""size":20,"digest":"sha256:00""#,
                #"assets[0].files[1].digest: "sha256:00" is not a digest: sha256: and 64 lower-case hex digits"#
            ),
            Fault(
                #"99,"digest":"D""#,
                #"99,"digest":"""#,
                #"assets[0].digest: "" is not a digest: sha256: and 64 lower-case hex digits"#
            ),
            Fault(
                #"3072,"digest":"D""#,
                #"3072,"digest":"md5:00""#,
                #"assets[0].archive.digest: "md5:00" is not a digest: sha256: and 64 lower-case hex digits"#
            ),
            Fault(#""path":"t/k.json""#, #""path":"/t""#, #"companions[0].path: "/t" is not a safe relative path"#),
            Fault(
                #""path":"t/k.json""#,
                #""path":"manifest.json""#,
                #"companion "manifest.json": resolve and manifest.json are reserved at the top of a release; rename it or put it into a folder"#
            ),
            Fault(
                #""path":"t/k.json""#,
                #""path":"resolve/x""#,
                #"companion "resolve/x": resolve and manifest.json are reserved at the top of a release; rename it or put it into a folder"#
            ),
            Fault(
                #""path":"t/k.json""#,
                #""path":"SAM3.h18p.aimodelc""#,
                #"companion "SAM3.h18p.aimodelc" stands where an asset or its archive belongs; rename it"#
            ),
            Fault(
                #""path":"t/k.json""#,
                #""path":"SAM3.h18p.aimodelc/x""#,
                #"companion "SAM3.h18p.aimodelc/x" stands where an asset or its archive belongs; rename it"#
            ),
            Fault(
                #""path":"t/k.json""#,
                #""path":"Other.aimodel.tar""#,
                #"companion "Other.aimodel.tar" stands where an asset or its archive belongs; rename it"#
            ),
            Fault(
                #""companions":["#,
                #""companions":[{"path":"t/k.json","size":5,"digest":"D"},"#,
                #"companions: the path "t/k.json" is there twice"#
            ),
            Fault(
                #""companions":["#,
                #""companions":[{"path":"t","size":5,"digest":"D"},"#,
                #"companions: "t" is a file, and a folder of "t/k.json" too"#
            ),
            Fault(
                #"{"path":"t/k.json","size":5"#,
                #"{"path":"t/k.json","size":9223372036854775800"#,
                "the release: the size passes 9223372036854775807 bytes, the most that a file offset can count"
            ),
        ]
    )
    func fault(_ fault: Fault) throws {
        let broken = good.replacing(fault.find, with: fault.replacement, maxReplacements: 1)
        #expect(broken != good)
        #expect(try refusal(broken) == fault.message)
    }

    @Test("no assets, no files, the same asset twice")
    func whole() throws {
        let start = try #require(good.firstRange(of: #"{"name":"SAM3.h18p"#)).lowerBound
        let end = try #require(good.firstRange(of: #"],"companions""#)).lowerBound
        let asset = good[start..<end]
        #expect(try refusal(good.replacing(asset, with: "")) == "assets is empty: a release has at least one asset")
        #expect(
            try refusal(good.replacing(asset, with: "\(asset),\(asset)")) == "asset SAM3.h18p.aimodelc is there twice"
        )
        let files = try #require(good.firstRange(of: #""files":["#)).upperBound
        let bare = good[..<files] + good[try #require(good.firstRange(of: "]}]")).lowerBound...]
        #expect(try refusal(String(bare)) == "asset SAM3.h18p.aimodelc has no files")
    }

    @Test(
        "no JSON: cut short, empty, something else",
        arguments: [
            ("", "it is empty"), (" \n", "it is empty"), (String(good.prefix(300)), "do not end in a closing brace"),
            (String(good.dropLast()), "do not end in a closing brace"), (good + "}", "break the grammar of RFC 8259"),
            ("<html>", "do not end in a closing brace"),
            (String(repeating: "[", count: 100_000), "do not end in a closing brace"),
        ]
    )
    func noJSON(text: String, detail: String) throws {
        let message = try #require(try refusal(text))
        #expect(message.hasPrefix("the manifest is not JSON (") && message.contains(detail))
    }

    @Test("bytes that are no UTF-8 are no manifest")
    func noUTF8() throws {
        var bytes = Array(filled(good).utf8)
        let place = try #require(bytes.firstIndex(of: UInt8(ascii: "c")))
        bytes[place] = 0xFF
        #expect(throws: ManifestError.self) {
            try Manifest.decode(bytes, model: model("SAM3"), version: version("1.4.0"))
        }
    }

    @Test("another shape of a newer schema is told by its schema, not by its shape")
    func newerShape() throws {
        #expect(
            try refusal(#"{"schemaVersion":7,"everything":"is different"}"#)?.hasPrefix("schemaVersion is 7,") == true
        )
        #expect(try refusal("[]") == "the document: not of type object")
    }

    @Test("a text of any length or content is quoted on one line, and cut")
    func quoting() throws {
        let long = String(repeating: "x\\n", count: 1000)
        let message = try #require(try refusal(good.replacing("27.0", with: long)))
        #expect(message.utf8.count < 512)
        #expect(!message.contains("\n"))
    }
}
