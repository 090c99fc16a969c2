internal import CHostLinux
internal import Glibc

/// A condition variable with the mutex that guards `Value`: what a queue between threads needs and the standard
/// library's `Mutex` does not offer.
package final class Monitor<Value>: @unchecked Sendable where Value: Sendable {
    // @unchecked: `value` is touched only between lock and unlock of `mutex`; both C objects live at a fixed address
    // from init to deinit.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        // Waits with an end must not depend on a clock that an operator can set.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Changes the value and wakes who waits.
    package func update<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return body(&value)
    }

    /// Waits until `body` returns a result.
    package func await<Result>(_ body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Waits until `body` returns a result, at most so many milliseconds (0: only looks); nil when there is none by then.
    package func await<Result>(milliseconds: Int64, _ body: (inout Value) -> Result?) -> Result? {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = Int64(end.tv_nsec) + milliseconds % 1000 * 1_000_000
        end.tv_sec += Int(milliseconds / 1000 + nanoseconds / 1_000_000_000)
        end.tv_nsec = Int(nanoseconds % 1_000_000_000)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            guard pthread_cond_timedwait(condition, mutex, &end) != ETIMEDOUT else { return body(&value) }
        }
    }
}
