internal import HostSystem
internal import Synchronization

/// What loops have in common: the worker threads, the counts of connections, and whom to tell of trouble.
final class SharedState: Sendable {
    let workers: WorkerPool
    private let connectionLimit: Int
    private let connectionCount = Atomic<Int>(0)
    private let tallies = Mutex<[[ConnectionTally]]>([])
    private let lastNotice = Atomic<Int64>(.min)
    private let onNotice: @Sendable (TransportNotice) -> Void

    init(workers: WorkerPool, connectionLimit: Int, onNotice: @escaping @Sendable (TransportNotice) -> Void) {
        self.workers = workers
        self.connectionLimit = connectionLimit
        self.onNotice = onNotice
    }

    /// Connections that are open now.
    var connections: Int { connectionCount.load(ordering: .relaxed) }

    /// Counts one more connection; false, and not counted, when there are as many as may be.
    func reserveConnection() -> Bool {
        if connectionCount.add(1, ordering: .relaxed).newValue <= connectionLimit { return true }
        releaseConnection()
        return false
    }

    func releaseConnection() {
        connectionCount.subtract(1, ordering: .relaxed)
    }

    /// Keeps what a loop counts, one tally for each handler, to be read while it runs and after it has ended.
    func keep(_ loop: [ConnectionTally]) {
        tallies.withLock { $0.append(loop) }
    }

    /// What all loops have counted of one handler's connections.
    func figures(ofHandler handler: Int) -> ConnectionFigures {
        var figures = ConnectionFigures()
        for loop in tallies.withLock({ $0 }) where loop.indices.contains(handler) {
            loop[handler].add(to: &figures)
        }
        return figures
    }

    /// Tells of trouble, at most once in five seconds: it comes with every connection when it comes.
    func notice(_ notice: TransportNotice) {
        let now = CoarseClock.monotonicMilliseconds()
        let last = lastNotice.load(ordering: .relaxed)
        guard last == .min || now - last >= 5000 else { return }
        if lastNotice.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged { onNotice(notice) }
    }
}
