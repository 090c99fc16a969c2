import Glibc
import HostSystem
import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("A model's record: channels and withdrawals as the scan finds them")
struct ModelRecordScanTests {
    private let open: OpenStore
    private var disk: ReleaseStore { open.disk }

    init() throws {
        open = try OpenStore()
        try disk.publish(.minimal(version: "1.0.0"))
        try disk.publish(.minimal(version: "1.1.0"))
    }

    private func stable(_ snapshot: CatalogSnapshot) throws -> String? {
        let stable = try #require(ChannelName("stable"))
        return snapshot.model("Sam3")?.record.channels[stable]?.version.text
    }

    private func put(_ text: String) throws {
        try TemporaryFolder.write(Array(text.utf8), to: disk.recordPath("Sam3"))
    }

    @Test("a model without a record has none")
    func none() throws {
        #expect(try open.scanner.scan().model("Sam3")?.record == .empty)
    }

    @Test("a broken record and none before it: unknown, for empty would serve what was withdrawn")
    func brokenFromTheStart() throws {
        try put("{")
        let first = try open.scanner.scan()
        #expect(first.model("Sam3")?.record == .unknown)
        #expect(OpenStore.outline(first) == ["Sam3 1.1.0 1.0.0"])
        #expect(open.foundPaths == ["manifests/Sam3/model.json"])
        try disk.writeRecord(model: "Sam3", channels: ["stable": "1.0.0"])
        #expect(try stable(open.scanner.scan(after: first)) == "1.0.0")
    }

    @Test("a record is read, read again when it changed, and gone when its file is")
    func changes() throws {
        try disk.writeRecord(model: "Sam3", channels: ["stable": "1.0.0"])
        let first = try open.scanner.scan()
        #expect(try stable(first) == "1.0.0")
        #expect(try open.scanner.scan(after: first).generation == first.generation)
        try disk.writeRecord(model: "Sam3", channels: ["stable": "1.1.0"])
        let second = try open.scanner.scan(after: first)
        #expect(try stable(second) == "1.1.0")
        try TemporaryFolder.remove(disk.recordPath("Sam3"))
        let third = open.scanner.rescan(model: try .named("Sam3"), in: second)
        #expect(third.model("Sam3")?.record == .empty)
        #expect(open.foundPaths.isEmpty)
    }

    @Test(
        "a broken record is a finding; the last good one holds and the versions are served",
        arguments: [
            "", "{", #"{"schemaVersion":99}"#,
            #"{"schemaVersion":1,"channels":{"latest":{"version":"1.0.0","share":100}}}"#,
        ]
    )
    func broken(_ text: String) throws {
        try disk.writeRecord(model: "Sam3", channels: ["stable": "1.0.0"])
        let first = try open.scanner.scan()
        try put(text)
        let second = try open.scanner.scan(after: first)
        #expect(try stable(second) == "1.0.0")
        #expect(OpenStore.outline(second) == ["Sam3 1.1.0 1.0.0"])
        #expect(open.foundPaths == ["manifests/Sam3/model.json"])
        // Still so at the next look, and after a version came meanwhile.
        try disk.publish(.minimal(version: "1.2.0"))
        let third = try open.scanner.scan(after: second)
        #expect(try stable(third) == "1.0.0")
        #expect(OpenStore.outline(third) == ["Sam3 1.2.0 1.1.0 1.0.0"])
        #expect(open.foundPaths == ["manifests/Sam3/model.json"])
        try disk.writeRecord(model: "Sam3", channels: ["stable": "1.1.0"])
        #expect(try stable(try open.scanner.scan(after: third)) == "1.1.0")
        #expect(open.foundPaths.isEmpty)
    }

    @Test("a link or a folder in the record's place does not undo what was withdrawn")
    func notRegular() throws {
        let withdrawal = Withdrawal(
            version: try #require(Version("1.1.0")),
            architecture: nil,
            reason: "wrong weights",
            replacement: nil,
            at: "2026-12-01T09:30:00Z"
        )
        try disk.writeRecord(model: "Sam3", withdrawals: [withdrawal])
        let first = try open.scanner.scan()
        #expect(first.model("Sam3")?.latest?.text == "1.0.0")
        try TemporaryFolder.remove(disk.recordPath("Sam3"))
        try #require(symlink("/dev/null", disk.recordPath("Sam3")) == 0)
        let second = try open.scanner.scan(after: first)
        #expect(second.model("Sam3")?.latest?.text == "1.0.0")
        #expect(open.foundPaths == ["manifests/Sam3/model.json"])
    }

    @Test("a record that cannot be read now does not undo what was withdrawn, and is tried again")
    func unreadable() throws {
        try #require(chmod(disk.root, 0o755) == 0)
        try disk.writeRecord(model: "Sam3", channels: ["stable": "1.0.0"])
        let first = try open.scanner.scan()
        try disk.writeRecord(model: "Sam3", channels: ["stable": "1.1.0"])
        try #require(chmod(disk.recordPath("Sam3"), 0) == 0)
        let outcome = try withPermissionsCounting { try open.scanner.look(after: first) }
        #expect(try stable(outcome.snapshot) == "1.0.0")
        #expect(outcome.unread.map(\.text) == ["Sam3"])
        // A change of permissions leaves the stamp alone.
        try #require(chmod(disk.recordPath("Sam3"), 0o644) == 0)
        let second = try withPermissionsCounting { try open.scanner.look(after: outcome.snapshot) }
        #expect(try stable(second.snapshot) == "1.1.0")
        #expect(second.unread.isEmpty)
        #expect(open.foundPaths.isEmpty)
    }

    @Test("a snapshot that was never published does not keep a record from the next one")
    func discarded() throws {
        let first = try open.scanner.scan()
        try disk.writeRecord(model: "Sam3", channels: ["stable": "1.0.0"])
        _ = try open.scanner.scan(after: first)
        #expect(try stable(try open.scanner.scan(after: first)) == "1.0.0")
    }
}
