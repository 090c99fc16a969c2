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

    /// The entries of the next second that has passed, nil when there is none. Give the array back with `recycle`.
    mutating func takeDue(nowMilliseconds now: Int64) -> (tick: Int64, tokens: [UInt64])? {
        let end = now / 1000
        // Each second is visited, also when the process was stopped for long: an entry is good for the second that it was
        // entered for only, and one that came with another would be taken for superseded. A day is 86,400 empty steps.
        guard lastTick < end else { return nil }
        lastTick += 1
        var tokens = scratch
        scratch = []
        swap(&tokens, &slots[Int(lastTick % Self.slotCount)])
        return (lastTick, tokens)
    }

    /// Keeps the memory of an array that `takeDue` gave for the next one.
    mutating func recycle(_ tokens: consuming [UInt64]) {
        scratch = tokens
        scratch.removeAll(keepingCapacity: true)
    }
}
