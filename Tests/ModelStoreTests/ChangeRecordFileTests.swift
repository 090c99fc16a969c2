import Glibc
import HostSystem
import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("A model's record is replaced as a whole, one change after the other", .waits)
struct ChangeRecordFileTests {
    @Test("a version whose manifest nobody can read is not promoted")
    func broken() throws {
        let store = try ChangedStore("1.0")
        try TemporaryFolder.write(Array("{".utf8), to: store.disk.manifestPath("Sam3", "1.0"))
        #expect(refusal { try store.promote("1.0") }?.hasPrefix("manifests/Sam3/1.0.json: ") == true)
        #expect(try store.outline() == nil)
    }

    @Test(
        "a record that is not understood is never written over",
        arguments: ["", "{", #"{"schemaVersion":99}"#, #"{"schemaVersion":1,"model":"Other"}"#]
    )
    func brokenRecord(_ text: String) throws {
        let store = try ChangedStore("1.0")
        try TemporaryFolder.write(Array(text.utf8), to: store.disk.recordPath("Sam3"))
        let before = try store.disk.inode("manifests/Sam3/model.json")
        for words in [
            refusal { try store.promote("1.0") }, refusal { try store.withdraw("1.0") },
            refusal { try store.rollBack() },
        ] {
            #expect(words?.hasPrefix("manifests/Sam3/model.json: ") == true)
        }
        #expect(try store.disk.inode("manifests/Sam3/model.json") == before)
    }

    @Test("a link in the record's place is refused, not followed")
    func link() throws {
        let store = try ChangedStore("1.0")
        try TemporaryFolder.write(Array("{}".utf8), to: store.disk.path("elsewhere.json"))
        try #require(symlink(store.disk.path("elsewhere.json"), store.disk.recordPath("Sam3")) == 0)
        #expect(refusal { try store.promote("1.0") }?.contains("a link") == true)
    }

    @Test("what a killed change left is taken away, and is no record meanwhile")
    func leftDraft() throws {
        let store = try ChangedStore("1.0")
        try TemporaryFolder.writeInPlace([0x7B], to: store.disk.path("manifests/Sam3/.model.json.draft"))
        #expect(try store.scanned()?.record == .empty)
        try store.promote("1.0")
        #expect(try store.outline() == "1.0")
        #expect(try store.disk.names("manifests/Sam3") == ["1.0.json", "model.json"])
    }

    @Test("the record can be read by the server's user, whatever the umask of who wrote it")
    func permissions() throws {
        let store = try ChangedStore("1.0")
        let before = umask(0o077)
        defer { umask(before) }
        try store.promote("1.0")
        var value = stat()
        try #require(stat(store.disk.recordPath("Sam3"), &value) == 0)
        #expect(value.st_mode & 0o777 == 0o644)
    }

    @Test("changes at once are made one after the other, and none is lost")
    func atOnce() async throws {
        let store = try ChangedStore("1.0")
        let names = (0..<20).map { "channel-\($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names { group.addTask { _ = try store.promote("1.0", to: name) } }
            try await group.waitForAll()
        }
        #expect(try store.scanned()?.channelNames.map(\.text) == names.sorted())
    }

    @Test("a change waits for the store's lock, and gives it back")
    func lock() throws {
        let store = try ChangedStore("1.0")
        let lock = try StoreLock(root: store.disk.root)
        let done = Monitor(false)
        let thread = try OSThread(name: "change") {
            _ = try? store.promote("1.0")
            done.update { $0 = true }
        }
        // It may not have begun; what it must not have done is the change.
        #expect(try store.outline() == nil)
        _ = consume lock
        #expect(done.await { $0 ? true : nil })
        thread.join()
        #expect(try store.outline() == "1.0")
        // Eventually, for a process that another test starts has a copy of the descriptor until its program begins.
        let folder = store.disk.path("manifests")
        #expect(try eventually { try FileDescriptor.openFolder(folder).openLockFile(".lock").lockIfFree() })
    }
}
