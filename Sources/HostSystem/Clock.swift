internal import Glibc

/// The kernel's clocks at the precision of its tick (1 to 10 ms): read without a system call.
package enum CoarseClock {
    /// Milliseconds since some fixed instant; never set back.
    package static func monotonicMilliseconds() -> Int64 {
        milliseconds(CLOCK_MONOTONIC_COARSE)
    }

    /// Seconds since 1970, UTC; may be set by an operator.
    package static func unixSeconds() -> Int64 {
        milliseconds(CLOCK_REALTIME_COARSE) / 1000
    }

    /// Milliseconds since 1970, UTC; may be set by an operator.
    package static func unixMilliseconds() -> Int64 {
        milliseconds(CLOCK_REALTIME_COARSE)
    }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        _ = clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}
