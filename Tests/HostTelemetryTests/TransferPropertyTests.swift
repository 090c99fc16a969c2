import TestSupport
import Testing

@testable import HostTelemetry

@Suite("Transfers: random answers of all kinds, against marks on paper")
struct TransferPropertyTests {
    /// One device's download, octet by octet.
    private struct Paper {
        var tree: [Bool]
        var archive: [Bool]
        var hasTree = false
        var requests = 0
        var sent = 0

        /// `requests|bytes_sent|bytes_covered|bytes_total|completed`
        var line: String {
            let ofTree = tree.count { $0 }
            let ofArchive = archive.count { $0 }
            let leading = ofArchive > ofTree || !hasTree ? (ofArchive, archive.count) : (ofTree, tree.count)
            return "\(requests)|\(sent)|\(leading.0)|\(leading.1)|\(isWhole ? 1 : 0)"
        }

        var isWhole: Bool { tree.allSatisfy { $0 } || archive.allSatisfy { $0 } }
    }

    /// Two loops, each with a recorder; files and the archive; ranges, whole files, several ranges in one answer and the
    /// same range again; cut anywhere, with restarts and transfers that are not kept in memory.
    @Test(
        "every octet counts once as covered and each time as sent, and each transfer completes once",
        arguments: 1...8
    )
    func againstPaper(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let test = try TestLedger { $0.transfersInMemory = [0, 3, 100][Int(seed % 3)] }
        let sizes: [UInt64] = [30, 0, 1, 17, 50]
        let asset = try TestAsset(sizes: sizes)
        let starts = [0, 30, 30, 31, 48]
        var papers = (0..<10).map { _ in
            Paper(
                tree: [Bool](repeating: false, count: Int(asset.size)),
                archive: [Bool](repeating: false, count: Int(asset.archive.bytesTotal))
            )
        }
        var loops = [test.recorder, test.ledger.makeRecorder()]
        for step in 0..<900 {
            let device = Int.random(in: 0..<papers.count, using: &random)
            let takesArchive = device % 3 == 2 && Bool.random(using: &random)
            let index = Int.random(in: 0..<sizes.count, using: &random)
            let file = takesArchive ? asset.archive : asset.files[index]
            let start = takesArchive ? 0 : starts[index]
            guard file.bytesTotal > 0 else { continue }
            // Of the archive large pieces, or it would never come to its end.
            let length = UInt64.random(in: 1...(takesArchive ? 600 : file.bytesTotal), using: &random)
            let first = UInt64.random(in: 0..<file.bytesTotal, using: &random)
            let last = min(file.bytesTotal - 1, first + length - 1)
            // Each names its download: what comes after the last octet belongs to it as well.
            var answer = FinishedAnswer.get(file, first...last, client: UInt64(device), download: try .numbered(device))
            var covered: [Range<UInt64>] = []
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                answer = .get(file, client: UInt64(device), download: try .numbered(device))
                answer.bytesSent = UInt64.random(in: 0...file.bytesTotal, using: &random)
                covered = [0..<answer.bytesSent]
            case 1:
                answer.range = nil
                answer.parts = [0...0, first...last]
                // The octets of the parts, and those of the framing between them.
                answer.contentLength = 1 + (last - first + 1) + 200
                answer.bytesSent = answer.contentLength
                if Bool.random(using: &random) {
                    answer.bytesSent = UInt64.random(in: 0..<answer.contentLength, using: &random)
                } else {
                    covered = [0..<1, first..<last + 1]
                }
            case 2...5:
                answer.bytesSent = UInt64.random(in: 0...last - first + 1, using: &random)
                covered = [first..<first + answer.bytesSent]
            default:
                covered = [first..<last + 1]
            }
            // The same once more within the second becomes one row.
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                loops[Int.random(in: 0..<2, using: &random)].answered(answer)
                papers[device].requests += 1
                papers[device].sent += Int(answer.bytesSent)
            }
            if !takesArchive { papers[device].hasTree = true }
            for octet in covered.joined() {
                if takesArchive { papers[device].archive[Int(octet)] = true }
                if !takesArchive { papers[device].tree[start + Int(octet)] = true }
            }
            if step % 7 == 6 { loops[Int.random(in: 0..<2, using: &random)].tick() }
            if step % 40 == 39 { test.write() }
            if step % 250 == 249 {
                loops[1].tick()
                try test.restart()
                loops = [test.recorder, test.ledger.makeRecorder()]
            }
        }
        for loop in loops { loop.tick() }
        test.write()
        let found = try test.lines(
            """
            SELECT requests, bytes_sent, bytes_covered, bytes_total, completed_ms IS NOT NULL FROM transfer
            """
        )
        let asked = papers.filter { $0.requests > 0 }
        #expect(found.sorted() == asked.map(\.line).sorted())
        // Some have come to their end, or it would prove little.
        #expect(asked.contains { $0.isWhole })
        let requests = asked.reduce(0) { $0 + $1.requests }
        let sent = asked.reduce(0) { $0 + $1.sent }
        #expect(try test.lines("SELECT sum(requests), sum(bytes_sent) FROM download") == ["\(requests)|\(sent)"])
        let whole = asked.count { $0.isWhole }
        #expect(
            try test.lines("SELECT downloads, completed, bytes_sent FROM daily") == ["\(asked.count)|\(whole)|\(sent)"]
        )
        #expect(try test.integer("SELECT count(*) FROM dropped") == 0)
    }
}
