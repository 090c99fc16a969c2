import Foundation
import HostService
import HostTransport
import ModelDelivery
import TestSupport
import Testing

@testable import HostTelemetry

@Suite("Reports, sent to a host that is real: none is lost, whatever it answers")
struct ReportsTakenTests {
    /// A device with an installed model, and the reports that its host has taken.
    private struct Reporter {
        let device: Device
        let library: ModelLibrary
        let model: InstalledModel

        init() async throws {
            device = try Device(.standard())
            library = try device.library()
            model = try await library.install(from: device.host()).value
        }

        var ledgerPath: String { device.server.store.path("ledger.sqlite") }

        /// A host of the same release.
        func serve(keepingLedger: Bool = true) throws -> RunningHost {
            try RunningHost(device.server.store) { configuration in
                configuration.ledger = keepingLedger ? LedgerSettings(path: ledgerPath) : nil
            }
        }

        func report(_ count: Int) {
            for code in 0..<count {
                library.report(ModelReport(.loadFailed, of: model.assets[0], in: model, errorCode: code))
            }
        }

        func send(to server: RunningHost) async throws -> Int {
            guard case .internet(_, let port) = server.address else { return -1 }
            let host = try ModelHost(
                Device.url("http://127.0.0.1:\(port)"),
                model: model.model,
                device: DeliveryDevice(architecture: "h18p", identifier: "device-1")
            )
            return await library.sendReports(to: host)
        }

        /// The same, as soon as the host's ledger is open.
        func send(soonTo server: RunningHost) async throws -> Int {
            let end = ContinuousClock.now + .seconds(60)
            while true {
                let sent = try await send(to: server)
                if sent != 0 || ContinuousClock.now > end { return sent }
            }
        }

        /// The error codes that were written, once there are `count` of them.
        func written(_ count: Int) throws -> [Int64] {
            func codes() throws -> [Int64] {
                try LedgerReader(path: ledgerPath).rows("SELECT error_code FROM device_report ORDER BY error_code") {
                    $0.integer(0)
                }
            }
            // The file is made while the host already answers.
            _ = eventually { (try? codes().count) ?? 0 >= count }
            return try codes()
        }
    }

    @Test("A hundred that waited are taken in one request, and are in the ledger as what they are")
    func taken() async throws {
        let reporter = try await Reporter()
        let server = try reporter.serve()
        reporter.report(100)
        #expect(try await reporter.send(soonTo: server) == 100)
        #expect(try await reporter.send(to: server) == 0)
        #expect(try reporter.written(100) == Array(0..<100))
        let health = try LedgerReader(path: reporter.ledgerPath).variantHealth(LedgerScope())
        #expect(health.count == 1 && health[0].loadFailed == 100 && health[0].devices == 1)
        #expect(health[0].asset == reporter.model.assets[0].name && health[0].architecture == "h18p")
    }

    @Test("Those of a device that sends more than it may wait for another time")
    func limited() async throws {
        let reporter = try await Reporter()
        var server = try reporter.serve()
        reporter.report(100)
        #expect(try await reporter.send(soonTo: server) == 100)
        reporter.report(50)
        #expect(try await reporter.send(to: server) == 0)
        // Another host knows nothing of what the first has taken.
        server = try reporter.serve()
        #expect(try await reporter.send(soonTo: server) == 50)
        #expect(try reporter.written(150).count == 150)
    }

    @Test("Those that the host could not write wait until it can")
    func notWritable() async throws {
        let reporter = try await Reporter()
        let server = try reporter.serve()
        reporter.report(1)
        #expect(try await reporter.send(soonTo: server) == 1)
        #expect(try reporter.written(1) == [0])
        let other = try SQLiteDatabase(path: reporter.ledgerPath, access: .readWrite)
        other.setBusyTimeout(milliseconds: 30_000)
        try other.execute("BEGIN IMMEDIATE")
        var acknowledged = 1
        // The first ones go into the queue, for the host has not met the lock yet: it waits for one a quarter of a second.
        while true {
            try await Task.sleep(for: .milliseconds(50))
            reporter.report(1)
            guard try await reporter.send(to: server) == 1 else { break }
            acknowledged += 1
            try #require(acknowledged < 100)
        }
        try other.execute("ROLLBACK")
        #expect(try await reporter.send(soonTo: server) == 1)
        #expect(try reporter.written(acknowledged + 1).count == acknowledged + 1)
    }

    @Test("A host without a ledger takes none, and says so for good: they are let go")
    func withoutLedger() async throws {
        let reporter = try await Reporter()
        reporter.report(3)
        #expect(try await reporter.send(to: reporter.serve(keepingLedger: false)) == 0)
        reporter.report(1)
        #expect(try await reporter.send(soonTo: reporter.serve()) == 1)
    }
}
