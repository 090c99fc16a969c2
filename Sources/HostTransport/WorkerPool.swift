internal import HostSystem

/// A few threads for what may wait for a disk. Shared by all loops.
final class WorkerPool: Sendable {
    typealias Task = @Sendable () -> Void

    private struct Entry: Sendable {
        let ticket: JobTicket
        let task: Task
    }

    /// First in, first out, in two arrays: what a task holds is let go when it is taken, and a backlog that never ends
    /// takes no more room than its tasks.
    private struct Queue: Sendable {
        private var coming: [Entry] = []
        /// The oldest, in reverse order.
        private var going: [Entry] = []
        var isClosed = false

        var waiting: Int { coming.count + going.count }

        mutating func add(_ entry: Entry) { coming.append(entry) }

        /// The next task that somebody waits for.
        mutating func take() -> Task? {
            while true {
                if going.isEmpty {
                    swap(&coming, &going)
                    going.reverse()
                }
                guard let entry = going.popLast() else { return nil }
                if !entry.ticket.isEnded { return entry.task }
            }
        }

        mutating func removeEnded() {
            coming.removeAll { $0.ticket.isEnded }
            going.removeAll { $0.ticket.isEnded }
        }

        mutating func removeAll() {
            coming = []
            going = []
        }
    }

    private let queue = Monitor(Queue())
    private let limit: Int

    /// `limit`: tasks that may wait for a thread.
    init(limit: Int) {
        self.limit = limit
    }

    /// Queues `task`, which is skipped when `ticket` has ended before its turn; false when the queue is full or closed.
    func submit(for ticket: JobTicket = JobTicket(), _ task: @escaping Task) -> Bool {
        queue.update { queue in
            // Clients that are gone must not keep others out while all threads wait for a slow disk.
            if queue.waiting >= limit { queue.removeEnded() }
            guard !queue.isClosed, queue.waiting < limit else { return false }
            queue.add(Entry(ticket: ticket, task: task))
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

    /// Takes no more tasks and drops those that wait; threads end with the one that they run.
    func close() {
        queue.update { queue in
            queue.isClosed = true
            queue.removeAll()
        }
    }
}
