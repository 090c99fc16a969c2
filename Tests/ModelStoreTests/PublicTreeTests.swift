import Glibc
import HostSystem
@testable import ModelStore
import TestSupport
import Testing

@Suite("PublicTree: the only way to a published octet")
struct PublicTreeTests {
    /// `Public/a/b/file` with "abc" in it, and `outside/file` beside `Public`.
    private let root: TemporaryFolder

    init() throws {
        root = try TemporaryFolder()
        try TemporaryFolder.write(Array("abc".utf8), to: "\(root.path)/Public/a/b/file")
        try TemporaryFolder.write(Array("xyz".utf8), to: "\(root.path)/outside/file")
        try TemporaryFolder.write(Array("xyz".utf8), to: "\(root.path)/Public/other/file")
    }

    private func failure(_ path: String, size: UInt64 = 3) throws -> OpenFailure? {
        let tree = try PublicTree(root: root.path)
        do throws(OpenFailure) {
            _ = try tree.open(path, expectedSize: size, wait: .allowed)
            return nil
        } catch {
            return error
        }
    }

    private func link(_ path: String, to target: String) throws {
        try #require(symlink(target, "\(root.path)/\(path)") == 0)
    }

    @Test("a regular file of the expected size is opened at its beginning")
    func opens() throws {
        let file = try PublicTree(root: root.path).open("a/b/file", expectedSize: 3, wait: .allowed)
        #expect(try file.readAll(limit: 10) == Array("abc".utf8))
    }

    @Test(
        "every octet of an odd name counts",
        arguments: ["a b+c%d#e?f&g=h", "modèle", "v1..2.bin", "...", "%2e%2e", #"..\x"#]
    )
    func oddNames(_ name: String) throws {
        try TemporaryFolder.write(Array("odd".utf8), to: "\(root.path)/Public/a/\(name)")
        #expect(try failure("a/\(name)") == nil)
    }

    @Test(
        "what is not there is missing, and nothing else",
        arguments: [
            "a/b/none", "none/b/file", "a/b/file/below", "a/b/file/", "", "a/b/file\0.txt",
            String(repeating: "n", count: 300),
        ]
    )
    func missing(_ path: String) throws {
        #expect(try failure(path) == .missing)
    }

    @Test(
        "a path that leads out of the root is refused, even to come back",
        arguments: [
            "../outside/file", "a/../../outside/file", "a/b/../../../Public/a/b/file", "/etc/passwd", "..", "a/../..",
        ]
    )
    func escapes(_ path: String) throws {
        #expect(try failure(path) == .denied(.crossesBoundary))
    }

    @Test(
        "a symbolic link is refused wherever it stands and wherever it leads",
        arguments: [
            ("Public/a/b/link", "file", "a/b/link"),
            ("Public/a/b/link", "/etc/passwd", "a/b/link"),
            ("Public/a/b/link", "../../../outside/file", "a/b/link"),
            ("Public/a/link", "b", "a/link/file"),
            ("Public/link", "a", "link/b/file"),
            ("Public/link", "../outside", "link/file"),
            ("Public/link", "/proc/self/root", "link/etc/passwd"),
            ("Public/link", "nowhere", "link"),
        ]
    )
    func links(_ place: String, _ target: String, _ path: String) throws {
        try link(place, to: target)
        #expect(try failure(path) == .denied(.tooManyLinks))
    }

    @Test("a folder exchanged for a link after the root was opened is refused too")
    func exchangedAfterwards() throws {
        let tree = try PublicTree(root: root.path)
        _ = try tree.open("a/b/file", expectedSize: 3, wait: .allowed)
        try #require(rename("\(root.path)/Public/a", "\(root.path)/moved") == 0)
        try link("Public/a", to: "../moved")
        #expect(throws: OpenFailure.denied(.tooManyLinks)) {
            _ = try tree.open("a/b/file", expectedSize: 3, wait: .allowed)
        }
    }

    @Test("the root itself may be a link of the operator's")
    func rootLink() throws {
        try #require(rename("\(root.path)/Public", "\(root.path)/disk") == 0)
        try link("Public", to: "disk")
        #expect(try failure("a/b/file") == nil)
    }

    @Test("a file of another size is damaged, and says what was found", arguments: [0, 2, 4, UInt64.max])
    func wrongSize(_ size: UInt64) throws {
        #expect(try failure("a/b/file", size: size) == .wrongSize(found: 3))
    }

    @Test("an empty file is a file")
    func empty() throws {
        try TemporaryFolder.write([], to: "\(root.path)/Public/empty")
        #expect(try failure("empty", size: 0) == nil)
    }

    @Test("sizes do not end at 32 bits", arguments: [5 << 30, 8 << 40])
    func sparse(_ size: UInt64) throws {
        try TemporaryFolder.writeSparse(size: size, tail: Array("end".utf8), to: "\(root.path)/Public/big")
        #expect(try failure("big", size: size) == nil)
        #expect(try failure("big", size: size & 0xFFFF_FFFF) == .wrongSize(found: size))
    }

