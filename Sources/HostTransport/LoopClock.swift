internal import HTTPWire
internal import HostSystem

/// The time as one loop sees it: read once per round, so that a request needs no system call to know it.
/// Used on the loop's thread only.
package final class LoopClock {
    /// Milliseconds since some fixed instant; never set back.
    package private(set) var milliseconds: Int64 = 0
    /// Seconds and milliseconds since 1970, UTC.
    package private(set) var unixSeconds: Int64 = -1
    package private(set) var unixMilliseconds: Int64 = 0
    /// The same as a Date field line (RFC 9110 6.6.1), its CR LF included.
    package private(set) var dateField: [UInt8] = []

    package init() {
        dateField.reserveCapacity(64)
        update()
    }

    /// Reads the clocks.
    package func update() {
        milliseconds = CoarseClock.monotonicMilliseconds()
        unixMilliseconds = CoarseClock.unixMilliseconds()
        let now = unixMilliseconds / 1000
        if now != unixSeconds {
            unixSeconds = now
            dateField.removeAll(keepingCapacity: true)
            dateField.append(contentsOf: "Date: ".utf8)
            HTTPDate(seconds: now).write(into: &dateField)
            dateField.append(contentsOf: [13, 10])
        }
    }
}
