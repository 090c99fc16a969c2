import TestSupport
import Testing

@testable import HostTelemetry

@Suite("Questions to the ledger", .waits)
struct LedgerReaderTests {
    private static let now = TestLedger.start
    private static let hour: Int64 = 3_600_000

    /// A small history: two versions, a miss, reports, a stuck download.
    private func history() throws -> TestLedger {
        let test = try TestLedger()
        let old = try TestAsset(version: "1.3.0", sizes: [100]).files[0]
        let new = try TestAsset(version: "1.4.0", sizes: [100]).files[0]
        let names = (0..<4).map { test.recorder.intern(Array("device \($0)".utf8).span) }
        let before = Self.now - 2 * Self.hour
        test.recorder.answered(.get(old, device: names[0], at: before))
        test.recorder.answered(.get(new, sent: 40, device: names[0], at: Self.now))
        test.recorder.answered(.get(new, 40...99, device: names[0], at: Self.now))
        test.recorder.answered(.get(new, device: names[1], at: Self.now))
        test.recorder.answered(.get(new, sent: 10, device: names[2], at: before))
        func miss(_ architecture: String, _ answer: VariantMiss.AnsweredWith, _ device: InternedText?) {
            test.recorder.variantMiss(
                VariantMiss(
                    at: Self.now,
                    model: "sam",
                    version: "1.4.0",
                    base: "SAM",
                    architecture: architecture,
                    answeredWith: answer,
                    device: device,
                    client: 3
                )
            )
        }
        miss("h19p", .portable, names[0])
        miss("h19p", .problem, names[1])
        miss("h19p", .portable, names[1])
        miss("h16p", .problem, nil)
        func report(_ outcome: DeviceReport.Outcome, _ milliseconds: Int64?) {
            let report = DeviceReport(
                at: Self.now,
                model: "sam",
                version: "1.4.0",
                asset: "SAM.h18p.aimodelc",
                architecture: "h18p",
                outcome: outcome,
                coldLoadMilliseconds: milliseconds,
                device: "device 1",
                client: 3
            )
            #expect(test.report(report))
        }
        report(.loaded, 100)
        report(.loaded, 300)
        report(.loadFailed, nil)
        report(.fallbackUsed, nil)
        test.recorder.versionCheck(
            VersionCheck(
                at: Self.now + 1,
                model: "sam",
                installedVersion: "1.3.0",
                offeredVersion: "1.5.0",
                architecture: "h18p",
                device: names[3],
                client: 3,
                outcome: .updateOffered
            )
        )
        test.write()
        return test
    }

