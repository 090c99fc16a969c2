internal import CHostLinux
internal import Glibc

/// An epoll instance. Used by the thread that made it.
package struct Epoll: ~Copyable {
    /// What to watch for, and what has happened; the names are those of epoll_ctl(2).
    package struct Events: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let readable = Events(rawValue: EPOLLIN.rawValue)
        package static let writable = Events(rawValue: EPOLLOUT.rawValue)
        /// The peer will send no more.
        package static let peerClosed = Events(rawValue: EPOLLRDHUP.rawValue)
        package static let error = Events(rawValue: EPOLLERR.rawValue)
        package static let hangUp = Events(rawValue: EPOLLHUP.rawValue)
        /// Reported once for each change rather than as long as it lasts.
        package static let edgeTriggered = Events(rawValue: EPOLLET.rawValue)
        /// Of several instances that watch one descriptor, not all are woken.
        package static let exclusive = Events(rawValue: EPOLLEXCLUSIVE.rawValue)
    }

    private let descriptor: FileDescriptor
    private let events: UnsafeMutableBufferPointer<epoll_event>

    /// `batch`: how many events one wait brings at most.
    package init(batch: Int = 256) throws(Errno) {
        descriptor = FileDescriptor(owning: try retryingInterrupts { epoll_create1(CInt(EPOLL_CLOEXEC)) })
        events = .allocate(capacity: batch)
    }

    deinit {
        events.deallocate()
    }

    package func add(_ target: borrowing FileDescriptor, _ interest: Events, token: UInt64) throws(Errno) {
        try control(EPOLL_CTL_ADD, target, interest, token)
    }

    package func remove(_ target: borrowing FileDescriptor) throws(Errno) {
        try control(EPOLL_CTL_DEL, target, [], 0)
    }

    private func control(
        _ operation: CInt,
        _ target: borrowing FileDescriptor,
        _ interest: Events,
        _ token: UInt64
    ) throws(Errno) {
        let number = target.raw
        let own = descriptor.raw
        _ = try retryingInterrupts { chost_epoll_ctl(own, operation, number, interest.rawValue, token) }
    }

    /// Waits up to `milliseconds` (-1: without end) and returns how many events there are; a signal ends the wait
    /// with none.
    package func wait(milliseconds: Int32) throws(Errno) -> Int {
        let count = epoll_wait(descriptor.raw, events.baseAddress, CInt(events.count), milliseconds)
        if count >= 0 { return Int(count) }
        let error = Errno.current
        if error == .interrupted { return 0 }
        throw trapOnMisuse(error)
    }

    /// The event at `index`, which is below what the last `wait` returned.
    package func event(_ index: Int) -> (token: UInt64, events: Events) {
        precondition(index < events.count)
        var event = events[index]
        return (chost_epoll_token(&event), Events(rawValue: event.events))
    }
}

/// An eventfd: wakes a thread that waits in epoll. `signal` may be called from any thread.
package struct WakeUp: ~Copyable, Sendable {
    package let descriptor: FileDescriptor

    package init() throws(Errno) {
        descriptor = FileDescriptor(
            owning: try retryingInterrupts { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) }
        )
    }

    package func signal() {
        var one: UInt64 = 1
        // It can only fail when the counter is full, and then the waiter has been woken already.
        _ = write(descriptor.raw, &one, MemoryLayout<UInt64>.size)
    }

    package func clear() {
        var count: UInt64 = 0
        _ = read(descriptor.raw, &count, MemoryLayout<UInt64>.size)
    }
}
