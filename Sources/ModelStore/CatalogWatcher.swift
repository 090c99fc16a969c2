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

    struct Orders {
        var reload = false
        var stop = false
    }

    private let orders: OrderBox
    private let thread: WatchThread

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
        let orders = OrderBox()
        self.orders = orders
        do throws(Errno) {
            thread = try WatchThread(name: "catalog-watch") { bell in
                var watch = CatalogWatch(
                    store: store,
                    scanner: scanner,
                    publisher: publisher,
                    findings: findings,
                    means: means,
                    timing: timing,
                    watchLimit: watchLimit
                )
                watch.run(bell, orders)
            }
        } catch {
            throw .noThread(error)
        }
    }

    /// Opens the store's folder anew by its path and looks at all of it. Returns at once; the outcome is published.
    package func reload() {
        orders.value.withLock { $0.reload = true }
        thread.ring()
    }

    /// Ends the thread, and returns when it has ended: nothing is published from then on. A second call does nothing.
    package func stop() {
        let first = orders.value.withLock { orders in
            defer { orders.stop = true }
            return !orders.stop
        }
        guard first else { return }
        thread.ring()
        thread.finish()
    }

    deinit {
        stop()
    }
}

/// What the watcher's thread is asked to do.
final class OrderBox: Sendable {
    let value = Mutex(CatalogWatcher.Orders())

    func take() -> CatalogWatcher.Orders {
        value.withLock { orders in
            defer { orders.reload = false }
            return orders
        }
    }
}
