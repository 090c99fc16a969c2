import TestSupport
import Testing

@testable import HostTelemetry

@Suite("LoopRecorder: equal answers of a second are one row", .waits)
struct LoopRecorderTests {
    @Test("same file, client, agent and status: one row with its requests, octets and longest duration")
    func aggregates() throws {
        let test = try TestLedger()
        let file = try TestAsset().files[0]
        let agent = test.recorder.intern(Array("agent".utf8).span)
        for count in 0..<50 {
            let now = TestLedger.start + Int64(count)
            test.recorder.answered(.get(file, agent: agent, at: now, duration: Int64(count % 7)))
        }
        test.write()
        #expect(
            try test.lines(
                "SELECT requests, completed, bytes_sent, duration_ms, started_ms, user_agent, kind, path FROM download"
            ) == ["50|50|5000|6|\(TestLedger.start)|agent|compiled|part-0"]
        )
    }

    @Test("what differs in anything that the ledger keeps is a row of its own")
    func tellsApart() throws {
        let test = try TestLedger()
        let asset = try TestAsset(sizes: [100, 100])
        let agent = test.recorder.intern(Array("agent".utf8).span)
        let base = FinishedAnswer.get(asset.files[0], client: 1, agent: agent)
        var others: [FinishedAnswer] = []
        let download = try DownloadIdentifier.numbered(1)
        func other(_ change: (inout FinishedAnswer) -> Void) {
            var answer = base
            change(&answer)
            others.append(answer)
        }
        other { $0.file = asset.files[1] }
        other { $0.client = 2 }
        other { $0.userAgent = nil }
        other { $0.device = agent }
        other { $0.status = 304 }
        other { $0.isTLS = true }
        other { $0.range = 0...99 }
        other { $0.download = download }
        for answer in [base] + others + [base] + others { test.recorder.answered(answer) }
        test.write()
        #expect(try test.integer("SELECT count(*) FROM download") == Int64(others.count + 1))
        #expect(try test.integer("SELECT min(requests) FROM download") == 2)
    }

    @Test("the next second begins a new row")
    func nextSecond() throws {
        let test = try TestLedger()
        let file = try TestAsset().files[0]
        for _ in 0..<3 {
            test.recorder.answered(.get(file))
            test.recorder.tick()
        }
        test.write()
        #expect(try test.integer("SELECT count(*) FROM download") == 3)
    }

    @Test("HEAD leaves no row; a part that was cut, 304, 404 and 416 complete nothing")
    func completesNothing() throws {
        let test = try TestLedger()
        let file = try TestAsset().files[0]
        var head = FinishedAnswer.get(file, sent: 0)
        head.isHead = true
        test.recorder.answered(head)
        for status: UInt16 in [304, 404, 412, 416, 503] {
            test.recorder.answered(.get(file, sent: 0, status: status))
        }
        test.recorder.answered(.get(file, sent: 1))
        test.write()
        #expect(try test.integer("SELECT sum(completed) FROM download") == 0)
        #expect(try test.integer("SELECT count(*) FROM download") == 6)
        #expect(try test.lines("SELECT requests, bytes_sent, bytes_covered, completed_ms FROM transfer") == ["1|1|1|-"])
    }

    @Test("a clock that is set back makes no negative duration and no falling id")
    func clockSetBack() throws {
        let test = try TestLedger()
        let file = try TestAsset(sizes: [100]).files[0]
        for back: Int64 in [0, 3_600_000, 7_200_000] {
            test.clock.now = TestLedger.start - back
            test.recorder.answered(.get(file, 0...9, at: TestLedger.start - back, duration: -5))
            test.write()
        }
        #expect(try test.integer("SELECT min(duration_ms) FROM download") == 0)
        #expect(
            try test.lines("SELECT id, started_ms FROM download ORDER BY id")
                == ["1|\(TestLedger.start)", "2|\(TestLedger.start - 3_600_000)", "3|\(TestLedger.start - 7_200_000)"]
        )
        #expect(try test.lines("SELECT requests, last_ms - first_ms FROM transfer") == ["3|0"])
    }

    @Test("all events are in their tables, with every column")
    func events() throws {
        let test = try TestLedger()
        let now = TestLedger.start
        let device = test.recorder.intern(Array("device-1".utf8).span)
        test.recorder.versionCheck(
            VersionCheck(
                at: now + 5,
                model: "sam",
                channel: "stable",
                installedVersion: "1.3.0",
                offeredVersion: "1.4.0",
                architecture: "h18p",
                platform: "iOS",
                osVersion: "27.1",
                device: device,
                client: 7,
                outcome: .updateOffered
            )
        )
        test.recorder.versionCheck(VersionCheck(at: now + 6, model: "x", client: 7, outcome: .problem("unknown-model")))
        test.recorder.variantMiss(
            VariantMiss(
                at: now + 7,
                model: "sam",
                version: "1.4.0",
                base: "SAM",
                architecture: "h19p",
                platform: "iOS",
                answeredWith: .portable,
                device: device,
                client: 7
            )
        )
        let report = DeviceReport(
            at: now + 8,
            model: "sam",
            version: "1.4.0",
            asset: "SAM.h18p.aimodelc",
            architecture: "h18p",
            outcome: .loadFailed,
            errorDomain: "CoreAI",
            errorCode: -7,
            osBuild: "24B91",
            coldLoadMilliseconds: 120,
            device: "device-1",
            client: 7
        )
        #expect(test.report(report))
        test.write()
        #expect(
            try test.lines("SELECT * FROM version_check ORDER BY id") == [
                "1|\(now + 5)|sam|stable|1.3.0|1.4.0|h18p|iOS|27.1|device-1|7|update-offered",
                "2|\(now + 6)|x|-|-|-|-|-|-|-|7|unknown-model",
            ]
        )
        #expect(
            try test.lines("SELECT * FROM variant_miss") == ["1|\(now + 7)|sam|1.4.0|SAM|h19p|iOS|portable|device-1|7"]
        )
        #expect(
            try test.lines("SELECT * FROM device_report")
                == ["1|\(now + 8)|sam|1.4.0|SAM.h18p.aimodelc|h18p|load-failed|CoreAI|-7|24B91|120|device-1|7"]
        )
    }

    @Test("a report does not wait for the second to end")
    func reportsAtOnce() throws {
        let test = try TestLedger()
        #expect(test.report(.loaded))
        let isWritten = eventually { test.status.writtenRows == 1 }
        #expect(isWritten)
        #expect(try test.integer("SELECT count(*) FROM device_report") == 1)
    }

    @Test("no client address is in the files, though its number and its agent are")
    func noAddress() throws {
        let test = try TestLedger()
        let file = try TestAsset().files[0]
        let addresses: [[UInt8]] = [
            [203, 0, 113, 77], [0x20, 0x01, 0x0D, 0xB8, 0xCA, 0xFE, 0xBA, 0xBE, 1, 2, 3, 4, 5, 6, 7, 8],
        ]
        let agent = test.recorder.intern(Array("needle-agent".utf8).span)
        for address in addresses {
            let client = test.recorder.client(address.span, at: TestLedger.start)
            test.recorder.answered(.get(file, client: client, agent: agent))
            test.recorder.versionCheck(
                VersionCheck(at: TestLedger.start, model: "m", client: client, outcome: .manifest)
            )
        }
        test.write()
        #expect(try test.integer("SELECT count(DISTINCT client) FROM download") == 2)
        test.stop()
        var content: [UInt8] = []
        for suffix in ["", "-wal", "-shm"] { content += try octets(of: test.path + suffix) }
        #expect(contains(content, Array("needle-agent".utf8)))
        for address in addresses {
            #expect(!contains(content, address))
            #expect(!contains(content, address.reversed()))
        }
        for text in ["203.0.113.77", "2001:db8:", "2001:0db8"] { #expect(!contains(content, Array(text.utf8))) }
    }
}
