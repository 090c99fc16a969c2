import Glibc
import HostSystem
import Synchronization
import TestSupport
import Testing

@testable import HostTelemetry

@Suite("Whatever happens to the file, recording goes on, losses are counted, and writing resumes by itself", .waits)
struct LedgerFaultTests {
    private func record(_ test: TestLedger, _ file: FileIdentity, _ octets: Range<UInt64>) {
        for octet in octets { test.recorder.answered(.get(file, octet...octet)) }
        test.recorder.tick()
    }

    private func isFailing(_ test: TestLedger, _ reason: DropReason) -> Bool {
        eventually { !test.status.isWritable && test.status.lastFailure?.reason == reason }
    }

    private func isWritingAgain(_ test: TestLedger) -> Bool {
        eventually { test.status.isWritable && test.status.queuedRows == 0 }
    }

    /// Rows and lost requests are all that were asked, whatever happened.
    private func expectNothingUncounted(_ test: TestLedger, requests: Int64) throws {
        let rows = try test.integer("SELECT coalesce(sum(requests), 0) FROM download")
        let lost = try test.integer("SELECT coalesce(sum(count), 0) FROM dropped WHERE kind = 'download'")
        #expect(rows + lost == requests)
        #expect(Int64(test.status.dropped.filter { $0.key.kind == .download }.reduce(0) { $0 + $1.value }) == lost)
    }

    @Test("another connection holds the lock: the queue fills to its bound, the rest is counted, all is told")
    func locked() throws {
        let test = try TestLedger { $0.queueCapacity = 10 }
        let file = try TestAsset(sizes: [1000]).files[0]
        record(test, file, 0..<1)
        test.write()
        let other = try test.database(.readWrite)
        try other.execute("BEGIN IMMEDIATE")
        record(test, file, 1..<2)
        #expect(isFailing(test, .locked))
        record(test, file, 2..<30)
        #expect(test.status.queuedRows == 10)
        #expect(test.droppedStatus == ["download|locked|19"])
        #expect(test.status.lastFailure?.until == nil)
        try other.execute("ROLLBACK")
        #expect(isWritingAgain(test))
        #expect(eventually { (try? test.droppedLines()) == ["download|locked|19"] })
        #expect(test.status.lastFailure?.until == test.clock.now)
        try expectNothingUncounted(test, requests: 30)
    }