    @Test("a folder, a FIFO, a socket: none is served, and none holds the caller")
    func notRegular() throws {
        try #require(mkfifo("\(root.path)/Public/fifo", 0o644) == 0)
        try #require(mknod("\(root.path)/Public/socket", S_IFSOCK | 0o644, 0) == 0)
        #expect(try failure("a/b") == .notRegular)
        #expect(try failure(".") == .notRegular)
        #expect(try failure("fifo", size: 0) == .notRegular)
        #expect(try failure("socket", size: 0) == .notRegular)
    }

    @Test("a file that the server may not read is denied, not missing")
    func unreadable() throws {
        try #require(chmod(root.path, 0o755) == 0)
        try #require(chmod("\(root.path)/Public/a/b/file", 0) == 0)
        #expect(try withPermissionsCounting { try failure("a/b/file") } == .denied(.accessDenied))
        try #require(chmod("\(root.path)/Public/a/b/file", 0o644) == 0)
        #expect(try withPermissionsCounting { try failure("a/b/file") } == nil)
        try #require(chmod("\(root.path)/Public/a", 0) == 0)
        #expect(try withPermissionsCounting { try failure("a/b/file") } == .denied(.accessDenied))
    }

    @Test("without waiting: what was just opened is opened again, and links are refused all the same")
    func neverWaiting() throws {
        let tree = try PublicTree(root: root.path)
        _ = try tree.open("a/b/file", expectedSize: 3, wait: .allowed)
        _ = try tree.open("a/b/file", expectedSize: 3, wait: .never)
        try link("Public/link", to: "a")
        #expect(throws: OpenFailure.self) { _ = try tree.open("link/b/file", expectedSize: 3, wait: .never) }
    }

    /// What may happen to `Public/a/b/file` while it is held open.
    enum Exchange: String, CaseIterable {
        case nothing, touched, replaced, overwritten, removed, linked, folderMoved, linkedElsewhere

        func happen(_ root: String) throws {
            let file = "\(root)/Public/a/b/file"
            switch self {
            case .nothing: break
            case .touched: try #require(utimes(file, nil) == 0)
            case .replaced: try TemporaryFolder.write(Array("abc".utf8), to: file)
            case .overwritten: try TemporaryFolder.writeInPlace(Array("abd".utf8), to: file)
            case .removed: try TemporaryFolder.remove(file)
            case .linked:
                try #require(rename(file, file + ".real") == 0)
                try #require(symlink("file.real", file) == 0)
            case .folderMoved: try #require(rename("\(root)/Public/a", "\(root)/Public/c") == 0)
            case .linkedElsewhere: try #require(Glibc.link(file, "\(root)/outside/second") == 0)
            }
        }
    }

    @Test("a path leads on to the file that was opened, or it does not", arguments: Exchange.allCases)
    func unchanged(_ exchange: Exchange) throws {
        let tree = try PublicTree(root: root.path)
        var status: FileStatus?
        _ = try tree.open("a/b/file", expectedSize: 3, wait: .allowed, status: &status)
        let opened = try #require(status)
        #expect(tree.isUnchanged("a/b/file", since: opened))
        // Until the clock has moved on, so that a change cannot have the time of the opening.
        var now = opened.changedNanoseconds
        while now == opened.changedNanoseconds {
            try TemporaryFolder.writeInPlace([], to: "\(root.path)/clock")
            now = try FileDescriptor.openFolder(root.path).status(of: "clock").changedNanoseconds
        }
        try exchange.happen(root.path)
        #expect(tree.isUnchanged("a/b/file", since: opened) == (exchange == .nothing))
    }

    @Test("without a document root there is an error that names it")
    func noRoot() throws {
        let path = "\(root.path)/none"
        #expect(throws: StoreError.cannotOpen(folder: "\(path)/Public", .noEntry)) { try PublicTree(root: path) }
        try TemporaryFolder.write([], to: "\(root.path)/file/Public")
        #expect(throws: StoreError.cannotOpen(folder: "\(root.path)/file/Public", .notFolder)) {
            try PublicTree(root: "\(root.path)/file")
        }
    }

    @Test(
        "what an error number means for the caller",
        arguments: [
            (Errno.processFileLimit, OpenFailure.exhausted(.processFileLimit), false),
            (.systemFileLimit, .exhausted(.systemFileLimit), false),
            (.noMemory, .exhausted(.noMemory), false),
            (.inputOutput, .io(.inputOutput), false),
            (.noEntry, .missing, true),
            (.notFolder, .missing, true),
            (.accessDenied, .denied(.accessDenied), true),
            (Errno(rawValue: EPERM), .denied(Errno(rawValue: EPERM)), true),
            (.tooManyLinks, .denied(.tooManyLinks), true),
            (Errno(rawValue: ENXIO), .notRegular, true),
        ]
    )
    func meaning(_ error: Errno, _ failure: OpenFailure, _ damage: Bool) {
        #expect(OpenFailure(error, wait: .allowed) == failure)
        #expect(failure.isDamage == damage)
    }

    @Test("EAGAIN is the kernel's way to say that it would wait, only where it was told not to")
    func wouldWait() {
        #expect(OpenFailure(.again, wait: .never) == .wouldWait)
        #expect(OpenFailure(.again, wait: .allowed) == .io(.again))
    }
}
