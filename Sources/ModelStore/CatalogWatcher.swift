internal import HostSystem
internal import Synchronization

/// Keeps the published snapshot true to the folders: a thread that is told of changes, looks at what changed, and
/// publishes the outcome.
///
/// A version is seen within about a quarter of a second of its manifest's rename. Any thread may call it.
package final class CatalogWatcher: Sendable {
    /// How long things take; the standard values are those of the server.
    package struct Timing: Sendable {
        /// A look is due when nothing happened for so long.
        package var quiet: Duration = .milliseconds(30)
        /// And so long after the first event in any case.
        package var atMost: Duration = .milliseconds(200)
        /// Between two looks at the folders' times, where inotify cannot serve; and before what could not be read is
        /// tried again.
        package var interval: Duration = .seconds(1)
        /// Between two full scans, where inotify cannot serve.
        package var fullScan: Duration = .seconds(60)

        package init() {}
    }

    /// How changes are noticed.
    package enum Means: Sendable {
        /// By inotify, or else by polling, with a finding.
        case automatic
        case polling
    }

    private let orders: WatchOrders
    /// Nil once it has ended.
    private let thread: Mutex<OSThread?>

    /// Starts the thread. It begins with a full scan, so that nothing is missed that happened since the snapshot that
    /// `publisher` holds was made. Throws when no thread can be had.
    package convenience init(
        store: StoreFolder,
        scanner: CatalogScanner,
        publisher: CatalogPublisher,
        findings: CatalogFindings,
        means: Means = .automatic,
        timing: Timing = Timing()
    ) throws(StoreError) {
        try self.init(
            store: store,
            scanner: scanner,
            publisher: publisher,
            findings: findings,
            means: means,
            timing: timing,
            watchLimit: .max
        )
    }

    /// `watchLimit` is the seam for tests; see `FolderNotices`.
    init(
        store: StoreFolder,
        scanner: CatalogScanner,
        publisher: CatalogPublisher,
        findings: CatalogFindings,
        means: Means,
        timing: Timing,
        watchLimit: Int
    ) throws(StoreError) {
        do throws(Errno) {
            let orders = try WatchOrders()
            let thread = try OSThread(name: "catalog-watch") {
                var watch = CatalogWatch(
                    store: store,
                    scanner: scanner,
                    publisher: publisher,
                    findings: findings,
                    means: means,
                    timing: timing,
                    watchLimit: watchLimit
                )
                watch.run(orders)
            }
            self.orders = orders
            self.thread = Mutex(thread)
        } catch {
            throw .noThread(error)
        }
    }

    /// Opens the store's folder anew by its path and looks at all of it. Returns at once; the outcome is published.
    package func reload() {
        orders.give { $0.reload = true }
    }

    /// Ends the thread, and returns when it has ended: nothing is published from then on. A second call does nothing.
    package func stop() {
        orders.give { $0.stop = true }
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
    }

    deinit {
        stop()
    }
}

/// What the watcher's thread is asked to do, and the bell that makes it look.
final class WatchOrders: Sendable {
    struct Orders {
        var reload = false
        var stop = false
    }

    let bell: WakeUp
    private let orders = Mutex(Orders())

    init() throws(Errno) {
        bell = try WakeUp()
    }

    func give(_ change: (inout Orders) -> Void) {
        orders.withLock { change(&$0) }
        bell.signal()
    }

    /// What was asked since the last time; a stop stands.
    func take() -> Orders {
        orders.withLock { orders in
            defer { orders.reload = false }
            return orders
        }
    }
}
