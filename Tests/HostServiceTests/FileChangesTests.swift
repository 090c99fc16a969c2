import HostSystem
import TestSupport
import Testing

@testable import HostService

@Suite("FileChanges: when files that have changed are read")
struct FileChangesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func look(_ name: String, _ text: String? = nil) throws -> [FileStatus?] {
        if let text { try TemporaryFolder.write(Array(text.utf8), to: "\(folder.path)/\(name)") }
        return [try? FileSystemPath.status("\(folder.path)/\(name)")]
    }

    /// Which of these looks find that the files are due to be read.
    private func dues(readAs read: [FileStatus?], _ looks: [[FileStatus?]]) -> [Bool] {
        var changes = FileChanges(read)
        return looks.map { changes.areDue($0) }
    }

    @Test("a change is due at the second look that finds it, once")
    func change() throws {
        let old = try look("a", "old")
        let new = try look("a", "newer")
        #expect(dues(readAs: old, [old, new, new, new]) == [false, false, true, false])
    }

    @Test("what still changes is waited for, and what is again as it was is no change")
    func movement() throws {
        let old = try look("a", "old")
        let half = try look("a", "half of it")
        let whole = try look("a", "the whole of it")
        let looks = [half, whole, whole, half, whole, whole]
        #expect(dues(readAs: old, looks) == [false, false, true, false, false, false])
    }

    @Test("a file that is gone is a change, and so is one that comes back")
    func absence() throws {
        let there = try look("a", "there")
        let gone = try look("b")
        #expect(gone == [nil])
        #expect(dues(readAs: there, [gone, gone, there, there]) == [false, true, false, true])
    }

    @Test("what was read on an order is not read again")
    func order() throws {
        let old = try look("a", "old")
        let new = try look("a", "newer")
        var changes = FileChanges(old)
        changes.accept(new)
        let looks = [new, new].map { changes.areDue($0) }
        #expect(looks == [false, false])
    }
}
