internal import HostSystem
internal import Synchronization

/// What loops and the writer share: batches that wait, counts of what was lost, and the status. Any thread.
final class LedgerQueue: Sendable {
    private struct State {
        var batches: [Batch] = []
        /// Losses that the table `dropped` does not hold yet.
        var unwrittenDrops: [DropKey: UInt64] = [:]
        var status: LedgerStatus
        /// The file is open, as it is not while it is made or looked through at the start.
        var isOpen = false
        /// Monotonic milliseconds by which the writer is to be done; nil while the server runs.
        var deadline: Int64?
        var isDone = false
    }

    private let state: Mutex<State>
    private let work: WakeUp
    private let done: WakeUp

    init(capacity: Int) throws(Errno) {
        work = try WakeUp()
        done = try WakeUp()
        state = Mutex(State(status: LedgerStatus(queueCapacity: capacity)))
    }

    var status: LedgerStatus { state.withLock { $0.status } }

    // MARK: Loops

    /// Takes a batch as far as there is room, and counts the rest by what stands in the way. Never waits.
    func submit(_ batch: Batch) {
        var batch = batch
        let wakes = state.withLock { state in
            let room = max(0, state.status.queueCapacity - state.status.queuedRows)
            if state.isDone {
                Self.count(batch, .stopped, in: &state)
                return false
            }
            if batch.rows > room {
                let reason = state.status.isWritable ? .queueFull : state.status.lastFailure?.reason
                Self.count(batch.cut(to: room), reason ?? .queueFull, in: &state)
            }
            guard !batch.isEmpty else { return false }
            state.status.queuedRows += batch.rows
            state.batches.append(batch)
            // While writing fails the writer waits for its next try, not for more to write.
            return state.status.isWritable
        }
        if wakes { work.signal() }
    }

    /// Takes all of these reports, or none: whoever sent them is told which, and keeps those that were not taken. They
    /// are no loss, and not counted as one.
    ///
    /// - Returns: whether they will be written, and soon, as far as can be known: not before the file is open, nor while
    ///   writing fails.
    func offer(_ reports: [DeviceReport]) -> Bool {
        guard !reports.isEmpty else { return true }
        let isTaken = state.withLock { state in
            guard Self.takes(reports.count, state) else { return false }
            state.status.queuedRows += reports.count
            state.batches.append(Batch(reports: reports))
            return true
        }
        if isTaken { work.signal() }
        return isTaken
    }

    /// Whether `offer` would take a report now.
    var takesReports: Bool { state.withLock { Self.takes(1, $0) } }

    private static func takes(_ rows: Int, _ state: borrowing State) -> Bool {
        state.isOpen && state.status.isWritable && !state.isDone && state.deadline == nil
            && rows <= state.status.queueCapacity - state.status.queuedRows
    }

    // MARK: The writer

    /// The oldest batches, up to `rows` rows and at least one.
    func take(rows: Int) -> [Batch] {
        state.withLock { state in
            var count = 0
            var taken = 0
            for batch in state.batches {
                if taken > 0, count + batch.rows > rows { break }
                count += batch.rows
                taken += 1
            }
            defer { state.batches.removeFirst(taken) }
            return Array(state.batches[..<taken])
        }
    }

    /// Losses that are to be written. They stay until `wrote` is told of them.
    var unwrittenDrops: [DropKey: UInt64] { state.withLock { $0.unwrittenDrops } }

    /// A transaction is committed: these rows and these counts are in the file.
    func wrote(rows: Int, drops: [DropKey: UInt64], transfers: TransferCounts) {
        state.withLock { state in
            state.status.transfersBegun += transfers.begun
            state.status.transfersCompleted += transfers.completed
            state.status.queuedRows -= rows
            state.status.writtenRows += UInt64(rows)
            for (key, count) in drops {
                let left = (state.unwrittenDrops[key] ?? 0) - count
                state.unwrittenDrops[key] = left == 0 ? nil : left
            }
        }
    }

    /// Losses that the writer came upon, and which the file holds already.
    func found(_ losses: [DropKey: UInt64]) {
        guard !losses.isEmpty else { return }
        state.withLock { state in
            for (key, count) in losses { state.status.dropped[key, default: 0] += count }
        }
    }

    /// Gives rows up that were taken.
    func gaveUp(_ batch: Batch, _ reason: DropReason) {
        state.withLock { state in
            state.status.queuedRows -= batch.rows
            Self.count(batch, reason, in: &state)
        }
    }

    func updateStatus(_ body: (inout LedgerStatus) -> Void) {
        state.withLock { body(&$0.status) }
    }

    /// The writer failed: for this reason, at this time.
    ///
    /// - Returns: whether that is new.
    func failed(_ reason: DropReason, _ message: String, at now: Int64) -> Bool {
        state.withLock { state in
            let previous = state.status.lastFailure
            let goesOn = !state.status.isWritable && previous?.reason == reason
            let since = goesOn ? previous?.since ?? now : now
            state.status.lastFailure = LedgerStatus.Failure(reason: reason, message: message, since: since, until: nil)
            state.status.isWritable = false
            return !goesOn
        }
    }

    /// The writer's last round went well.
    ///
    /// - Returns: whether the one before did not.
    func succeeded(at now: Int64) -> Bool {
        state.withLock { state in
            state.isOpen = true
            guard !state.status.isWritable else { return false }
            state.status.isWritable = true
            state.status.lastFailure?.until = now
            return true
        }
    }

    var hasBatches: Bool { state.withLock { !$0.batches.isEmpty } }
    var deadline: Int64? { state.withLock { $0.deadline } }

    /// The writer waits for work, a stop, or the end of `milliseconds`.
    func waitForWork(milliseconds: Int) {
        work.wait(timeout: .milliseconds(milliseconds))
    }

    /// The writer is about to end: what still waits is lost, and counted in the status at least.
    ///
    /// - Returns: losses that the table `dropped` does not hold.
    func giveUp(_ left: [Batch]) -> [DropKey: UInt64] {
        state.withLock { state in
            Self.giveUp(left, in: &state)
            return state.unwrittenDrops
        }
    }

    /// The writer ends.
    func finish() {
        state.withLock { state in
            Self.giveUp([], in: &state)
            state.isDone = true
        }
        done.signal()
    }

    private static func giveUp(_ left: [Batch], in state: inout State) {
        for batch in left + state.batches { count(batch, .stopped, in: &state) }
        state.batches = []
        state.status.queuedRows = 0
    }

    // MARK: Stopping

    /// Asks the writer to write what waits and to end, and waits until it has or `milliseconds` are over.
    ///
    /// - Returns: whether it has ended.
    func stop(within milliseconds: Int) -> Bool {
        let deadline = CoarseClock.monotonicMilliseconds() + Int64(milliseconds)
        state.withLock { $0.deadline = $0.deadline.map { min($0, deadline) } ?? deadline }
        work.signal()
        while !state.withLock({ $0.isDone }) {
            // The writer looks at the deadline between two calls of SQLite, the longest of which waits for a lock.
            let left = deadline + 1000 - CoarseClock.monotonicMilliseconds()
            if left <= 0 { return false }
            done.wait(timeout: .milliseconds(left))
        }
        return true
    }

    private static func count(_ batch: Batch, _ reason: DropReason, in state: inout State) {
        for (kind, count) in batch.losses {
            state.status.dropped[DropKey(kind, reason), default: 0] += count
            state.unwrittenDrops[DropKey(kind, reason), default: 0] += count
        }
    }
}
