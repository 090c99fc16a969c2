import HostService
import HostSystem
import HostTelemetry
import ModelCatalog
import TestSupport
import Testing

@testable import HostTelemetry

/// A ledger with a little of everything that the administration's API tells of, all within the last hours.
struct OpsHistory {
    static let hostile = "<img src=x onerror=alert(1)>"
    static let hour: Int64 = 3_600_000

    /// Unix milliseconds: the present, in whole seconds.
    let now = CoarseClock.unixMilliseconds() / 1000 * 1000
    let path: String

    /// Records into the ledger at `path`, and closes it.
    init(_ path: String) throws {
        self.path = path
        let ledger = try Ledger(LedgerSettings(path: path))
        let recorder = ledger.makeRecorder()
        try downloads(recorder)
        questions(recorder)
        reports(recorder)
        recorder.tick()
        #expect(ledger.stop(within: 60_000))
    }

    /// A host that serves the catalog of the fixture and has this history.
    static func host() throws -> (RunningHost, OpsHistory) {
        let store = try ReleaseStore()
        try CatalogFixture.publish(store)
        let history = try OpsHistory(store.path("var/telemetry.sqlite"))
        return (try RunningHost(store) { $0.ledger = LedgerSettings(path: history.path) }, history)
    }

    func moment(_ milliseconds: Int64) -> String? { Instant(unixSeconds: milliseconds / 1000)?.text }

    /// Two devices complete 1.4.0, one after a cut; a third is stuck; one has completed 1.3.0.
    private func downloads(_ recorder: LoopRecorder) throws {
        func file(_ version: String) throws -> FileIdentity {
            FileIdentity(
                model: try #require(ModelName("Sam3")),
                version: try #require(Version(version)),
                asset: try #require(AssetName("Sam3.h18p.aimodelc")),
                path: "main.mlirb",
                size: 100,
                offset: 0,
                assetSize: 100
            )
        }
        let new = try file("1.4.0")
        let old = try file("1.3.0")
        func answer(_ file: FileIdentity, _ range: ClosedRange<UInt64>?, _ sent: UInt64, _ device: String, _ at: Int64)
        {
            recorder.answered(
                FinishedAnswer(
                    file: file,
                    status: range == nil ? 200 : 206,
                    range: range,
                    contentLength: range.map { $0.upperBound - $0.lowerBound + 1 } ?? 100,
                    bytesSent: sent,
                    endedMilliseconds: at,
                    durationMilliseconds: 0,
                    client: 1,
                    device: recorder.intern(Array(device.utf8).span)
                )
            )
        }
        answer(new, nil, 100, "one", now)
        answer(new, nil, 40, "two", now)
        answer(new, 40...99, 60, "two", now)
        answer(new, nil, 10, Self.hostile, now - 2 * Self.hour)
        answer(old, nil, 100, "three", now - 3 * Self.hour)
    }

    private func questions(_ recorder: LoopRecorder) {
        recorder.versionCheck(
            VersionCheck(
                at: now,
                model: "Sam3",
                installedVersion: "1.3.0",
                offeredVersion: "1.4.0",
                architecture: "h18p",
                device: recorder.intern(Array("four".utf8).span),
                client: 2,
                outcome: .updateOffered
            )
        )
        func miss(_ model: String, _ version: String, _ architecture: String, _ device: String) {
            recorder.variantMiss(
                VariantMiss(
                    at: now,
                    model: model,
                    version: version,
                    base: model,
                    architecture: architecture,
                    answeredWith: .portable,
                    device: recorder.intern(Array(device.utf8).span),
                    client: 3
                )
            )
        }
        miss("Sam3", "1.4.0", "h17p", "one")
        miss("Sam3", "1.4.0", "h17p", "two")
        miss("Sam3", "1.4.0", "h17p", "two")
        miss("Sam3", "1.3.0", "h18p", "one")
        miss("Only", "1.0.0", "h17p", "one")
    }

    private func reports(_ recorder: LoopRecorder) {
        let outcomes: [DeviceReport.Outcome] = [.loaded, .loaded, .loadFailed, .specializationFailed, .fallbackUsed]
        let reports = outcomes.enumerated().map { index, outcome in
            DeviceReport(
                at: now,
                model: "Sam3",
                version: "1.4.0",
                asset: "Sam3.h18p.aimodelc",
                architecture: "h18p",
                outcome: outcome,
                coldLoadMilliseconds: outcome == .loaded ? Int64(100 * (index + 1)) : nil,
                device: "one",
                client: 1
            )
        }
        // None is taken before the ledger can be written.
        #expect(eventually { recorder.takesReports })
        #expect(recorder.report(reports))
    }
}
