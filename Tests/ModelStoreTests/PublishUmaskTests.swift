import Glibc
import HostSystem
import ModelCatalog
import ModelStore
import Synchronization
import TestSupport
import Testing

@Suite("Publishing: what one user publishes another user's server reads", .waits)
struct PublishUmaskTests {
    /// Runs `body` on a thread with a umask of its own, which threads that it starts share.
    private static func withUmask(_ mask: mode_t, _ body: @escaping @Sendable () -> Void) throws {
        // The overlay does not import unshare(2); umask(2) alone would change it for all other tests.
        typealias Unshare = @convention(c) (CInt) -> CInt
        let cloneFileSystem: CInt = 0x200
        let symbol = UInt(bitPattern: try #require(dlsym(nil, "unshare")))
        let isApart = Mutex(false)
        let thread = try OSThread(name: "umask") {
            guard let address = UnsafeRawPointer(bitPattern: symbol) else { return }
            guard unsafeBitCast(address, to: Unshare.self)(cloneFileSystem) == 0 else { return }
            isApart.withLock { $0 = true }
            _ = umask(mask)
            body()
        }
        thread.join()
        try #require(isApart.withLock { $0 })
    }

    @Test("Whatever the umask, all folders of the store may be entered by all, and all that is published be read")
    func readByAll() throws {
        let bench = try PublishBench()
        let plan = try bench.plan(.standard())
        let failure = Mutex<(any Error)?>(nil)
        try Self.withUmask(0o077) {
            do { try bench.publish(plan) } catch { failure.withLock { $0 = error } }
        }
        #expect(failure.withLock { $0 == nil })
        try bench.expectSound(published: ["1.4.0"])
        let pooled = bench.names("Public/.pool").map { "Public/.pool/\($0)" }
        #expect(!pooled.isEmpty)
        let folders = [
            "Public", "Public/models", "Public/models/Sam3", "Public/.pool", "Public/.staging", "manifests",
            "manifests/Sam3",
        ]
        for folder in folders + pooled {
            var value = stat()
            try #require(lstat(bench.path(folder), &value) == 0)
            #expect(value.st_mode & 0o7777 == 0o755, "\(folder)")
        }
        var manifest = stat()
        try #require(lstat(bench.path("manifests/Sam3/1.4.0.json"), &manifest) == 0)
        #expect(manifest.st_mode & 0o7777 == 0o444)
    }

    @Test("A folder that was there keeps its permissions, and one that hands on its group goes on doing so")
    func inherited() throws {
        let bench = try PublishBench()
        let models = bench.path("Public/models")
        try TemporaryFolder.makeFolder(models)
        try #require(chmod(models, 0o2750) == 0)
        try bench.publish(.standard())
        for (folder, mode) in [("Public/models", mode_t(0o2750)), ("Public/models/Sam3", 0o2755)] {
            var value = stat()
            try #require(lstat(bench.path(folder), &value) == 0)
            #expect(value.st_mode & 0o7777 == mode, "\(folder)")
        }
    }
}
