package import HostSystem
internal import Synchronization

/// The database of what devices asked and got. One thread writes it; loops hand it rows through their recorders and
/// never wait for it, whatever state the disk is in.
package final class Ledger: Sendable {
    private let settings: LedgerSettings
    private let queue: LedgerQueue
    private let hasher = ClientHasher()
    private let thread: Mutex<OSThread?>

    /// Starts the writer. The file is opened, made or brought up to date on its thread, and again and again where
    /// that fails: `status` tells.
    ///
    /// - Throws: the error of a thread or an eventfd that could not be made.
    package init(_ settings: LedgerSettings) throws(Errno) {
        let queue = try LedgerQueue(capacity: settings.queueCapacity)
        self.settings = settings
        self.queue = queue
        thread = Mutex(try OSThread(name: "ledger") { LedgerWriter(settings, queue).run() })
    }

    deinit {
        stop(within: 0)
    }

    /// A recorder for one loop, to be used on that loop's thread only.
    package func makeRecorder() -> LoopRecorder {
        LoopRecorder(queue: queue, hasher: hasher, settings: settings)
    }

    /// How it fares now. Any thread.
    package var status: LedgerStatus { queue.status }

    /// The database file.
    package var path: String { settings.path }

    /// Writes what waits and closes the file; what cannot be written in time is counted as lost. Recorders may go on
    /// recording: it is counted. Waits `milliseconds` and at most a second more.
    ///
    /// - Returns: whether the writer has ended.
    @discardableResult
    package func stop(within milliseconds: Int = 2000) -> Bool {
        guard queue.stop(within: milliseconds) else { return false }
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
        return true
    }
}
