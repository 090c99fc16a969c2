import TestSupport
import Testing

@testable import HostTelemetry

@Suite("The ledger keeps its age and its size", .waits)
struct HousekeepingTests {
    private static let day = UTCDay.milliseconds

    @Test("rows go when they are older than they are to be kept, by small deletes; daily stays")
    func retention() throws {
        let test = try TestLedger { $0.retentionMilliseconds = 90 * Self.day }
        let file = try TestAsset(sizes: [100_000]).files[0]
        for octet: UInt64 in 0..<2500 { test.recorder.answered(.get(file, octet...octet)) }
        test.recorder.versionCheck(VersionCheck(at: TestLedger.start, model: "m", client: 1, outcome: .manifest))
        test.recorder.variantMiss(
            VariantMiss(
                at: TestLedger.start,
                model: "sam",
                version: "1.4.0",
                base: "SAM",
                architecture: "h19p",
                answeredWith: .problem,
                client: 1
            )
        )
        let report = DeviceReport(
            at: TestLedger.start,
            model: "sam",
            version: "1.4.0",
            asset: "SAM.h18p.aimodelc",
            architecture: "h18p",
            outcome: .corrupt,
            client: 1
        )
        #expect(test.report(report))
        test.write()
        let daily = try test.lines("SELECT * FROM daily ORDER BY asset")
        #expect(
            daily == [
                "2026-12-02|sam|1.4.0|SAM.h18p.aimodelc|h18p|1|0|2500|0|1|1",
                "2026-12-02|sam|1.4.0|SAM.h19p.aimodelc|h19p|0|0|0|1|0|0",
            ]
        )
        test.clock.now = TestLedger.start + 90 * Self.day
        test.recorder.answered(.get(file, 9...9, at: test.clock.now))
        test.write()
        #expect(try test.integer("SELECT count(*) FROM download") == 2501)
        test.clock.now += 1
        let sum = """
            SELECT (SELECT count(*) FROM download) + (SELECT count(*) FROM transfer)
                + (SELECT count(*) FROM version_check) + (SELECT count(*) FROM variant_miss)
                + (SELECT count(*) FROM device_report) + (SELECT count(*) FROM internal_transfer)
            """
        // The new answer, its transfer, and what that covered.
        #expect(eventually { (try? test.integer(sum)) == 3 })
        #expect(try test.lines("SELECT * FROM daily WHERE day = '2026-12-02' ORDER BY asset") == daily)
        #expect(test.droppedStatus.isEmpty)
        // Ids go on from where they were.
        #expect(try test.integer("SELECT min(id) FROM download") == 2501)
    }

    @Test("at its greatest size the oldest downloads make room and are counted; the file never grows beyond it")
    func size() throws {
        let limit: Int64 = 1 << 20
        let test = try TestLedger { $0.maximumSize = limit }
        let file = try TestAsset(sizes: [1_000_000]).files[0]
        #expect(test.report(.loaded))
        var next: UInt64 = 0
        for _ in 0..<40 {
            for octet in next..<next + 400 { test.recorder.answered(.get(file, octet...octet)) }
            next += 400
            test.write()
            #expect(test.status.databaseSize <= limit)
        }
        test.stop()
        let rows = try test.integer("SELECT count(*) FROM download")
        let lost = try test.integer("SELECT sum(count) FROM dropped")
        #expect(rows + lost == Int64(next))
        #expect(lost > 0)
        #expect(try test.droppedLines() == ["download|size-limit|\(lost)"])
        #expect(test.droppedStatus == ["download|size-limit|\(lost)"])
        // The newest are there, other tables are untouched, and the roll-up knows all.
        #expect(try test.integer("SELECT max(range_first) FROM download") == Int64(next) - 1)
        #expect(try test.integer("SELECT min(range_first) FROM download") == lost)
        #expect(try test.integer("SELECT count(*) FROM device_report") == 1)
        #expect(try test.integer("SELECT sum(bytes_sent) FROM daily") == Int64(next))
        #expect(try test.integer("SELECT bytes_covered FROM transfer") == Int64(next))
        #expect(test.status.isWritable)
    }

    @Test(
        "a small ledger is written however long its rows are, and however many devices there are",
        arguments: [Int64(1 << 20), 4 << 20]
    )
    func smallest(limit: Int64) throws {
        let test = try TestLedger { $0.maximumSize = limit }
        let file = try TestAsset(sizes: [1_000_000]).files[0]
        let agent = InternedText(String(repeating: "u", count: 256))
        let devices: UInt64 = 12_000
        for number in 0..<devices {
            let device = InternedText("\(number)".padded(to: 256))
            test.recorder.answered(.get(file, number...number, agent: agent, device: device))
            if number % 1000 == 999 { test.write() }
        }
        #expect(test.report(.loaded))
        test.write()
        #expect(test.status.databaseSize <= limit)
        for (table, recorded) in [("download", Int64(devices)), ("transfer", Int64(devices)), ("device_report", 1)] {
            // In one statement, for the writer still makes room.
            let lost = "SELECT coalesce(sum(count), 0) FROM dropped WHERE kind = '\(table)'"
            #expect(try test.integer("SELECT (SELECT count(*) FROM \(table)) + (\(lost))") == recorded)
        }
        // Nothing but what made room was lost.
        #expect(test.droppedStatus.allSatisfy { $0.contains("|size-limit|") })
        #expect(try test.integer("SELECT sum(downloads) FROM daily") == Int64(devices))
    }

    @Test("a download whose transfer had to go begins a new one")
    func transferGone() throws {
        let test = try TestLedger { $0.retentionMilliseconds = 90 * Self.day }
        let file = try TestAsset(sizes: [100]).files[0]
        let download = try DownloadIdentifier.numbered(1)
        test.recorder.answered(.get(file, 0...49, download: download))
        test.write()
        test.clock.now += 91 * Self.day
        #expect(eventually { (try? test.integer("SELECT count(*) FROM transfer")) == 0 })
        test.recorder.answered(.get(file, 50...99, download: download, at: test.clock.now))
        test.write()
        #expect(try test.lines("SELECT requests, bytes_covered FROM transfer") == ["1|50"])
    }

    @Test("losses of a minute are one row")
    func dropsGather() throws {
        let test = try TestLedger { $0.maximumSize = 1 << 20 }
        let file = try TestAsset(sizes: [1_000_000]).files[0]
        for round: UInt64 in 0..<30 {
            for octet in round * 400..<round * 400 + 400 { test.recorder.answered(.get(file, octet...octet)) }
            test.write()
        }
        test.stop()
        #expect(try test.integer("SELECT count(*) FROM dropped") == 1)
    }

    @Test("anybody's questions make a bounded number of rows a day in daily")
    func dailyBounded() {
        var daily = DailyRollup()
        for number in 0..<Int(DailyRollup.openLimit) + 50 {
            daily.add(
                VariantMiss(
                    at: TestLedger.start,
                    model: "sam",
                    version: "1",
                    base: "SAM",
                    architecture: "a\(number)",
                    answeredWith: .problem,
                    client: 1
                )
            )
        }
        #expect(daily.counts.count == DailyRollup.openLimit + 1)
        #expect(daily.counts.values.reduce(0) { $0 + $1.misses } == UInt64(DailyRollup.openLimit) + 50)
        #expect(daily.counts.first { $0.key.model == "(other)" }?.value.misses == 50)
    }

    @Test("failures of what is published stand under its name, whatever is asked for in vain and whatever devices say")
    func failuresNamed() {
        var daily = DailyRollup()
        func miss(_ architecture: String) -> VariantMiss {
            VariantMiss(
                at: TestLedger.start,
                model: "sam",
                version: "1",
                base: "SAM",
                architecture: architecture,
                answeredWith: .problem,
                client: 1
            )
        }
        func failure(_ asset: String, _ architecture: String) -> DeviceReport {
            DeviceReport(
                at: TestLedger.start,
                model: "sam",
                version: "1",
                asset: asset,
                architecture: architecture,
                outcome: .loadFailed,
                client: 1
            )
        }
        for number in 0..<DailyRollup.openLimit { daily.add(miss("a\(number)")) }
        for number in 0..<DailyRollup.openLimit + 7 { daily.add(failure("SAM.aimodel", "a\(number)")) }
        daily.add(failure("SAM.h18p.aimodelc", "h18p"))
        func failures(_ asset: String, _ architecture: String) -> UInt64? {
            daily.counts.first { $0.key.asset == asset && $0.key.architecture == architecture }?.value.loadFailures
        }
        #expect(failures("SAM.h18p.aimodelc", "h18p") == 1)
        #expect(failures("SAM.aimodel", "a4095") == 1)
        #expect(failures("SAM.aimodel", "") == 7)
        #expect(daily.counts.count == 2 * DailyRollup.openLimit + 2)
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String { self + String(repeating: "x", count: count - utf8.count) }
}
