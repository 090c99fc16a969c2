import Glibc
import HostSystem
import ModelCatalog
import ModelStore
import TestSupport
import Testing

@Suite("Folders and options that say nothing of a release")
struct InspectionErrorTests {
    private func error(_ folder: InspectionFolder, _ options: ReleaseOptions = ReleaseOptions()) throws
        -> InspectionError
    {
        try #require(throws: InspectionError.self) { try folder.inspect(options) }
    }

    @Test("Options go before the folder's manifest.json")
    func options() throws {
        let options = ReleaseOptions(model: "Other", version: "2.0", minDeploymentVersion: "28.1")
        let plan = try #require(try InspectionFolder.sound().inspect(options).plan)
        #expect(plan.model.text == "Other")
        #expect(plan.version.text == "2.0")
        #expect(plan.minDeploymentVersion?.text == "28.1")
    }

    @Test("Without a manifest.json the options alone say what it is, and architectures are as found")
    func noDocument() throws {
        var folder = InspectionFolder.sound()
        folder.files["manifest.json"] = nil
        let inspection = try folder.inspect(ReleaseOptions(model: "Sam3", version: "1"))
        #expect(inspection.outline == [])
        #expect(inspection.plan?.minDeploymentVersion == nil)
    }

    @Test(
        "What nobody says is asked for by the option's name",
        arguments: [
            (ReleaseOptions(version: "1"), "--model", "base"), (ReleaseOptions(model: "M"), "--version", "version"),
        ]
    )
    func notGiven(_ options: ReleaseOptions, _ option: String, _ key: String) throws {
        var folder = InspectionFolder.sound()
        folder.files["manifest.json"] = "{}"
        guard case .notGiven(_, option, key) = try error(folder, options) else {
            Issue.record("\(try error(folder, options))")
            return
        }
        #expect(try error(folder, options).isUsage)
    }

    @Test(
        "What breaks the rule of its kind is told by its place",
        arguments: [
            (ReleaseOptions(model: "a/b"), "--model", "a/b"), (ReleaseOptions(version: "v1"), "--version", "v1"),
            (ReleaseOptions(minDeploymentVersion: "27.x"), "--min-deployment-version", "27.x"),
        ]
    )
    func malformed(_ options: ReleaseOptions, _ place: String, _ text: String) throws {
        guard case .malformed(place, text, _) = try error(.sound(), options) else {
            Issue.record("\(try error(.sound(), options))")
            return
        }
    }

