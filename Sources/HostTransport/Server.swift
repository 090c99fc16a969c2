package import HostSystem
internal import Synchronization

/// A listener as the operator asks for it, and the handler (by index) that serves its connections.
package struct ListenerRequest: Sendable {
    package var address: ListenAddress
    package var handler: Int

    package init(_ address: ListenAddress, handler: Int) {
        self.address = address
        self.handler = handler
    }
}

/// Why a server could not start.
package enum ServerError: Error, Sendable, CustomStringConvertible {
    case cannotListen(ListenAddress, Errno)
    case cannotStart(Errno)

    package var description: String {
        switch self {
        case .cannotListen(let address, .addressInUse):
            "cannot listen on \(address): the address is in use; stop what listens there or name another one"
        case .cannotListen(.unix(let path), .notSocket):
            "cannot listen on unix:\(path): what stands there is no socket, so it is kept; move it or name another path"
        case .cannotListen(let address, let error):
            "cannot listen on \(address): \(error)"
        case .cannotStart(let error):
            "cannot start: \(error)"
        }
    }
}

/// Listeners and the loops that serve them. Its methods may be called from any thread.
package final class Server: Sendable {
    /// What a loop offers to the handlers that it makes.
    package struct LoopContext {
        package let index: Int
        package let clock: LoopClock
    }

    /// Makes the handlers of one loop, on its thread, in the order in which listeners refer to them.
    package typealias MakeHandlers = @Sendable (LoopContext) -> [any RequestHandler]

    /// The addresses that it listens on, port 0 replaced by the port that the kernel chose; in the order asked for.
    package let addresses: [ListenAddress]

    private let shared: SharedState
    private let mailboxes: [LoopMailbox]
    private let threads: Mutex<[ThreadBox]>
    private let workerThreads: Mutex<[ThreadBox]>
    /// Worker threads that have not ended.
    private let activeWorkers: Monitor<Int>
    private let drainTime: Int64

    /// Binds, starts the loops and returns once connections are accepted.
    ///
    /// - Parameters:
    ///   - loops: event loops, each on a thread of its own; one per core serves best.
    ///   - workers: threads for jobs that wait for the disk.
    ///   - onNotice: called, from any thread, with trouble that an operator should hear of.
    package init(
        listeners requests: [ListenerRequest],
        limits: TransportLimits = TransportLimits(),
        loops: Int,
        workers: Int = 4,
        makeHandlers: @escaping MakeHandlers,
        onNotice: @escaping @Sendable (TransportNotice) -> Void = { _ in }
    ) throws(ServerError) {
        let bound = try Self.bind(requests, loops: loops)
        addresses = bound.addresses

        drainTime = limits.drainTime
        let active = Monitor(0)
        activeWorkers = active
        let pool = WorkerPool(limit: limits.waitingJobs)
        let files = ProcessLimits.openFiles()
        // Descriptors that connections never take: for the files that they ask for, databases, loops and logs.
        let reserve = min(4096, files / 3)
        shared = SharedState(
            workers: pool,
            connectionLimit: limits.connections ?? max(1, files - reserve),
            onNotice: onNotice
        )

        var mailboxes: [LoopMailbox] = []
        var started: [ThreadBox] = []
        do throws(Errno) {
            for _ in 0..<loops { mailboxes.append(try LoopMailbox()) }
            for index in 0..<loops {
                started.append(
                    try Self.startLoop(index, bound.perLoop[index], limits, shared, mailboxes[index], makeHandlers)
                )
            }
            self.mailboxes = mailboxes
            threads = Mutex(started)
            var helpers: [ThreadBox] = []
            for index in 0..<workers {
                helpers.append(try Self.startWorker(index, pool, active))
            }
            workerThreads = Mutex(helpers)
        } catch {
            Self.removeSocketFiles(addresses)
            for mailbox in mailboxes { mailbox.post(.drain) }
            pool.close()
            throw .cannotStart(error)
        }
    }

    /// Connections that are open now.
    package var openConnections: Int { shared.connections }

    /// What became of the connections of the listeners that `handler` serves, while the server runs and after it.
    package func figures(ofHandler handler: Int) -> ConnectionFigures { shared.figures(ofHandler: handler) }

    /// Stops accepting, ends idle connections, and waits until what is being sent is out or the drain time is over. A job
    /// that does not end by then, because its disk does not answer, is left behind on its thread.
    /// The first call does; a later one does nothing and does not wait.
    package func stop() {
        let loops = threads.withLock { $0.drain() }
        guard !loops.isEmpty else { return }
        // First of all: when draining has begun, another server may already have put its own socket there.
        Self.removeSocketFiles(addresses)
        let deadline = CoarseClock.monotonicMilliseconds() + drainTime
        for mailbox in mailboxes { mailbox.post(.drain) }
        for box in loops { box.join() }
        shared.workers.close()
        let rest = max(0, deadline - CoarseClock.monotonicMilliseconds())
        let haveEnded = activeWorkers.await(milliseconds: rest) { $0 == 0 ? true : nil } ?? false
        for box in workerThreads.withLock({ boxes in boxes.drain() }) {
            if haveEnded { box.join() } else { box.detach() }
        }
    }

    static func removeSocketFiles(_ addresses: [ListenAddress]) {
        for case .unix(let path) in addresses { UnixSocketFile.remove(path) }
    }

    private static func startWorker(
        _ index: Int,
        _ pool: WorkerPool,
        _ active: Monitor<Int>
    ) throws(Errno) -> ThreadBox {
        active.update { $0 += 1 }
        do throws(Errno) {
            let thread = try OSThread(name: "worker \(index)") {
                pool.work()
                active.update { $0 -= 1 }
            }
            return ThreadBox(thread)
        } catch {
            active.update { $0 -= 1 }
            throw error
        }
    }

    private static func startLoop(
        _ index: Int,
        _ listeners: [LoopListener],
        _ limits: TransportLimits,
        _ shared: SharedState,
        _ mailbox: LoopMailbox,
        _ makeHandlers: @escaping MakeHandlers
    ) throws(Errno) -> ThreadBox {
        // The loop is made on its own thread, which owns it; whether that worked is told once.
        let outcome = Monitor<Result<Void, Errno>?>(nil)
        // Handed over, not shared: what the thread's closure keeps lives as long as the thread, and a listener has to be
        // closed when draining begins.
        let handOver = Mutex(listeners)
        let thread = try OSThread(name: "loop \(index)") {
            let clock = LoopClock()
            do throws(Errno) {
                let loop = try EventLoop(
                    limits: limits,
                    listeners: handOver.withLock { $0.drain() },
                    shared: shared,
                    mailbox: mailbox,
                    clock: clock,
                    handlers: makeHandlers(LoopContext(index: index, clock: clock))
                )
                outcome.update { $0 = .success(()) }
                try loop.run()
            } catch {
                outcome.update { $0 = $0 ?? .failure(error) }
            }
        }
        let box = ThreadBox(thread)
        try outcome.await { $0 }.get()
        return box
    }
}

/// A thread in an array: `OSThread` cannot be copied, so it cannot stand there itself.
private final class ThreadBox: Sendable {
    private let thread: Mutex<OSThread?>

    init(_ thread: consuming OSThread) {
        self.thread = Mutex(thread)
    }

    func join() {
        thread.withLock { $0.take() }?.join()
    }

    func detach() {
        thread.withLock { $0.take() }?.detach()
    }
}

extension Array {
    fileprivate mutating func drain() -> [Element] {
        defer { self = [] }
        return self
    }
}
