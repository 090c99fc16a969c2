internal import CHostLinux
internal import Glibc

/// A thread of the system for work that waits on files, and the bell that wakes it.
///
/// Swift's own executors are for work that does not block. The one who starts the thread must `finish` it.
package final class WatchThread: Sendable {
    private let bell: WatchBell
    private let thread: pthread_t

    /// Starts a thread of that name (15 octets at most) in `body`. All signals are blocked in it: they are for the
    /// threads that look for them.
    package init(name: String, _ body: @escaping @Sendable (WatchBell) -> Void) throws(Errno) {
        let bell = try WatchBell()
        let work = Unmanaged.passRetained(Work(name: name, body: body, bell: bell))
        var every = sigset_t()
        var before = sigset_t()
        sigfillset(&every)
        pthread_sigmask(SIG_BLOCK, &every, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let failure = pthread_create(&thread, nil, runWork, work.toOpaque())
        if failure != 0 {
            work.release()
            throw Errno(rawValue: failure)
        }
        self.bell = bell
        self.thread = thread
    }

    /// Wakes the thread from `WatchBell.wait`. Any thread may call it.
    package func ring() {
        bell.ring()
    }

    /// Waits until the thread has returned from its body. To be called once, not from the thread itself.
    package func finish() {
        pthread_join(thread, nil)
    }
}

/// What such a thread waits at. Only the thread waits; anyone rings.
package final class WatchBell: Sendable {
    private let descriptor: FileDescriptor

    fileprivate init() throws(Errno) {
        descriptor = FileDescriptor(
            owning: try retryingInterrupts { eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK)) }
        )
    }

    fileprivate func ring() {
        var one: UInt64 = 1
        // The only failure is EAGAIN at 2^64 - 1 unheard rings: it rings already.
        _ = write(descriptor.raw, &one, 8)
    }

    /// What ended a wait.
    package struct Wakening: Sendable {
        package let rang: Bool
        package let hasEvents: Bool
    }

    /// Waits for a ring, an event of `watch`, or the end of `timeout` (nil: none); whichever is first.
    package func wait(for watch: borrowing FolderWatch, timeout: Duration?) -> Wakening {
        wait(watch.raw, timeout)
    }

    /// Waits for a ring or the end of `timeout` (nil: none).
    @discardableResult
    package func wait(timeout: Duration?) -> Wakening {
        // poll(2) looks past an entry whose number is negative.
        wait(-1, timeout)
    }

    private func wait(_ watch: CInt, _ timeout: Duration?) -> Wakening {
        var entries = [
            pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watch, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = timeout.map(Self.milliseconds) ?? -1
        let ready = poll(&entries, 2, milliseconds)
        if ready < 0 {
            // A wait that a signal cut short is a wait that ended early; the caller computes its deadline anew. What
            // else there is (no memory in the kernel) must not make the caller spin.
            if Errno.current != .interrupted { _ = poll(nil, 0, 100) }
            return Wakening(rang: false, hasEvents: false)
        }
        let rang = entries[0].revents != 0
        if rang {
            var count: UInt64 = 0
            _ = read(descriptor.raw, &count, 8)
        }
        return Wakening(rang: rang, hasEvents: entries[1].revents != 0)
    }

    /// Rounded up, so that a wait does not end before its time; at most about 24 days.
    private static func milliseconds(_ duration: Duration) -> CInt {
        let parts = duration.components
        if parts.seconds < 0 || parts.attoseconds < 0 { return 0 }
        if parts.seconds > 2_000_000 { return 2_000_000_000 }
        return CInt(parts.seconds * 1000 + (parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

private final class Work: Sendable {
    let name: String
    let body: @Sendable (WatchBell) -> Void
    let bell: WatchBell

    init(name: String, body: @escaping @Sendable (WatchBell) -> Void, bell: WatchBell) {
        self.name = name
        self.body = body
        self.bell = bell
    }
}

private func runWork(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    let work = Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
    chost_name_thread(work.name)
    work.body(work.bell)
    return nil
}
