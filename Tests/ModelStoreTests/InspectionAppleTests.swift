import Glibc
import HostSystem
import ModelStore
import TestSupport
import Testing

/// Apple's own check of an asset, `AIModelAsset.is_valid` of the Python package coreai-core, where it is installed.
@Suite("What Apple's check refuses is refused here")
struct InspectionAppleTests {
    private static let changes: [InspectionChange] =
        [
            .init("none") { _ in },
            .init("no metadata") { $0.files["Sam3.aimodel/metadata.json"] = nil },
            .init("no program") { $0.files["Sam3.aimodel/main.mlirb"] = nil },
            .init("no compiled program") { $0.files["Sam3.h18p.aimodelc/main-h18p.mlirb"] = nil },
            .init("the portable program in a compiled asset") {
                $0.files["Sam3.h18p.aimodelc/main-h18p.mlirb"] = nil
                $0.files["Sam3.h18p.aimodelc/main.mlirb"] = .program()
            },
            .init("another function's program only") {
                $0.files["Sam3.h18p.aimodelc/main-h18p.mlirb"] = nil
                $0.files["Sam3.h18p.aimodelc/encode-h18p.mlirb"] = .program()
            },
            .init("a suffix in capitals") { $0.move("Sam3.aimodel", to: "Sam3.AIMODEL") },
            .init("a plain file") {
                $0.remove("Sam3.aimodel")
                $0.files["Sam3.aimodel"] = "x"
            },
            .init("an empty folder") {
                $0.remove("Sam3.aimodel")
                $0.addFolder("Sam3.aimodel")
            },
            .init("metadata that is a folder") {
                $0.files["Sam3.aimodel/metadata.json"] = nil
                $0.files["Sam3.aimodel/metadata.json/x"] = "x"
            },
        ]
        + metadata.map { octets in
            .init(String(decoding: octets.prefix(60), as: UTF8.self)) {
                $0.files["Sam3.aimodel/metadata.json"] = .bytes(octets)
            }
        }

    private static let metadata: [[UInt8]] =
        [
            "", "{}", "[]", "null", #"{"assetVersion":"1.0"}"#, #"{"assetVersion":"2.1"}"#, #"{"assetVersion":2.0}"#,
            #"{"assetVersion":null}"#, #"{"assetVersion":"2.0","#, #"{"assetVersion":"2.0"} x"#,
            #"{"assetVersion":"2.0",}"#,
            #"{"assetVersion":"2.0"} //"#, #"{"assetVersion":"2.0","assetVersion":"1.0"}"#,
            #"{"assetVersion":"1.0","assetVersion":"2.0"}"#, #"{"assetVersion":"2.0","a":NaN}"#,
            #"{"assetVersion":"2.0","a":01}"#,
            #"{"assetVersion":"2.0","a":"\ud800"}"#, #"{"assetversion":"2.0"}"#,
            #"{"assetVersion":"2.0","a":"# + String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
                + "}",
        ].map { Array($0.utf8) } + [
            Array(#"{"assetVersion":"2.0","a":""#.utf8) + [0xFF] + Array(#""}"#.utf8),
            [0xEF, 0xBB, 0xBF] + Array(#"{"assetVersion":"2.0"}"#.utf8),
        ]

    @Test("What one asset is refused for refuses the release; a sound release passes both checks")
    func comparison() throws {
        // One process for all: to load the package takes half a second.
        let script = """
            import sys
            try:
                from coreai.authoring import AIModelAsset
            except ImportError:
                sys.exit(42)
            with open(sys.argv[1], "w") as out:
                for line in open(sys.argv[2]).read().splitlines():
                    print(int(all(AIModelAsset.is_valid(path) for path in line.split())), file=out)
            """
        let results = try TemporaryFolder()
        var builds: [TemporaryFolder] = []
        var lines = ""
        for change in Self.changes {
            var folder = InspectionFolder.sound(architectures: ["h18p"])
            folder.files["manifest.json"] = nil
            folder.files["metadata.json"] = nil
            change.apply(&folder)
            let build = try folder.write()
            let portable = change.testDescription.contains("capitals") ? "Sam3.AIMODEL" : "Sam3.aimodel"
            lines += "\(build.path)/\(portable) \(build.path)/Sam3.h18p.aimodelc\n"
            builds.append(build)
        }
        try TemporaryFolder.writeInPlace(Array(lines.utf8), to: "\(results.path)/in")
        let status = try run(["python3", "-c", script, "\(results.path)/out", "\(results.path)/in"])
        if status == 42 || status == 127 {
            print("coreai-core is not installed for python3: the comparison with Apple's check is left out")
            return
        }
        try #require(status == 0, "python3 ended with \(status)")
        let answers = try FileDescriptor.openFile(operatorsPath: "\(results.path)/out").readAll(limit: 1 << 20)
        let valid = try #require(answers).filter { $0 != UInt8(ascii: "\n") }.map { $0 == UInt8(ascii: "1") }
        try #require(valid.count == builds.count)
        #expect(valid[0] && valid[1] && valid.contains(false))
        for ((change, build), valid) in zip(zip(Self.changes, builds), valid) {
            let inspection = try ReleaseInspector.inspect(build.path, ReleaseOptions(model: "Sam3", version: "1"))
            if !valid { #expect(inspection.plan == nil, "\(change.testDescription)") }
        }
        for build in builds.prefix(2) {
            #expect(try ReleaseInspector.inspect(build.path, ReleaseOptions(model: "Sam3", version: "1")).plan != nil)
        }
    }

    /// The exit status of a program that the PATH has; 127 where it has none.
    private func run(_ arguments: [String]) throws -> CInt {
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var process = pid_t()
        let error = posix_spawnp(&process, arguments[0], &actions, nil, &pointers, environ)
        if error == ENOENT { return 127 }
        guard error == 0 else { throw Errno(rawValue: error) }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 {
            guard Errno.current == .interrupted else { throw Errno.current }
        }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }
}
