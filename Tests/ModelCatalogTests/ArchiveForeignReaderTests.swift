import Foundation
import Testing

@testable import ModelCatalog

/// Where a program is, looked for as a shell would.
private func program(_ name: String) -> URL? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}

@Suite("Archives as other programs read them")
struct ArchiveForeignReaderTests {
    private static func layout() throws -> ArchiveLayout {
        try ArchiveLayout(
            name: name("mod\u{E8}le x.h18p.aimodelc"),
            files: [
                file("a", 0), file("b", 1), file("c", 512), file("dir/deep/er/d", 513), file("mode\u{300}le.json", 7),
                file(String(repeating: "p", count: 120) + "/" + String(repeating: "n", count: 90), 5),
                file(String(repeating: "l", count: 200), 6),
                file(Array(repeating: String(repeating: "s", count: 200), count: 5).joined(separator: "/"), 4),
            ]
        )
    }

    /// Runs a program to its end and gives what it wrote.
    private func run(_ program: URL, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"]) {
            $1
        }
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    /// Writes the archive into a folder of its own, the files' bytes left as holes, and removes it afterwards.
    private func withArchive(_ layout: ArchiveLayout, _ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("archive-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let archive = folder.appendingPathComponent("archive.tar")
        try Data().write(to: archive)
        let handle = try FileHandle(forWritingTo: archive)
        for placed in layout.spans() {
            guard case .bytes(let bytes) = placed.span else { continue }
            try handle.seek(toOffset: placed.offset)
            try handle.write(contentsOf: bytes)
        }
        try handle.truncate(atOffset: layout.size)
        try handle.close()
        try body(archive)
    }

    private func expected(_ layout: ArchiveLayout) -> [String] {
        layout.files.map { "\(layout.assetName)/\($0.path) \($0.size)" }
    }

    @Test("python's tarfile: names, sizes, modes, owners and times", .enabled(if: program("python3") != nil))
    func tarfile() throws {
        let python = try #require(program("python3"))
        let script = """
            import sys, tarfile
            for m in tarfile.open(sys.argv[1]):
                assert m.isreg() and m.mode == 0o644 and (m.uid, m.gid, m.mtime, m.uname, m.gname) == (0, 0, 0, '', ''), m
                print(m.name, m.size)
            """
        try withArchive(Self.layout()) { archive in
            let (status, output) = try run(python, ["-c", script, archive.path])
            #expect(status == 0)
            #expect(
                output.split(separator: "\n").map { Array($0.utf8) }
                    == expected(try Self.layout()).map { Array($0.utf8) }
            )
        }
    }

    @Test("tar extracts it without a word", .enabled(if: program("tar") != nil))
    func tar() throws {
        let tar = try #require(program("tar"))
        let layout = try Self.layout()
        try withArchive(layout) { archive in
            let folder = archive.deletingLastPathComponent()
            let (status, output) = try run(tar, ["-xf", archive.path, "-C", folder.path])
            #expect(status == 0)
            #expect(output == "")
            for file in layout.files {
                let path = folder.path + "/" + layout.assetName.text + "/" + file.path.text
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect((attributes[.size] as? NSNumber)?.uint64Value == file.size, "\(file.path)")
            }
        }
    }

    @Test("a file of 9 GiB, and the one behind it", .enabled(if: program("python3") != nil))
    func large() throws {
        let python = try #require(program("python3"))
        let layout = try ArchiveLayout(
            name: name("m.aimodel"),
            files: [file("main.mlirb", 9_663_676_417), file("metadata.json", 20), file("\u{E9}", 8_589_934_592)]
        )
        try withArchive(layout) { archive in
            let script = "import sys, tarfile\nfor m in tarfile.open(sys.argv[1]): print(m.name, m.size)"
            let (status, output) = try run(python, ["-c", script, archive.path])
            #expect(status == 0)
            #expect(output.split(separator: "\n").map(String.init) == expected(layout))
            if let tar = program("tar") {
                let (status, output) = try run(tar, ["-tf", archive.path])
                #expect(status == 0)
                #expect(output.split(separator: "\n").count == 3)
            }
        }
    }
}