    @Test("downloads by day, completion and resumption")
    func downloads() throws {
        let test = try history()
        let reader = try LedgerReader(path: test.path)
        let days = try reader.downloadsByDay(LedgerScope())
        #expect(days.map(\.version) == ["1.4.0", "1.3.0"])
        #expect(
            days.first
                == DownloadsOfDay(
                    day: "2026-12-02",
                    model: "sam",
                    version: "1.4.0",
                    asset: "SAM.h18p.aimodelc",
                    architecture: "h18p",
                    downloads: 3,
                    completed: 2,
                    bytesSent: 210,
                    devices: 3
                )
        )
        #expect(
            try reader.completionRates(LedgerScope()).first
                == CompletionRate(
                    model: "sam",
                    version: "1.4.0",
                    transfers: 3,
                    completed: 2,
                    bytesSent: 210,
                    bytesCovered: 210
                )
        )
        #expect(
            try reader.resumeRates(LedgerScope()).first
                == ResumeRate(model: "sam", version: "1.4.0", requests: 4, cut: 2, resumed: 1)
        )
    }

    @Test("adoption: of each device its last word")
    func adoption() throws {
        let test = try history()
        let reader = try LedgerReader(path: test.path)
        #expect(
            try reader.adoption(LedgerScope()).map { "\($0.version) \($0.architecture ?? "-") \($0.devices)" }
                == ["1.4.0 h18p 2", "1.3.0 h18p 1"]
        )
        #expect(
            try reader.adoptionByDay(LedgerScope()).map { "\($0.day) \($0.version) \($0.devices)" }
                == ["2026-12-02 1.3.0 2", "2026-12-02 1.4.0 2"]
        )
    }

    @Test("missing variants, most asked first")
    func missing() throws {
        let test = try history()
        let reader = try LedgerReader(path: test.path)
        #expect(
            try reader.missingVariants(LedgerScope()).map {
                "\($0.base) \($0.architecture) \($0.asked) \($0.devices) \($0.answeredPortable)"
            } == ["SAM h19p 3 2 2", "SAM h16p 1 1 0"]
        )
        #expect(try reader.missingVariants(LedgerScope(since: Self.now + 1)) == [])
        #expect(try reader.missingVariants(LedgerScope(model: "other")) == [])
        #expect(try reader.missingVariants(LedgerScope(limit: 1)).map(\.architecture) == ["h19p"])
    }

    @Test("health of variants")
    func health() throws {
        let test = try history()
        let reader = try LedgerReader(path: test.path)
        #expect(
            try reader.variantHealth(LedgerScope()) == [
                VariantHealth(
                    model: "sam",
                    version: "1.4.0",
                    asset: "SAM.h18p.aimodelc",
                    architecture: "h18p",
                    reports: 4,
                    devices: 1,
                    loaded: 2,
                    loadFailed: 1,
                    specializationFailed: 0,
                    corrupt: 0,
                    fallbackUsed: 1,
                    removed: 0,
                    coldLoadAverage: 200
                )
            ]
        )
        #expect(
            try test.lines("SELECT round(failure_rate, 3), cold_load_ms_greatest FROM v_variant_health")
                == ["0.333|300"]
        )
    }

    @Test("octets by hour, and downloads that have stopped")
    func bandwidthAndStuck() throws {
        let test = try history()
        let reader = try LedgerReader(path: test.path)
        let hour = Self.now / Self.hour * Self.hour
        #expect(
            try reader.bandwidthByHour(LedgerScope()) == [
                BandwidthOfHour(hour: hour, model: "sam", requests: 3, bytesSent: 200),
                BandwidthOfHour(hour: hour - 2 * Self.hour, model: "sam", requests: 2, bytesSent: 110),
            ]
        )
        let stuck = try reader.stuckDownloads(LedgerScope(), idleSince: Self.now - Self.hour)
        #expect(stuck.map(\.device) == ["device 2"])
        #expect(stuck.map(\.bytesCovered) == [10])
        #expect(try reader.stuckDownloads(LedgerScope(), idleSince: Self.now - 3 * Self.hour) == [])
    }

    @Test("versions that somebody asked for, so that none of them is pruned")
    func versionsAsked() throws {
        let test = try history()
        let reader = try LedgerReader(path: test.path)
        #expect(
            try reader.versionsAsked(LedgerScope(model: "sam", since: Self.now - 30 * UTCDay.milliseconds))
                .map { "\($0.version) \($0.requests)" } == ["1.4.0 4", "1.3.0 1", "1.5.0 1"]
        )
        // Rows that made room for others are in the roll-up still.
        let writer = try test.database(.readWrite)
        try writer.execute("DELETE FROM download; DELETE FROM transfer")
        #expect(
            try reader.versionsAsked(LedgerScope(model: "sam", since: Self.now - 30 * UTCDay.milliseconds))
                .map(\.version) == ["1.5.0", "1.3.0", "1.4.0"]
        )
    }

    @Test("a reader makes no file where there is none, and refuses what is no ledger")
    func refuses() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/none.sqlite"
        #expect(throws: LedgerError.self) { _ = try LedgerReader(path: path) }
        #expect(FileIdentifier(path) == nil)
        try TemporaryFolder.writeInPlace([], to: path)
        #expect(throws: LedgerError.notALedger) { _ = try LedgerReader(path: path) }
    }

    @Test("a reader cannot write")
    func readOnly() throws {
        let test = try history()
        let database = try test.database()
        #expect(throws: SQLiteError.self) { try database.execute("DELETE FROM download") }
    }
}
