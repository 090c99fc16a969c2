import TestSupport
import Testing

@testable import HostTelemetry

@Suite("IntervalSet: octets covered, each counted once")
struct IntervalSetTests {
    @Test(
        "ranges that overlap or touch become one; others stay apart, in order",
        arguments: [
            ([0..<10], [0..<10]),
            ([0..<10, 10..<20], [0..<20]),
            ([10..<20, 0..<10], [0..<20]),
            ([0..<10, 11..<20], [0..<10, 11..<20]),
            ([0..<10, 20..<30, 5..<25], [0..<30]),
            ([0..<10, 20..<30, 40..<50, 10..<40], [0..<50]),
            ([0..<10, 2..<3], [0..<10]),
            ([2..<3, 0..<10], [0..<10]),
            ([5..<5], []),
            ([0..<4, 8..<12, 4..<8], [0..<12]),
            ([UInt64.max - 1..<UInt64.max, 0..<1], [0..<1, UInt64.max - 1..<UInt64.max]),
        ] as [([Range<UInt64>], [Range<UInt64>])]
    )
    func merges(_ ranges: [Range<UInt64>], _ expected: [Range<UInt64>]) {
        var set = IntervalSet()
        for range in ranges { set.insert(range) }
        #expect(set.intervals == expected)
        #expect(set.count == expected.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) })
        #expect(IntervalSet(octets: set.octets) == set)
    }

    @Test("random ranges give what an array of marks gives", arguments: 0..<40 as Range<UInt64>)
    func againstPlainModel(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = UInt64.random(in: 1...400, using: &random)
        var marks = [Bool](repeating: false, count: Int(size))
        var set = IntervalSet()
        for _ in 0..<60 {
            let first = UInt64.random(in: 0..<size, using: &random)
            let end = UInt64.random(in: first...min(size, first + 30), using: &random)
            set.insert(first..<end)
            for octet in first..<end { marks[Int(octet)] = true }
            #expect(set.count == UInt64(marks.count { $0 }))
        }
        for octet in 0..<size {
            #expect(set.contains(octet) == marks[Int(octet)])
            #expect((set.interval(containing: octet) != nil) == marks[Int(octet)])
            let start = (octet + 1..<max(size, octet + 1)).first { marks[Int($0)] && !marks[Int($0 - 1)] }
            #expect(set.firstStart(after: octet) == start)
        }
        // No two intervals touch, and the ledger gives back what it was given.
        for (left, right) in zip(set.intervals, set.intervals.dropFirst()) {
            #expect(left.upperBound < right.lowerBound)
        }
        #expect(try #require(IntervalSet(octets: set.octets)) == set)
    }

    @Test(
        "near the greatest numbers and at a limit: what a list that is sorted and joined anew each time gives",
        arguments: 0..<40 as Range<UInt64>
    )
    func againstJoinedList(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...12, using: &random)
        // A set that begins at 0, one beyond 32 bits, one whose last octet has the greatest number there is.
        let base: UInt64 = [0, 1 << 40, UInt64.max - 300][Int(seed % 3)]
        var list: [Range<UInt64>] = []
        var set = IntervalSet()
        for _ in 0..<200 {
            let first = base + UInt64.random(in: 0..<300, using: &random)
            let end = first + min(base + 300 - first, UInt64.random(in: 0...20, using: &random))
            let joined = Self.joined(list + [first..<end])
            let isTaken = joined.count <= max(limit, list.count)
            #expect(set.insert(first..<end, limit: limit) == isTaken)
            if isTaken { list = joined }
            #expect(set.intervals == list)
            #expect(set.count == list.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) })
            // The ledger keeps it after each transaction, and may have to read it after any.
            set = try #require(IntervalSet(octets: set.octets))
        }
        #expect(list.count <= limit)
    }

    private static func joined(_ ranges: [Range<UInt64>]) -> [Range<UInt64>] {
        ranges.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { list, range in
            if let last = list.last, range.lowerBound <= last.upperBound {
                list[list.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                list.append(range)
            }
        }
    }

    @Test("at the limit a range that joins others is taken, one that stands alone is not")
    func limit() {
        var set = IntervalSet()
        let first = [set.insert(0..<1, limit: 2), set.insert(2..<3, limit: 2)]
        #expect(first == [true, true])
        let before = set
        let alone = set.insert(10..<20, limit: 2)
        #expect(!alone)
        #expect(set == before)
        let then = [set.insert(1..<2, limit: 2), set.insert(10..<20, limit: 2)]
        #expect(then == [true, true])
        #expect(set.count == 13)
    }

    @Test(
        "octets that no set makes are refused",
        arguments: [
            [0x80], [0x01], [0x01, 0x00], [0x01, 0x01, 0x00, 0x01],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x02],
            [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x03],
        ] as [[UInt8]]
    )
    func refuses(_ octets: [UInt8]) {
        #expect(IntervalSet(octets: octets) == nil)
    }
}