    @Test(
        "What is malformed in manifest.json is told by its key",
        arguments: [
            (#"{"base":"a b","version":"1"}"#, "base"), (#"{"base":"M","version":""}"#, "version"),
            (#"{"base":"M","version":"1","minDeploymentVersion":"1.2.3.4"}"#, "minDeploymentVersion"),
        ]
    )
    func malformedDocument(_ text: String, _ key: String) throws {
        var folder = InspectionFolder.sound()
        folder.files["manifest.json"] = .text(text)
        guard case .malformed(let place, _, _) = try error(folder) else {
            Issue.record("\(try error(folder))")
            return
        }
        #expect(place.hasSuffix("/manifest.json, \"\(key)\""))
    }

    @Test(
        "A manifest.json that cannot be read as one",
        arguments: [
            ("", "it is no JSON: the text is empty at octet 0"), ("[]", "it is JSON, but no object"),
            (#"{"base":1}"#, #""base" is no string"#), (#"{"architectures":"h18p"}"#, #""architectures" is no array"#),
            (#"{"architectures":[1]}"#, #""architectures" holds something else than strings"#),
            (#"{"compile":[]}"#, #""compile" is no object"#),
            (#"{"compile":{"platform":1}}"#, #""compile.platform" is no string"#),
            (
                #"{"compile":{"h18p":{"expectFrequentReshapes":"no"}}}"#,
                #""compile.h18p.expectFrequentReshapes" is neither true nor false"#
            ),
        ]
    )
    func badDocument(_ text: String, _ reason: String) throws {
        var folder = InspectionFolder.sound()
        folder.files["manifest.json"] = .text(text)
        guard case .badDocument(let path, reason) = try error(folder) else {
            Issue.record("\(try error(folder))")
            return
        }
        #expect(path.hasSuffix("/manifest.json"))
    }

    @Test("manifest.json and --compile-info of absurd sizes are not read into memory")
    func hugeDocument() throws {
        var folder = InspectionFolder.sound()
        folder.files["manifest.json"] = .sparse(size: 1 << 40, tail: [])
        guard case .badDocument(_, "it has more than 4194304 octets") = try error(folder) else {
            Issue.record("\(try error(folder))")
            return
        }
    }

    @Test(
        "--compile-info that cannot be read",
        arguments: [("/nowhere/facts.json", "cannot be read"), ("/", "cannot be read")]
    )
    func compileInfo(_ path: String, _ reason: String) throws {
        guard case .badDocument(path, let found) = try error(.sound(), ReleaseOptions(compileInfo: path)) else {
            Issue.record("\(try error(.sound(), ReleaseOptions(compileInfo: path)))")
            return
        }
        #expect(found.hasPrefix(reason))
    }

    @Test("A folder without any asset, and one in which all are left out", arguments: [true, false])
    func noAssets(_ empty: Bool) throws {
        var folder = InspectionFolder()
        folder.setDocument(architectures: [])
        if !empty { folder.addFolder("Sam3.aimodel") }
        guard case .noAssets = try error(folder, ReleaseOptions(allowed: [.emptyAsset])) else {
            Issue.record("\(try error(folder, ReleaseOptions(allowed: [.emptyAsset])))")
            return
        }
    }

    @Test("A folder that is not there, and a file in its place")
    func noFolder() throws {
        #expect(throws: InspectionError.cannotRead(path: "/nowhere/1.4.0", .noEntry)) {
            try ReleaseInspector.inspect("/nowhere/1.4.0", ReleaseOptions())
        }
        #expect(throws: InspectionError.cannotRead(path: "/etc/passwd", .notFolder)) {
            try ReleaseInspector.inspect("/etc/passwd", ReleaseOptions())
        }
    }

    @Test("What may not be read is told by its path", arguments: ["tokenizer", "Sam3.aimodel/main.mlirb"])
    func noPermission(_ path: String) throws {
        var folder = InspectionFolder.sound()
        folder.finishing.append { root in
            chmod(root, 0o755)
            chmod("\(root)/\(path)", 0)
        }
        try folder.withPath { root in
            try withPermissionsCounting {
                #expect(throws: InspectionError.cannotRead(path: "\(root)/\(path)", .accessDenied)) {
                    try ReleaseInspector.inspect(root, ReleaseOptions())
                }
            }
        }
    }

    @Test("Folders deeper than a path can be long: refused by name, and the walk ends")
    func tooDeep() throws {
        var folder = InspectionFolder.sound()
        folder.finishing.append { try makeDeepFolders(in: $0, name: String(repeating: "d", count: 255), count: 20) }
        let published = "models/Sam3/1.4.0/".utf8.count
        let longest = 4095 - published
        let depth = longest / 256 + 1
        let path = Array(repeating: String(repeating: "d", count: 255), count: depth).joined(separator: "/")
        let inspection = try folder.inspect()
        #expect(inspection.outline == ["error unsafe-name \(path)"])
        #expect(inspection.plan == nil)
    }
}

/// Folders in one another, made one by one: no call takes the whole path.
private func makeDeepFolders(in root: String, name: String, count: Int) throws {
    var folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(folder) }
    for _ in 0..<count {
        guard mkdirat(folder, name, 0o755) == 0 else { throw Errno.current }
        let next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard next >= 0 else { throw Errno.current }
        close(folder)
        folder = next
    }
}
