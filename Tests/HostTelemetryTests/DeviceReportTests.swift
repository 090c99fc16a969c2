import TestSupport
import Testing

@testable import HostTelemetry

extension DeviceReport {
    static let loaded = DeviceReport(
        at: TestLedger.start,
        model: "m",
        version: "1",
        asset: "a",
        outcome: .loaded,
        client: 1
    )
}

@Suite("Reports that are acknowledged are written; those that cannot be are given back, and are no loss")
struct DeviceReportTests {
    @Test("as many as there is room for, all of them or none")
    func room() throws {
        // While another connection holds the lock, and before the writer has met it, the queue only fills.
        let test = try TestLedger { settings in
            settings.queueCapacity = 10
            settings.busyTimeout = 60_000
        }
        #expect(test.report(.loaded))
        test.write()
        let other = try test.database(.readWrite)
        try other.execute("BEGIN IMMEDIATE")
        #expect(test.recorder.report(Array(repeating: .loaded, count: 8)))
        #expect(!test.recorder.report(Array(repeating: .loaded, count: 3)))
        #expect(test.recorder.report([.loaded, .loaded]))
        #expect(!test.recorder.takesReports)
        #expect(!test.recorder.report([.loaded]))
        try other.execute("ROLLBACK")
        test.write()
        #expect(test.recorder.takesReports)
        #expect(try test.integer("SELECT count(*) FROM device_report") == 11)
        #expect(test.droppedStatus == [])
    }

    @Test("none while writing fails: a process that ends then would take them along")
    func failing() throws {
        let test = try TestLedger()
        #expect(test.report(.loaded))
        test.write()
        let other = try test.database(.readWrite)
        try other.execute("BEGIN IMMEDIATE")
        // Taken, as nobody knows yet; the writer keeps it until the lock is free.
        #expect(test.recorder.report([.loaded]))
        let isFailing = eventually { !test.status.isWritable }
        #expect(isFailing)
        #expect(!test.recorder.takesReports)
        #expect(!test.recorder.report([.loaded]))
        try other.execute("ROLLBACK")
        let isTaken = eventually { test.recorder.report([.loaded]) }
        #expect(isTaken)
        test.write()
        #expect(try test.integer("SELECT count(*) FROM device_report") == 3)
        #expect(test.droppedStatus == [])
    }

    @Test("none before the file is open: to look a large one through may take long")
    func opening() throws {
        let queue = try LedgerQueue(capacity: 10)
        #expect(!queue.takesReports)
        #expect(!queue.offer([.loaded]))
        // The writer's first round went well.
        _ = queue.succeeded(at: 0)
        #expect(queue.takesReports)
        #expect(queue.offer([.loaded]))
    }

    @Test("none once the ledger is to end")
    func stopped() throws {
        let test = try TestLedger()
        test.stop()
        #expect(!test.recorder.takesReports)
        #expect(!test.recorder.report([.loaded]))
        #expect(test.droppedStatus == [])
    }
}
