import Testing

@testable import HostTransport

@Suite("DeadlineWheel: which second a deadline is looked at in")
struct DeadlineWheelTests {
    /// All entries that are due, as `second: tokens`.
    private func due(_ wheel: inout DeadlineWheel, at now: Int64) -> [Int64: [UInt64]] {
        var all: [Int64: [UInt64]] = [:]
        while let (tick, tokens) = wheel.takeDue(nowMilliseconds: now) {
            if !tokens.isEmpty { all[tick] = tokens }
            wheel.recycle(tokens)
        }
        return all
    }

    struct Row: Sendable {
        let deadline: Int64
        let tick: Int64
    }

    @Test(
        "a deadline is looked at in the first whole second at or after it, never in one that has passed",
        arguments: [
            Row(deadline: 5_001, tick: 6), Row(deadline: 6_000, tick: 6), Row(deadline: 6_001, tick: 7),
            Row(deadline: 5_000, tick: 6), Row(deadline: 0, tick: 6), Row(deadline: 65_500, tick: 66),
            // Further away than the wheel is round: looked at sooner, and put back.
            Row(deadline: 1_000_000, tick: 132), Row(deadline: .max / 2, tick: 132),
        ]
    )
    func ticks(_ row: Row) {
        let wheel = DeadlineWheel(nowMilliseconds: 5_400)
        #expect(wheel.tick(for: row.deadline) == row.tick)
    }

    @Test("an entry comes when its second has passed, once")
    func comesOnce() {
        var wheel = DeadlineWheel(nowMilliseconds: 1_000)
        for token in UInt64(1)...3 { wheel.insert(token, tick: wheel.tick(for: Int64(token) * 2_000)) }
        #expect(due(&wheel, at: 1_999) == [:])
        #expect(due(&wheel, at: 2_000) == [2: [1]])
        #expect(due(&wheel, at: 2_999) == [:])
        #expect(due(&wheel, at: 6_400) == [4: [2], 6: [3]])
        #expect(due(&wheel, at: 500_000) == [:])
    }

    @Test("entries come in the order of their seconds, each with its own", arguments: [1_000, 999_999_000] as [Int64])
    func order(start: Int64) {
        var wheel = DeadlineWheel(nowMilliseconds: start)
        let first = start / 1000 + 1
        for second in first..<first + 127 { wheel.insert(UInt64(second), tick: wheel.tick(for: second * 1000)) }
        var seen: [Int64] = []
        while let (tick, tokens) = wheel.takeDue(nowMilliseconds: start + 127_000) {
            #expect(tokens == [UInt64(tick)])
            seen.append(tick)
            wheel.recycle(tokens)
        }
        #expect(seen == Array(first..<first + 127))
    }

    @Test(
        "after a process that was stopped for long, entries still come with the second that they were entered for",
        arguments: [127, 128, 129, 1_000, 100_000] as [Int64]
    )
    func longSleep(seconds: Int64) {
        var wheel = DeadlineWheel(nowMilliseconds: 0)
        wheel.insert(7, tick: wheel.tick(for: 60_000))
        wheel.insert(8, tick: wheel.tick(for: 100_000))
        #expect(due(&wheel, at: seconds * 1000) == [60: [7], 100: [8]])
        // And the wheel goes on from there.
        let next = wheel.tick(for: 0)
        #expect(next == seconds + 1)
        wheel.insert(9, tick: next)
        #expect(due(&wheel, at: next * 1000) == [next: [9]])
    }

    @Test("an entry that is made while its slot is looked at comes a round later")
    func reinsertion() {
        var wheel = DeadlineWheel(nowMilliseconds: 0)
        wheel.insert(1, tick: wheel.tick(for: 1_000))
        var seen: [Int64] = []
        while let (tick, tokens) = wheel.takeDue(nowMilliseconds: 300_000) {
            for token in tokens {
                seen.append(tick)
                wheel.insert(token, tick: wheel.tick(for: 1_000_000))
            }
            wheel.recycle(tokens)
        }
        #expect(seen == [1, 128, 255])
    }
}
