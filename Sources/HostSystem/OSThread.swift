internal import CHostLinux
internal import Glibc

/// A thread of its own, joined or let go by whoever started it.
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
