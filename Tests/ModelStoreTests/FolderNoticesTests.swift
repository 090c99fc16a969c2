import Glibc
import HostSystem
import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("FolderNotices: what the kernel tells of a store", .waits)
struct FolderNoticesTests {
    /// A user has 128 inotify instances, and other tests and programs of his may have them all just now.
    private func notices(_ store: ReleaseStore) throws -> FolderNotices {
        var left = 6000
        while true {
            do throws(Errno) {
                return try FolderNotices(layout: StoreLayout(root: store.root))
            } catch {
                guard error == .processFileLimit, left > 0 else { throw error }
                left -= 1
                usleep(20_000)
            }
        }
    }

    @Test("when the kernel's queue overflows, everything is looked at")
    func overflow() throws {
        let disk = try ReleaseStore()
        try disk.publish(.minimal())
        var notices = try notices(disk)
        try notices.followManifests()
        try notices.follow(try .named("Sam3"))
        var pending = PendingChanges()
        let queue = try FileDescriptor.openFolder("/proc/sys/fs/inotify").openFile("max_queued_events")
        let limit = try #require(Int(String(decoding: queue.readPiece(upTo: 20), as: UTF8.self).filter(\.isNumber)))
        // Two events each: moved from, and moved to.
        let names = [disk.manifestPath("Sam3", "1.4.0"), disk.manifestPath("Sam3", "1.5.0")]
        for turn in 0...(limit / 2) { try #require(rename(names[turn % 2], names[1 - turn % 2]) == 0) }
        try notices.drain(into: &pending, now: .now)
        #expect(pending.everything)
    }

    @Test("a publisher's drafts wake nobody; the rename to a version does")
    func drafts() throws {
        let disk = try ReleaseStore()
        try disk.publish(.minimal())
        var notices = try notices(disk)
        try notices.followManifests()
        try notices.follow(try .named("Sam3"))
        var pending = PendingChanges()
        try TemporaryFolder.writeInPlace([1], to: disk.path("manifests/Sam3/.draft"))
        try notices.drain(into: &pending, now: .now)
        #expect(pending.isEmpty)
        try #require(rename(disk.path("manifests/Sam3/.draft"), disk.manifestPath("Sam3", "2.0.0")) == 0)
        try notices.drain(into: &pending, now: .now)
        #expect(pending.models.map(\.text) == ["Sam3"])
        #expect(!pending.everything)
    }
}

@Suite("PendingChanges: a look when it is quiet, and after a while in any case")
struct PendingChangesTests {
    private let start = ContinuousClock.now

    private func due(_ pending: PendingChanges) -> Duration? {
        pending.due(quiet: .milliseconds(30), atMost: .milliseconds(200)).map { start.duration(to: $0) }
    }

    @Test("each event puts the look off, but not for ever")
    func putOff() throws {
        var pending = PendingChanges()
        #expect(due(pending) == nil)
        for (at, expected) in [(0, 30), (20, 50), (50, 80), (160, 190), (180, 200), (199, 200)] {
            pending.add(try .named("A"), at: start + .milliseconds(at))
            #expect(due(pending) == .milliseconds(expected))
        }
    }

    @Test("everything includes each model")
    func everything() throws {
        var pending = PendingChanges()
        pending.add(try .named("A"), at: start)
        #expect(pending.models.map(\.text) == ["A"])
        pending.addEverything(at: start)
        pending.add(try .named("B"), at: start)
        #expect(pending.everything)
        #expect(pending.models.isEmpty)
    }
}
