internal import HTTPWire
internal import HostSystem

/// The time as one loop sees it: read once per round, so that a request needs no system call to know it.
/// Used on the loop's thread only.
package final class LoopClock {
    /// Milliseconds since some fixed instant; never set back.
    package private(set) var milliseconds: Int64 = 0
    /// Seconds since 1970, UTC.
    package private(set) var unixSeconds: Int64 = -1
    /// The same as an IMF-fixdate (RFC 9110 5.6.7), ready for a Date field.
    package private(set) var date: [UInt8] = []

    package init() {
        date.reserveCapacity(32)
        update()
    }

    /// Reads the clocks.
    package func update() {
        milliseconds = CoarseClock.monotonicMilliseconds()
        let now = CoarseClock.unixSeconds()
        if now != unixSeconds {
            unixSeconds = now
            date.removeAll(keepingCapacity: true)
            HTTPDate(seconds: now).write(into: &date)
        }
    }
}
