import ModelCatalog
import TestSupport
import Testing

@testable import HostTelemetry

@Suite("Transfers: one device's download of one asset, over all its requests", .waits)
struct TransferTests {
    private static let hour: Int64 = 3_600_000

    private func transfers(_ test: TestLedger) throws -> [String] {
        try test.lines(
            """
            SELECT requests, bytes_sent, bytes_covered, bytes_total, completed_ms IS NOT NULL FROM transfer
            ORDER BY id
            """
        )
    }

    @Test("eight parallel segments are one transfer, complete with the last")
    func segments() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [800]).files[0]
        for segment: UInt64 in [3, 0, 7, 1, 6, 2, 5] {
            test.recorder.answered(.get(file, segment * 100...segment * 100 + 99))
        }
        test.write()
        #expect(try transfers(test) == ["7|700|700|800|0"])
        test.clock.now += 5
        test.recorder.answered(.get(file, 400...499, at: TestLedger.start + 5))
        test.write()
        #expect(try transfers(test) == ["8|800|800|800|1"])
        #expect(try test.integer("SELECT completed_ms FROM transfer") == TestLedger.start + 5)
        #expect(try test.integer("SELECT sum(resumed) FROM download") == 0)
    }

    @Test("octets that came twice count once as covered and twice as sent")
    func overlaps() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [100]).files[0]
        test.recorder.answered(.get(file, 0...59))
        test.recorder.answered(.get(file, 40...79))
        test.write()
        #expect(try transfers(test) == ["2|100|80|100|0"])
    }

    @Test("an asset is complete when each of its files is; empty files need no request")
    func wholeAsset() throws {
        let test = try TestLedger()
        let asset = try TestAsset(sizes: [10, 0, 20, 0])
        test.recorder.answered(.get(asset.files[2]))
        test.write()
        #expect(try transfers(test) == ["1|20|20|30|0"])
        test.recorder.answered(.get(asset.files[0]))
        test.write()
        #expect(try transfers(test) == ["2|30|30|30|1"])
        // Asked for after all the others, as a client does that goes by the list, they are no new download.
        test.recorder.answered(.get(asset.files[1], at: TestLedger.start + 10))
        test.recorder.answered(.get(asset.files[3], at: TestLedger.start + 20))
        test.write()
        #expect(try transfers(test) == ["4|30|30|30|1"])
    }

    @Test("the archive alone completes it too, and a companion is in no transfer")
    func archive() throws {
        let test = try TestLedger()
        let asset = try TestAsset(sizes: [10, 20])
        test.recorder.answered(.get(asset.archive, 0...999))
        test.recorder.answered(.get(asset.archive, 1000...asset.archive.bytesTotal - 1))
        test.recorder.answered(.get(try TestAsset.companion(size: 7)))
        test.write()
        let size = asset.archive.bytesTotal
        #expect(try transfers(test) == ["2|\(size)|\(size)|\(size)|1"])
        #expect(
            try test.lines("SELECT asset, architecture, kind, path FROM download WHERE kind = 'companion'")
                == ["-|-|companion|tokenizer.json"]
        )
    }

    @Test("a cut answer covers what was acknowledged; the next one from there on is a resumption")
    func resumes() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [100]).files[0]
        test.recorder.answered(.get(file, sent: 30))
        test.recorder.answered(.get(file, 30...99, sent: 20))
        test.recorder.answered(.get(file, 50...99))
        test.write()
        #expect(try transfers(test) == ["3|100|100|100|1"])
        #expect(try test.lines("SELECT completed, resumed FROM download ORDER BY id") == ["0|0", "0|1", "1|1"])
        #expect(
            try test.lines("SELECT requests, cut, resumed, resume_rate FROM v_resume_rate") == ["3|2|2|1.0"]
        )
    }

    @Test("loops hand over in any order: a cut that becomes known after the answer that goes on makes it a resumed one")
    func cutKnownLater() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [100]).files[0]
        let cut = FinishedAnswer.get(file, sent: 30, at: TestLedger.start + 100)
        let next = FinishedAnswer.get(file, 30...99, at: TestLedger.start + 200, duration: 90)
        test.recorder.answered(next)
        test.write()
        test.recorder.answered(cut)
        test.write()
        #expect(try test.lines("SELECT range_first, resumed FROM download ORDER BY id") == ["30|1", "-|0"])
        // A segment that was under way long before is none.
        let other = try TestLedger()
        other.recorder.answered(.get(file, 30...99, at: TestLedger.start + 9_000, duration: 9_000))
        other.write()
        other.recorder.answered(.get(file, sent: 30, at: TestLedger.start + 5_000))
        other.write()
        #expect(try other.integer("SELECT sum(resumed) FROM download") == 0)
        #expect(try transfers(other) == ["2|100|100|100|1"])
    }

    @Test("what a reset left unacknowledged is neither sent nor covered")
    func unacknowledged() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [100]).files[0]
        test.recorder.answered(.get(file, sent: 0))
        test.write()
        #expect(try transfers(test) == ["1|0|0|100|0"])
    }

    @Test(
        "an answer that goes on behind octets that a reset left unacknowledged says that they have come",
        arguments: [
            // Acknowledged, handed over beyond it, where the next begins: covered of 1000 when that has ended.
            (300, 200, 350, 1000), (300, 200, 300, 1000), (300, 200, 500, 1000), (0, 200, 1, 1000),
            // Beyond what was handed over, or before what was acknowledged.
            (300, 200, 501, 799), (300, 200, 250, 1000), (300, 0, 301, 999), (0, 0, 1, 999),
        ] as [(UInt64, UInt64, UInt64, Int64)]
    )
    func goesOnBehindDoubt(_ sent: UInt64, _ unacknowledged: UInt64, _ next: UInt64, _ covered: Int64) throws {
        for (isSwapped, isRestarted) in [(false, false), (false, true), (true, false)] {
            let test = try TestLedger { $0.transfersInMemory = 0 }
            let file = try TestAsset(sizes: [50, 1000]).files[1]
            let device = test.recorder.intern(Array("d".utf8).span)
            var cut = FinishedAnswer.get(file, sent: sent, device: device)
            cut.bytesUnacknowledged = unacknowledged
            let rest = FinishedAnswer.get(file, next...999, device: device)
            test.recorder.answered(isSwapped ? rest : cut)
            test.write()
            if isRestarted { try test.restart() }
            let known = test.recorder.intern(Array("d".utf8).span)
            var last = isSwapped ? cut : rest
            last.device = known
            test.recorder.answered(last)
            test.write()
            // Never more covered than sent.
            let twice = sent > next ? Int64(sent - next) : 0
            #expect(try transfers(test) == ["2|\(covered + twice)|\(covered)|1050|0"])
        }
    }

    @Test(
        "of octets left unacknowledged no more may have come than a peer keeps back; another segment says nothing of it"
    )
    func doubtIsBounded() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [1_000_000]).files[0]
        var cut = FinishedAnswer.get(file, 0...499_999, sent: 100_000)
        cut.bytesUnacknowledged = 300_000
        test.recorder.answered(cut)
        test.recorder.answered(.get(file, 100_000 + 16_385...299_999))
        test.recorder.answered(.get(file, 500_000...999_999))
        test.write()
        let covered = 100_000 + (300_000 - 116_385) + 500_000
        #expect(try transfers(test) == ["3|\(covered)|\(covered)|1000000|0"])
    }

    @Test("multipart/byteranges covers its parts when all of it arrived, and nothing otherwise")
    func multipart() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [100]).files[0]
        var answer = FinishedAnswer.get(file, sent: 300, status: 206)
        answer.parts = [0...9, 50...69]
        answer.contentLength = 400
        test.recorder.answered(answer)
        answer.bytesSent = 400
        test.recorder.answered(answer)
        test.write()
        #expect(try transfers(test) == ["2|700|30|100|0"])
    }

    @Test("two whole answers to one client within a second are two answers' octets and one completed transfer")
    func twiceAtOnce() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [100]).files[0]
        for _ in 0..<2 { test.recorder.answered(.get(file, duration: 3)) }
        test.write()
        #expect(try transfers(test) == ["2|200|100|100|1"])
    }

    @Test("one that was under way at completion belongs to it; one begun after opens a new transfer")
    func afterCompletion() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [100]).files[0]
        test.recorder.answered(.get(file, at: TestLedger.start))
        test.recorder.answered(.get(file, 0...49, at: TestLedger.start + 10, duration: 20))
        test.recorder.answered(.get(file, 50...99, at: TestLedger.start + 20, duration: 10))
        test.write()
        #expect(try transfers(test) == ["2|150|100|100|1", "1|50|50|100|0"])
        #expect(try test.integer("SELECT completed_ms FROM transfer WHERE id = 1") == TestLedger.start)
    }

    @Test(
        "without AIModel-Download: the same device, or client and agent, within 24 hours of its last request",
        arguments: [
            (0, "d", 1, "a", "d", 2, "b", 1),  // a device that roams
            (0, nil, 1, "a", nil, 1, "a", 1),
            (0, nil, 1, "a", nil, 2, "a", 2),
            (0, nil, 1, "a", nil, 1, "b", 2),
            (0, nil, 1, "a", nil, 1, nil, 2),
            (0, "d", 1, "a", "e", 1, "a", 2),  // two devices behind one address
            (0, "d", 1, "a", nil, 1, "a", 2),
            (24, "d", 1, "a", "d", 1, "a", 1),
            (24, nil, 1, "a", nil, 1, "a", 1),
            (25, "d", 1, "a", "d", 1, "a", 2),
            (25, nil, 1, "a", nil, 1, "a", 2),
        ] as [(Int64, String?, UInt64, String?, String?, UInt64, String?, Int64)]
    )
    func identity(
        hours: Int64,
        device: String?,
        client: UInt64,
        agent: String?,
        otherDevice: String?,
        otherClient: UInt64,
        otherAgent: String?,
        expected: Int64
    ) throws {
        // 0 transfers are kept in memory in every other run: the ledger's answer must be the same.
        for transfersInMemory in [100, 0] {
            let test = try TestLedger { $0.transfersInMemory = transfersInMemory }
            let file = try TestAsset(sizes: [100]).files[0]
            let text = { (text: String?) in text.map { test.recorder.intern(Array($0.utf8).span) } }
            test.recorder.answered(.get(file, 0...9, client: client, agent: text(agent), device: text(device)))
            test.write()
            test.recorder.answered(
                .get(
                    file,
                    10...19,
                    client: otherClient,
                    agent: text(otherAgent),
                    device: text(otherDevice),
                    at: TestLedger.start + hours * Self.hour
                )
            )
            test.write()
            #expect(try test.integer("SELECT count(*) FROM transfer") == expected)
        }
    }

    @Test("AIModel-Download names its transfer, whoever asks and however late, even when it is complete")
    func named() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [100]).files[0]
        let other = try TestAsset(version: "1.5.0", sizes: [100]).files[0]
        let one = try DownloadIdentifier.numbered(1)
        let two = try DownloadIdentifier.numbered(2)
        test.recorder.answered(.get(file, client: 1, download: one))
        test.recorder.answered(.get(file, 0...9, client: 1, download: two))
        test.recorder.answered(.get(other, 0...9, client: 1, download: one))
        test.write()
        try test.restart()
        let later = TestLedger.start + 48 * Self.hour
        test.recorder.answered(.get(file, 0...9, client: 2, download: one, at: later))
        test.recorder.answered(.get(file, 10...19, client: 3, download: two, at: later))
        test.write()
        #expect(try transfers(test) == ["2|110|100|100|1", "2|20|20|100|0", "1|10|10|100|0"])
        #expect(try test.integer("SELECT completed_ms FROM transfer WHERE id = 1") == TestLedger.start)
    }

    @Test("an unfinished transfer goes on after a restart, and completes once")
    func restart() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [100]).files[0]
        for (first, last) in [(0, 29), (60, 99), (20, 59)] as [(UInt64, UInt64)] {
            let device = test.recorder.intern(Array("d".utf8).span)
            test.recorder.answered(.get(file, first...last, device: device))
            try test.restart()
        }
        #expect(try transfers(test) == ["3|110|100|100|1"])
        #expect(try test.lines("SELECT downloads, completed, devices FROM daily") == ["1|1|1"])
    }

    @Test("the status counts transfers that the ledger holds: begun, and completed, each once since the start")
    func counts() throws {
        let test = try TestLedger()
        func counts() -> [UInt64] { [test.status.transfersBegun, test.status.transfersCompleted] }
        let asset = try TestAsset(sizes: [100, 50])
        #expect(counts() == [0, 0])
        test.recorder.answered(.get(asset.files[0], 0...9))
        test.recorder.answered(.get(asset.files[1], client: 2))
        test.write()
        #expect(counts() == [2, 0])
        test.recorder.answered(.get(asset.files[0], client: 2))
        test.write()
        #expect(counts() == [2, 1])
        // What completes nothing and begins nothing counts as neither.
        test.recorder.answered(.get(asset.files[0], 0...9))
        test.recorder.answered(.get(try TestAsset.companion(size: 10)))
        test.write()
        #expect(counts() == [2, 1])
        try test.restart()
        test.recorder.answered(.get(asset.archive, client: 3))
        test.write()
        #expect(counts() == [1, 1])
    }

    @Test("more gaps than are kept are lost to the count of octets covered, and counted as lost")
    func tooManyPieces() throws {
        let test = try TestLedger()
        let pieces = UInt64(Coverage.limit) + 10
        let file = try TestAsset(sizes: [pieces * 2]).files[0]
        for piece in 0..<pieces { test.recorder.answered(.get(file, piece * 2...piece * 2)) }
        test.write()
        #expect(try test.integer("SELECT bytes_covered FROM transfer") == Int64(Coverage.limit))
        #expect(try test.droppedLines() == ["transfer|too-many-pieces|10"])
        #expect(test.droppedStatus == ["transfer|too-many-pieces|10"])
    }

    @Test("random requests of many devices, with restarts: exactly what a plain model says", arguments: 1...6)
    func againstPlainModel(_ seed: UInt64) throws {
        struct Model {
            var marks: [Bool]
            var requests = 0
            var sent = 0
        }
        var random = SeededGenerator(seed: seed)
        let test = try TestLedger { $0.transfersInMemory = Int(seed) }
        let sizes: [UInt64] = [40, 0, 25, 1, 60]
        let asset = try TestAsset(sizes: sizes)
        let starts: [Int] = [0, 40, 40, 65, 66]
        var models = (0..<12).map { _ in Model(marks: [Bool](repeating: false, count: Int(asset.size))) }
        var identities: Set<String> = []
        for step in 0..<600 {
            let device = Int.random(in: 0..<12, using: &random)
            if models[device].marks.allSatisfy({ $0 }) { continue }
            let index = Int.random(in: 0..<sizes.count, using: &random)
            let file = asset.files[index]
            guard sizes[index] > 0 else { continue }
            let first = UInt64.random(in: 0..<sizes[index], using: &random)
            let last = UInt64.random(in: first..<sizes[index], using: &random)
            let sent = UInt64.random(in: 0...last - first + 1, using: &random)
            // Even ones name their downloads, odd ones are known by their device.
            let name = test.recorder.intern(Array("device \(device)".utf8).span)
            test.recorder.answered(
                .get(
                    file,
                    first...last,
                    sent: sent,
                    client: UInt64(step % 3),
                    device: device % 2 == 1 ? name : nil,
                    download: device % 2 == 0 ? try .numbered(device) : nil,
                    duration: 1
                )
            )
            identities.insert(device % 2 == 1 ? "device \(device)" : "client \(step % 3)")
            models[device].requests += 1
            models[device].sent += Int(sent)
            for octet in first..<first + sent { models[device].marks[starts[index] + Int(octet)] = true }
            if step % 20 == 19 { test.write() }
            if step % 150 == 149 { try test.restart() }
        }
        test.write()
        let found = try transfers(test).sorted()
        let expected = models.filter { $0.requests > 0 }.map { model in
            let covered = model.marks.count { $0 }
            return "\(model.requests)|\(model.sent)|\(covered)|126|\(covered == 126 ? 1 : 0)"
        }
        #expect(found == expected.sorted())
        // A device counts once a day; where it is not known, a client does.
        #expect(try test.lines("SELECT downloads, devices FROM daily") == ["\(expected.count)|\(identities.count)"])
    }
}

extension TestAsset {
    static func companion(size: UInt64) throws -> FileIdentity {
        FileIdentity(
            companion: "tokenizer.json",
            model: try #require(ModelName("sam")),
            version: try #require(Version("1.4.0")),
            size: size
        )
    }

    @Test("a download that ever other devices name costs no more memory than one that one device names")
    func keysBounded() throws {
        let folder = try TemporaryFolder()
        let settings = LedgerSettings(path: "\(folder.path)/telemetry.sqlite")
        let file = try LedgerFile.open(settings, isChecked: true, isOver: { false })
        let asset = try TestAsset(sizes: [1000]).files[0]
        let download = try DownloadIdentifier.numbered(1)
        var tracker = TransferTracker(limit: 16)
        var daily = DailyRollup()
        for number: UInt64 in 0..<100 {
            let answer = FinishedAnswer.get(
                asset,
                number...number,
                device: InternedText("device \(number)"),
                download: download
            )
            _ = try tracker.add(AnswerRow(answer), in: file, &daily)
        }
        #expect(tracker.count == 1)
        #expect(tracker.keyCount == 2)
        try tracker.save(in: file)
        #expect(try file.database.integer("SELECT bytes_covered FROM transfer") == 100)
    }
}
