/// Which connections have a deadline in which second.
///
/// A connection's own `deadline` is the truth and is moved with a plain store, request after request; the wheel only
/// says when to look at it again. An entry whose connection is gone, or that has been superseded, is dropped when its
/// second comes.
struct DeadlineWheel {
    /// Slots of one second; a deadline that is further away is looked at sooner and put back.
    private static let slotCount: Int64 = 128
    private var slots = [[UInt64]](repeating: [], count: Int(slotCount))
    private var scratch: [UInt64] = []
    private var lastTick: Int64

    init(nowMilliseconds: Int64) {
        lastTick = nowMilliseconds / 1000
    }

    /// The second in which an entry for `deadline` (milliseconds) stands.
    func tick(for deadline: Int64) -> Int64 {
        let wanted = (deadline + 999) / 1000
        return min(max(wanted, lastTick + 1), lastTick + Self.slotCount - 1)
    }

    /// Enters `token` in the second `tick`, which `tick(for:)` gave.
    mutating func insert(_ token: UInt64, tick: Int64) {
        slots[Int(tick % Self.slotCount)].append(token)
    }

    /// Calls `body` with each entry of the seconds that have passed. `body` may insert.
    mutating func advance(toMilliseconds now: Int64, _ body: (inout DeadlineWheel, _ token: UInt64, _ tick: Int64) -> Void) {
        let end = now / 1000
        // After a long sleep of the machine each slot is visited once, not once for each second slept.
        if end - lastTick > Self.slotCount { lastTick = end - Self.slotCount }
        while lastTick < end {
            lastTick += 1
            swap(&scratch, &slots[Int(lastTick % Self.slotCount)])
            let tick = lastTick
            for token in scratch { body(&self, token, tick) }
            scratch.removeAll(keepingCapacity: true)
        }
    }
}
