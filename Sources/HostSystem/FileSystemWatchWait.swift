internal import Glibc

extension WakeUp {
    /// Waits for a signal, an event of `watch`, or the end of `timeout` (nil: none), whichever is first; tells whether
    /// there are events. One thread waits.
    package func wait(orEventsOf watch: borrowing FolderWatch, timeout: Duration?) -> Bool {
        wait(watch.raw, timeout)
    }

    /// Waits for a signal or the end of `timeout` (nil: none). One thread waits.
    package func wait(timeout: Duration?) {
        // poll(2) looks past an entry whose number is negative.
        _ = wait(-1, timeout)
    }

    private func wait(_ watch: CInt, _ timeout: Duration?) -> Bool {
        var entries = [
            pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watch, events: Int16(POLLIN), revents: 0),
        ]
        if poll(&entries, 2, timeout.map(Self.milliseconds) ?? -1) < 0 {
            // A wait that a signal cut short is a wait that ended early; the caller computes its deadline anew. What
            // else there is (no memory in the kernel) must not make the caller spin.
            if Errno.current != .interrupted { _ = poll(nil, 0, 100) }
            return false
        }
        if entries[0].revents != 0 { clear() }
        return entries[1].revents != 0
    }

    /// Rounded up, so that a wait does not end before its time; at most about 23 days.
    private static func milliseconds(_ duration: Duration) -> CInt {
        let parts = duration.components
        if parts.seconds < 0 || parts.attoseconds < 0 { return 0 }
        if parts.seconds >= 2_000_000 { return 2_000_000_000 }
        return CInt(parts.seconds * 1000 + (parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
