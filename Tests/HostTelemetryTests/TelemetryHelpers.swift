import Glibc
import HostSystem
import ModelCatalog
import Synchronization
import TestSupport
import Testing

@testable import HostTelemetry

/// A ledger in a folder of its own, with a clock that tests set.
final class TestLedger {
    static let start: Int64 = 1_796_203_800_000  // 2026-12-02T09:30:00Z

    let folder: TemporaryFolder
    let clock: TestClock
    var settings: LedgerSettings
    private(set) var ledger: Ledger
    private(set) var recorder: LoopRecorder

    init(path: String? = nil, prepare: (inout LedgerSettings) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        let clock = TestClock(Self.start)
        self.clock = clock
        settings = LedgerSettings(path: "\(folder.path)/\(path ?? "telemetry.sqlite")")
        settings.now = { clock.now }
        settings.retryDelay = 1...5
        settings.busyTimeout = 1
        settings.housekeepingInterval = 10
        prepare(&settings)
        ledger = try Ledger(settings)
        recorder = ledger.makeRecorder()
    }

    var path: String { settings.path }
    var status: LedgerStatus { ledger.status }

    /// Hands over what was recorded and waits until nothing waits to be written. After a failure the rows are written
    /// first, and a moment later the ledger counts as one that can be written.
    func write() {
        recorder.tick()
        let isWritten = eventually {
            let status = ledger.status
            return status.queuedRows == 0 && status.isWritable
        }
        #expect(isWritten)
    }

    /// Reports, as soon as the file is open.
    func report(_ reports: DeviceReport...) -> Bool { eventually { recorder.report(reports) } }

    func stop() {
        recorder.tick()
        #expect(ledger.stop(within: 120_000))
    }

    /// Ends the ledger as a server does and begins with the same file.
    func restart() throws {
        stop()
        ledger = try Ledger(settings)
        recorder = ledger.makeRecorder()
    }

    func database(_ access: SQLiteDatabase.Access = .readOnly) throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path: path, access: access)
        database.setBusyTimeout(milliseconds: 30_000)
        return database
    }

    func integer(_ sql: String) throws -> Int64 { try database().integer(sql) ?? -1 }

    /// Each row as its columns' texts, `|` between them and `-` for NULL.
    func lines(_ sql: String) throws -> [String] {
        let database = try database()
        let statement = try database.prepare(sql)
        var lines: [String] = []
        while try statement.step() {
            lines.append((0..<statement.columnCount).map { statement.optionalText($0) ?? "-" }.joined(separator: "|"))
        }
        return lines
    }

    /// What the table `dropped` holds, `kind|reason|count`.
    func droppedLines() throws -> [String] {
        try lines("SELECT kind, reason, sum(count) FROM dropped GROUP BY 1, 2 ORDER BY 1, 2")
    }

    /// What the status counts, in the same form.
    var droppedStatus: [String] {
        status.dropped.map { "\($0.key.kind.rawValue)|\($0.key.reason.rawValue)|\($0.value)" }.sorted()
    }
}

final class TestClock: Sendable {
    private let value: Atomic<Int64>

    init(_ now: Int64) { value = Atomic(now) }

    var now: Int64 {
        get { value.load(ordering: .relaxed) }
        set { value.store(newValue, ordering: .relaxed) }
    }
}

/// Looks until `condition` holds, for as long as a slow machine may take; the outcome, not the time, is what is tested.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
        if try condition() { return true }
        poll(nil, 0, 2)
    }
    return try condition()
}

/// An asset whose files have these sizes.
struct TestAsset {
    let files: [FileIdentity]
    let archive: FileIdentity
    let size: UInt64

    init(
        _ name: String = "SAM.h18p.aimodelc",
        model: String = "sam",
        version: String = "1.4.0",
        sizes: [UInt64] = [100]
    ) throws {
        let model = try #require(ModelName(model))
        let version = try #require(Version(version))
        let asset = try #require(AssetName(name))
        let total = sizes.reduce(0, +)
        var offset: UInt64 = 0
        files = sizes.enumerated().map { index, size in
            defer { offset += size }
            return FileIdentity(
                model: model,
                version: version,
                asset: asset,
                path: "part-\(index)",
                size: size,
                offset: offset,
                assetSize: total
            )
        }
        archive = FileIdentity(archiveOf: asset, model: model, version: version, size: total + 1024)
        size = total
    }
}

extension FinishedAnswer {
    /// A GET of a file, or of a range of it, of which `sent` octets arrived; all of them unless said otherwise.
    static func get(
        _ file: FileIdentity,
        _ range: ClosedRange<UInt64>? = nil,
        sent: UInt64? = nil,
        status: UInt16? = nil,
        client: UInt64 = 1,
        agent: InternedText? = nil,
        device: InternedText? = nil,
        download: DownloadIdentifier? = nil,
        at now: Int64 = TestLedger.start,
        duration: Int64 = 0
    ) -> FinishedAnswer {
        let length = range.map { $0.upperBound - $0.lowerBound + 1 } ?? file.bytesTotal
        return FinishedAnswer(
            file: file,
            status: status ?? (range == nil ? 200 : 206),
            range: range,
            contentLength: length,
            bytesSent: sent ?? length,
            endedMilliseconds: now,
            durationMilliseconds: duration,
            client: client,
            userAgent: agent,
            device: device,
            download: download
        )
    }
}

extension DownloadIdentifier {
    static func numbered(_ number: Int) throws -> DownloadIdentifier {
        let digits = String(number)
        let text = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits
        return try #require(Self.parse(text))
    }

    static func parse(_ text: String) -> DownloadIdentifier? { DownloadIdentifier(Array(text.utf8).span) }
}

/// A file's octets. Not for a database that is open in this process: closing any descriptor of a file drops the
/// process's locks on it.
func octets(of path: String) throws -> [UInt8] {
    let slash = try #require(path.lastIndex(of: "/"))
    let folder = try FileDescriptor.openFolder(String(path[..<slash]))
    return try #require(try folder.openFile(String(path[path.index(after: slash)...])).readAll(limit: 1 << 30))
}

func contains(_ octets: [UInt8], _ part: [UInt8]) -> Bool {
    guard let first = part.first, octets.count >= part.count else { return false }
    return octets.indices.dropLast(part.count - 1).contains { index in
        octets[index] == first && octets[index..<index + part.count].elementsEqual(part)
    }
}