    @Test("readers see a batch whole or not at all")
    func halfBatches() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [100_000]).files[0]
        record(test, file, 0..<1)
        test.write()
        let reader = try test.database()
        let count = try reader.prepare("SELECT count(*) FROM download")
        // One batch of 100 rows is one transaction.
        for batch: UInt64 in 0..<50 { record(test, file, 1 + batch * 100..<101 + batch * 100) }
        var seen: Int64 = 0
        while seen < 5001 {
            let isRow = try count.step()
            try #require(isRow)
            seen = count.integer(0)
            count.reset()
            #expect(seen % 100 == 1)
        }
    }

    @Test("a reader holds a snapshot for long: the log stops at its bound, losses are counted, then all goes on")
    func snapshotHeld() throws {
        let bound: Int64 = 1 << 20
        let test = try TestLedger { settings in
            settings.queueCapacity = 200
            settings.rowsPerTransaction = 100
            settings.maximumLogSize = bound
            settings.checkpointSize = 64 << 10
        }
        let file = try TestAsset(sizes: [1_000_000]).files[0]
        record(test, file, 0..<1)
        test.write()
        let reader = try test.database()
        try reader.execute("BEGIN")
        #expect(try reader.integer("SELECT count(*) FROM download") == 1)
        var next: UInt64 = 1
        var greatest: Int64 = 0
        while test.droppedStatus.isEmpty, next < 200_000 {
            record(test, file, next..<next + 100)
            next += 100
            greatest = max(greatest, test.status.logSize)
            if test.status.isWritable { _ = eventually { test.status.queuedRows <= 100 || !test.status.isWritable } }
        }
        #expect(isFailing(test, .logFull))
        #expect(greatest <= bound)
        #expect(test.status.logSize <= bound)
        #expect(try reader.integer("SELECT count(*) FROM download") == 1)
        try reader.execute("ROLLBACK")
        #expect(isWritingAgain(test))
        record(test, file, next..<next + 1)
        test.write()
        #expect(eventually { (try? test.integer("SELECT count(*) FROM dropped")) ?? 0 > 0 })
        try expectNothingUncounted(test, requests: Int64(next) + 1)
        // And the log does not stay at its peak.
        #expect(eventually { test.status.logSize == 0 })
    }

    @Test(
        "a damaged file is kept aside and a new one begun, at the start",
        arguments: ["noise", "damaged page", "cut short"]
    )
    func damagedAtStart(_ damage: String) throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [10_000]).files[0]
        for first in stride(from: 0, to: 5000, by: 500) as StrideTo<UInt64> {
            record(test, file, first..<first + 500)
            test.write()
        }
        test.stop()
        var content = try octets(of: test.path)
        switch damage {
        case "noise":
            content = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 167) }
        case "damaged page":
            for index in content.count / 2..<content.count / 2 + 8192 { content[index] = 0xA5 }
        default:
            content.removeLast(content.count / 2)
        }
        try TemporaryFolder.writeInPlace(content, to: test.path)
        try test.restart()
        record(test, file, 0..<3)
        test.write()
        let aside = "\(test.path).corrupt-20261202T093000Z"
        #expect(test.status.damagedFile == aside)
        #expect(test.status.timesBegunAnew == 1)
        #expect(try octets(of: aside) == content)
        #expect(try test.integer("SELECT count(*) FROM download") == 3)
        #expect(test.status.isWritable)
        #expect(test.status.lastFailure?.reason == .corrupt)
    }

    @Test("damage that shows while writing is handled as at the start; what was under way is in the new file")
    func damagedWhileRunning() throws {
        let failures = Atomic<Int>(0)
        let test = try TestLedger { settings in
            settings.beforeTransaction = { _ throws(SQLiteError) in
                if failures.load(ordering: .relaxed) > 0 {
                    failures.subtract(1, ordering: .relaxed)
                    throw SQLiteError(code: .SQLITE_CORRUPT, message: "database disk image is malformed")
                }
            }
        }
        let file = try TestAsset(sizes: [1000]).files[0]
        record(test, file, 0..<5)
        test.write()
        failures.store(1, ordering: .relaxed)
        record(test, file, 5..<8)
        test.write()
        #expect(try test.integer("SELECT count(*) FROM download") == 3)
        let aside = try #require(test.status.damagedFile)
        let old = try SQLiteDatabase(path: aside, access: .readOnly)
        #expect(try old.integer("SELECT count(*) FROM download") == 5)
        #expect(test.droppedStatus.isEmpty)
    }

    @Test("two damaged files of one second get two names")
    func names() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/t.sqlite"
        let first = DamagedFile.name(for: path, at: TestLedger.start)
        try TemporaryFolder.writeInPlace([1], to: first)
        #expect(DamagedFile.name(for: path, at: TestLedger.start) == first + "-2")
    }

    @Test(
        "the file is deleted while it is written: a new one is begun, no row is lost after that",
        arguments: [[""], ["", "-wal", "-shm"], ["-wal"], ["-wal", "-shm"]]
    )
    func deleted(_ suffixes: [String]) throws {
        let gate = WriterGate()
        let test = try TestLedger { settings in
            let now = settings.now
            settings.now = {
                gate.pass()
                return now()
            }
        }
        let file = try TestAsset(sizes: [1000]).files[0]
        record(test, file, 0..<5)
        test.write()
        // All at once for the writer: between two of them it could begin a new file, and lose that to the next.
        try gate.holding { for suffix in suffixes { #expect(unlink(test.path + suffix) == 0) } }
        #expect(eventually { test.status.timesBegunAnew == 1 && FileIdentifier(test.path + "-wal") != nil })
        record(test, file, 5..<8)
        test.write()
        // What only the log is missing of was moved into the file when that was closed.
        #expect(try test.integer("SELECT count(*) FROM download") == (suffixes.contains("") ? 3 : 8))
        #expect(try test.lines("PRAGMA integrity_check") == ["ok"])
        #expect(test.status.isWritable)
    }

    @Test("another ledger is moved to the path: it is written from then on, without the old one's log")
    func replaced() throws {
        let test = try TestLedger()
        let other = try TestLedger()
        let file = try TestAsset(sizes: [1000]).files[0]
        record(test, file, 0..<5)
        test.write()
        record(other, file, 0..<2)
        other.stop()
        #expect(rename(other.path, test.path) == 0)
        #expect(eventually { test.status.timesBegunAnew == 1 })
        record(test, file, 5..<6)
        test.write()
        #expect(try test.integer("SELECT count(*) FROM download") == 3)
        #expect(try test.lines("PRAGMA integrity_check") == ["ok"])
    }

    @Test("a folder that cannot be there: all is counted or kept, and written when it can be")
    func noFolder() throws {
        let test = try TestLedger(path: "var/telemetry.sqlite") { settings in
            settings.queueCapacity = 4
            let folder = settings.path.dropLast("/telemetry.sqlite".utf8.count)
            try? TemporaryFolder.writeInPlace([1], to: String(folder))
        }
        let file = try TestAsset(sizes: [1000]).files[0]
        #expect(isFailing(test, .cannotOpen))
        record(test, file, 0..<10)
        #expect(test.droppedStatus == ["download|cannot-open|6"])
        #expect(unlink("\(test.folder.path)/var") == 0)
        #expect(isWritingAgain(test))
        #expect(try test.integer("SELECT count(*) FROM download") == 4)
        #expect(eventually { (try? test.droppedLines()) == ["download|cannot-open|6"] })
    }

    @Test("a file that another program cuts while it is written is kept aside, and a new one begun")
    func cutMeanwhile() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [1000]).files[0]
        record(test, file, 0..<10)
        test.write()
        #expect(eventually { test.status.logSize == 0 })
        #expect(truncate(test.path, 40960) == 0)
        record(test, file, 10..<15)
        #expect(eventually { test.status.damagedFile != nil && test.status.isWritable })
        record(test, file, 15..<20)
        test.write()
        #expect(try test.database().text("PRAGMA integrity_check") == "ok")
        #expect(try test.integer("SELECT count(*) FROM download") >= 5)
    }

    @Test("texts of the greatest length, of a new client each, do not fill the file beyond what makes room")
    func longTexts() throws {
        let test = try TestLedger { $0.maximumSize = 16 << 20 }
        let file = try TestAsset(sizes: [1_000_000]).files[0]
        for round in 0..<30 {
            for number in 0..<1024 {
                let text = InternedText("\(round) \(number) " + String(repeating: "x", count: 240))
                test.recorder.answered(.get(file, 0...UInt64(number), agent: text, device: text))
            }
            test.write()
        }
        #expect(test.status.isWritable)
        #expect(test.status.dropped.keys.allSatisfy { $0.reason == .sizeLimit })
        #expect(test.status.databaseSize <= 16 << 20)
    }

    @Test(
        "each error of a transaction is tried again, and nothing of it is written twice",
        arguments: [
            (.SQLITE_FULL, .diskFull), (.SQLITE_IOERR, .inputOutput), (.SQLITE_READONLY, .readOnly),
            (.SQLITE_CANTOPEN, .cannotOpen), (.SQLITE_NOMEM, .noMemory), (.SQLITE_BUSY, .locked),
        ] as [(ResultCode, DropReason)]
    )
    func triesAgain(_ code: ResultCode, _ reason: DropReason) throws {
        let isBroken = Atomic<Bool>(false)
        let test = try TestLedger { settings in
            settings.queueCapacity = 10
            settings.beforeTransaction = { _ throws(SQLiteError) in
                if isBroken.load(ordering: .relaxed) { throw SQLiteError(code: code, message: "as if") }
            }
        }
        let file = try TestAsset(sizes: [1000]).files[0]
        record(test, file, 0..<5)
        test.write()
        isBroken.store(true, ordering: .relaxed)
        record(test, file, 5..<8)
        #expect(isFailing(test, reason))
        record(test, file, 8..<20)
        isBroken.store(false, ordering: .relaxed)
        #expect(isWritingAgain(test))
        #expect(try test.lines("SELECT requests, bytes_sent, bytes_covered FROM transfer") == ["15|15|15"])
        #expect(eventually { (try? test.droppedLines()) == ["download|\(reason.rawValue)|5"] })
        try expectNothingUncounted(test, requests: 20)
    }

    @Test("a full disk in the middle of a transaction undoes it; it is written once when there is room")
    func fullDisk() throws {
        let isFull = Atomic<Bool>(false)
        let test = try TestLedger { settings in
            settings.beforeTransaction = { database throws(SQLiteError) in
                // A limit of the pages it has is to SQLite what a full disk is: SQLITE_FULL where it needs one more.
                let limit = isFull.load(ordering: .relaxed) ? 1 : 1 << 20
                _ = try database.integer("PRAGMA max_page_count = \(limit)")
            }
        }
        let file = try TestAsset(sizes: [10_000]).files[0]
        record(test, file, 0..<1)
        test.write()
        isFull.store(true, ordering: .relaxed)
        for batch: UInt64 in 0..<10 { record(test, file, 1 + batch * 100..<101 + batch * 100) }
        #expect(isFailing(test, .diskFull))
        isFull.store(false, ordering: .relaxed)
        #expect(isWritingAgain(test))
        #expect(try test.lines("SELECT requests, bytes_covered FROM transfer") == ["1001|1001"])
        #expect(test.status.transfersBegun == 1)
        #expect(try test.integer("SELECT count(*) FROM download") == 1001)
        #expect(test.droppedStatus.isEmpty)
    }

    @Test("a batch that SQLite refuses is given up and counted; the others are written")
    func rejected() throws {
        let test = try TestLedger { settings in
            settings.beforeTransaction = { database throws(SQLiteError) in
                try database.execute(
                    """
                    CREATE TRIGGER IF NOT EXISTS no_seven BEFORE INSERT ON download WHEN new.range_first = 7
                    BEGIN SELECT raise(ABORT, 'seven'); END
                    """
                )
            }
        }
        let file = try TestAsset(sizes: [1000]).files[0]
        for first: UInt64 in [0, 6, 8] { record(test, file, first..<first + 2) }
        #expect(isWritingAgain(test))
        #expect(eventually { (try? test.droppedLines()) == ["download|rejected|2"] })
        #expect(try test.lines("SELECT range_first FROM download ORDER BY 1") == ["0", "1", "8", "9"])
        #expect(try test.lines("SELECT requests, bytes_covered FROM transfer") == ["4|4"])
        #expect(test.status.transfersBegun == 1)
    }

    @Test("stop writes what waits; what comes later is counted")
    func stops() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [1000]).files[0]
        record(test, file, 0..<100)
        test.stop()
        #expect(try test.integer("SELECT count(*) FROM download") == 100)
        record(test, file, 100..<103)
        #expect(test.droppedStatus == ["download|stopped|3"])
        #expect(test.ledger.stop())
    }

    @Test("stop ends although nothing can be written, and counts what is lost")
    func stopsLocked() throws {
        let said = Mutex<[String]>([])
        let test = try TestLedger { $0.onEvent = { line in said.withLock { $0.append(line) } } }
        let file = try TestAsset(sizes: [1000]).files[0]
        record(test, file, 0..<1)
        test.write()
        let other = try test.database(.readWrite)
        try other.execute("BEGIN IMMEDIATE")
        record(test, file, 1..<4)
        // A call waits for little more than it was told to, which for a busy disk may be too little.
        #expect(eventually { test.ledger.stop(within: 20) })
        #expect(test.droppedStatus == ["download|stopped|3"])
        #expect(test.status.queuedRows == 0)
        // Where the file cannot be told, the server's log is.
        let last = "\(test.path): lost, and not in the table dropped: 3 download (stopped)"
        #expect(said.withLock { $0.last } == last)
    }

    @Test("after a clean end a reader who may not write in the folder finds the log's files")
    func filesStay() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [1000]).files[0]
        record(test, file, 0..<3)
        test.stop()
        #expect(FileIdentifier(test.path + "-shm") != nil)
        #expect(try octets(of: test.path + "-wal").isEmpty)
        #expect(try test.integer("SELECT count(*) FROM download") == 3)
    }
}

/// Where the writer, which asks for the time in each of its rounds, can be made to stand still between two of them.
private final class WriterGate: Sendable {
    private struct State {
        var isClosed = false
        var isHolding = false
    }

    private let state = Monitor(State())

    /// Called by whoever asks for the time.
    func pass() {
        state.await { state in
            state.isHolding = state.isClosed
            return state.isClosed ? nil : ()
        }
    }

    /// Runs `body` while the writer stands still.
    func holding(_ body: () throws -> Void) throws {
        state.update { $0.isClosed = true }
        defer { state.update { $0.isClosed = false } }
        try #require(eventually { state.update { $0.isHolding } })
        try body()
    }
}
