import Glibc
import HostSystem
import ModelCatalog
import ModelStore
import TestSupport
import Testing

/// A build's output folder as a test describes it: a sound release, and what a test does to it.
struct InspectionFolder {
    /// By the path in the folder.
    var files: [String: ReleaseContent] = [:]
    /// What cannot be said by a path and a content; done last, with the folder's absolute path.
    var finishing: [@Sendable (String) throws -> Void] = []

    /// A portable asset, one for each architecture, companions in two places, and the manifest.json of a build.
    static func sound(base: String = "Sam3", architectures: [String] = ["h16p", "h18p"]) -> InspectionFolder {
        var folder = InspectionFolder()
        folder.addPortable(base)
        for architecture in architectures { folder.addCompiled(base, architecture) }
        folder.files["tokenizer/tokenizer.json"] = #"{"version":"1.0"}"#
        folder.files["metadata.json"] = .text(
            #"{"metadata_version":"0.2","kind":"segmenter","assets":{"main":"\#(base).aimodel"}}"#
        )
        folder.setDocument(base: base, architectures: architectures)
        return folder
    }

    mutating func setDocument(
        base: String = "Sam3",
        version: String = "1.4.0",
        architectures: [String] = ["h16p", "h18p"],
        more: String = ""
    ) {
        let list = architectures.map { "\"\($0)\"" }.joined(separator: ",")
        files["manifest.json"] = .text(
            #"{"base":"\#(base)","version":"\#(version)","minDeploymentVersion":"27.0","#
                + #""architectures":[\#(list)]\#(more)}"#
        )
    }

    mutating func addPortable(_ base: String) {
        add(program: "main.mlirb", to: "\(base).aimodel")
    }

    mutating func addCompiled(_ base: String, _ architecture: String, inside: String? = nil) {
        let asset = "\(base).\(architecture).aimodelc"
        let inside = inside ?? architecture
        add(program: "main-\(inside).mlirb", to: asset)
        files["\(asset)/stats.json"] = "{}"
        let package = "\(asset)/main-\(inside)-delegates/MPSGraph/mpsExecutable.mpsgraphpackage"
        files["\(package)/manifest.plist"] = "<plist/>"
        files["\(package)/original_model_0.mpsgraph"] = .pattern(300)
        files["\(package)/specialized_model_1.mpsgraph"] = .pattern(
            400,
            seed: UInt64(inside.utf8.reduce(0) { $0 * 7 + Int($1) })
        )
        files["\(package)/resources.bin"] = .pattern(1200)
    }

    mutating func add(program: String, to asset: String) {
        let code = ReleaseContent.program(seed: UInt64(asset.utf8.count))
        files["\(asset)/\(program)"] = code
        files["\(asset)/main.hash"] = .bytes(code.digest.bytes)
        files["\(asset)/metadata.json"] = #"{"assetVersion":"2.0","producer":"test"}"#
    }

    /// Everything below `folder` is elsewhere now.
    mutating func move(_ folder: String, to other: String) {
        for (path, content) in files where path.hasPrefix(folder + "/") {
            files[path] = nil
            files[other + path.dropFirst(folder.count)] = content
        }
    }

    /// Everything below `folder` is gone.
    mutating func remove(_ folder: String) {
        files = files.filter { !$0.key.hasPrefix(folder + "/") }
    }

    mutating func link(_ path: String, to target: String) {
        finishing.append { root in
            guard symlink(target, "\(root)/\(path)") == 0 else { throw Errno.current }
        }
    }

    mutating func addFolder(_ path: String) {
        finishing.append { try TemporaryFolder.makeFolder("\($0)/\(path)") }
    }

    /// Writes it; it is there as long as somebody holds what is returned.
    func write() throws -> TemporaryFolder {
        let temporary = try TemporaryFolder()
        for (path, content) in files {
            let whole = "\(temporary.path)/\(path)"
            try TemporaryFolder.makeFolder(String(whole[..<(whole.lastIndex(of: "/") ?? whole.endIndex)]))
            switch content {
            case .bytes(let bytes): try TemporaryFolder.writeInPlace(bytes, to: whole)
            case .sparse(let size, let tail): try TemporaryFolder.writeSparse(size: size, tail: tail, to: whole)
            }
        }
        for action in finishing { try action(temporary.path) }
        return temporary
    }

    /// Writes it, and hands over its path while it is there.
    @discardableResult
    func withPath<Result>(_ body: (String) throws -> Result) throws -> Result {
        let temporary = try write()
        return try withExtendedLifetime(temporary) { try body(temporary.path) }
    }

    func inspect(_ options: ReleaseOptions = ReleaseOptions()) throws -> Inspection {
        try withPath { try ReleaseInspector.inspect($0, options) }
    }
}

/// A change to a sound release, by a name.
struct InspectionChange: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (inout InspectionFolder) -> Void

    init(_ description: String, _ apply: @escaping @Sendable (inout InspectionFolder) -> Void) {
        testDescription = description
        self.apply = apply
    }
}

extension ReleaseContent {
    static func text(_ text: String) -> ReleaseContent { .bytes(Array(text.utf8)) }

    /// What begins as MLIR bytecode does.
    static func program(seed: UInt64 = 1) -> ReleaseContent {
        .bytes([0x4D, 0x4C, 0xEF, 0x52, 0x0D] + patternBytes(2000, seed: seed))
    }

    /// What Git LFS leaves where a content was not fetched.
    static let pointer = ReleaseContent.text(
        """
        version https://git-lfs.github.com/spec/v1
        oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
        size 2573411328

        """
    )
}

extension Inspection {
    /// `error id path` or `warning id path`, in the order of the list.
    var outline: [String] {
        findings.map { "\($0.isError ? "error" : "warning") \($0.id.rawValue) \($0.path)" }
    }
}
