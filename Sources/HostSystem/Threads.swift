internal import CHostLinux
internal import Glibc

/// A thread of its own, joined by whoever started it.
package struct OSThread: ~Copyable, Sendable {
    private let identifier: pthread_t

    /// Starts `body` on a new thread. `name` is cut at 15 octets; tools such as top -H show it.
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var made = pthread_t()
        let result = pthread_create(
            &made,
            nil,
            { argument in
                if let argument { Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            },
            start.toOpaque()
        )
        guard result == 0 else {
            start.release()
            throw Errno(rawValue: result)
        }
        identifier = made
    }

    /// Waits until the thread has ended.
    package consuming func join() {
        _ = pthread_join(identifier, nil)
    }

    /// Lets the thread run on by itself; the system takes back what it holds when it ends.
    package consuming func detach() {
        _ = pthread_detach(identifier)
    }
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    func run() {
        chost_name_thread(String(decoding: name.utf8.prefix(15), as: UTF8.self))
        body()
    }
}

/// The signals that steer a server.
package enum ControlSignal: Sendable {
    case terminate, interrupt, hangUp

    /// Keeps these signals from interrupting the calling thread and those that it starts from now on, so that `next`
    /// receives them; and ignores SIGPIPE. Call it first in `main`.
    package static func takeOver() {
        var set = controlSet
        _ = pthread_sigmask(SIG_BLOCK, &set, nil)
        ignoreBrokenPipes()
    }

    /// A peer that is gone is told by EPIPE; the signal would end the process. sendfile(2) has no flag to suppress it.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Lets the system act on these signals again; for SIGTERM and SIGINT that ends the process.
    package static func giveBack() {
        var set = controlSet
        _ = pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Waits for the next of these signals. One thread calls it, after `takeOver`.
    package static func next() -> ControlSignal {
        var set = controlSet
        while true {
            var number: CInt = 0
            guard sigwait(&set, &number) == 0 else { continue }
            switch number {
            case SIGTERM: return .terminate
            case SIGINT: return .interrupt
            default: return .hangUp
            }
        }
    }

    private static var controlSet: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGHUP)
        return set
    }
}

/// Figures of this process and machine.
package enum ProcessLimits {
    /// The soft limit of open descriptors (RLIMIT_NOFILE).
    package static func openFiles() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the soft limit of open descriptors to the hard one, as servers do; returns what it is then.
    package static func raiseOpenFiles() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
        return openFiles()
    }

    /// Processors that this process may run on.
    package static func processors() -> Int {
        max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))))
    }
}

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
