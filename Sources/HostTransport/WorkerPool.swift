internal import HostSystem

/// A few threads for what may wait for a disk. Shared by all loops.
final class WorkerPool: Sendable {
    typealias Task = @Sendable () -> Void

    private struct Queue: Sendable {
        var tasks: [Task] = []
        /// Tasks before this index are taken.
        var next = 0
        var isClosed = false

        var waiting: Int { tasks.count - next }

        mutating func take() -> Task? {
            guard next < tasks.count else { return nil }
            let task = tasks[next]
            next += 1
            if next == tasks.count {
                tasks.removeAll(keepingCapacity: true)
                next = 0
            }
            return task
        }
    }

    private let queue = Monitor(Queue())
    private let limit: Int

    /// `limit`: tasks that may wait for a thread.
    init(limit: Int) {
        self.limit = limit
    }

    /// Queues `task`; false when the queue is full or closed.
    func submit(_ task: @escaping Task) -> Bool {
        queue.update { queue in
            guard !queue.isClosed, queue.waiting < limit else { return false }
            queue.tasks.append(task)
            return true
        }
    }

    /// Runs tasks on the calling thread until the pool is closed.
    func work() {
        while let task = queue.await({ queue -> Task?? in
            if let task = queue.take() { return .some(task) }
            return queue.isClosed ? .some(nil) : nil
        }) {
            task()
        }
    }

    /// Takes no more tasks; threads end when those that wait are done.
    func close() {
        queue.update { $0.isClosed = true }
    }
}
