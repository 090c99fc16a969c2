internal import HostSystem
internal import HostTransport
internal import Synchronization

/// Follows the files of certificates and keys: a thread looks at them every few seconds, and reads them anew when they
/// have changed and then stood still, or when it is told to. Its methods may be called from any thread.
///
/// It looks by stat(2) and not by inotify, because such files are often links to links whose targets are exchanged
/// elsewhere.
final class CertificateWatcher: Sendable {
    private let orders: Orders
    /// Nil once it has ended.
    private let thread: Mutex<OSThread?>

    /// - Parameters:
    ///   - source: whose files they are; it has just read them.
    ///   - interval: between two looks.
    ///   - onEvent: called on the thread with a line for the operator about each change.
    init(
        _ source: TLSSource,
        interval: Duration = .seconds(2),
        onEvent: @escaping @Sendable (String) -> Void
    ) throws(Errno) {
        let orders = try Orders()
        self.orders = orders
        // Looked at here, not on the thread, so that a change after the start is one.
        let changes = FileChanges(Self.look(at: source.settings.files))
        thread = Mutex(
            try OSThread(name: "certificates") {
                Self.follow(source, changes, interval, orders, onEvent)
            }
        )
    }

    /// Reads the files anew although nothing seems to have changed. Returns at once; the operator is told.
    func reload() { orders.give { $0.reads = true } }

    /// Ends the thread and waits for that.
    func stop() {
        orders.give { $0.ends = true }
        thread.withLock { $0.take() }?.join()
    }

    private static func follow(
        _ source: TLSSource,
        _ changes: FileChanges,
        _ interval: Duration,
        _ orders: Orders,
        _ onEvent: (String) -> Void
    ) {
        var changes = changes
        while true {
            orders.wakeUp.wait(timeout: interval)
            let order = orders.take()
            if order.ends { return }
            let found = look(at: source.settings.files)
            if order.reads {
                changes.accept(found)
            } else if !changes.areDue(found) {
                continue
            }
            do throws(TLSError) {
                try source.reload()
                onEvent("new connections get the certificates that were read just now")
                for notice in source.notices { onEvent(notice) }
            } catch {
                onEvent("the certificates in use stay: \(error)")
            }
        }
    }

    private static func look(at files: [String]) -> [FileStatus?] {
        files.map { try? FileSystemPath.status($0) }
    }

    /// What the thread is told.
    private final class Orders: Sendable {
        struct Order: Sendable {
            var reads = false
            var ends = false
        }

        let wakeUp: WakeUp
        private let order = Mutex(Order())

        init() throws(Errno) { wakeUp = try WakeUp() }

        func give(_ change: (inout Order) -> Void) {
            order.withLock { change(&$0) }
            wakeUp.signal()
        }

        func take() -> Order {
            order.withLock { order in
                defer { order = Order() }
                return order
            }
        }
    }
}

/// Whether files have changed since they were read, told only when they have stood still for a look: a certificate and its
/// key are written one after the other, and neither at once.
struct FileChanges {
    private var read: [FileStatus?]
    private var seen: [FileStatus?]

    /// `found`: as they were before they were read.
    init(_ found: [FileStatus?]) {
        read = found
        seen = found
    }

    /// Takes what a look has found; true when the files should be read, which they then count as.
    mutating func areDue(_ found: [FileStatus?]) -> Bool {
        defer { seen = found }
        guard found != read, found == seen else { return false }
        read = found
        return true
    }

    /// They are read now, whatever was seen before.
    mutating func accept(_ found: [FileStatus?]) {
        read = found
        seen = found
    }
}
