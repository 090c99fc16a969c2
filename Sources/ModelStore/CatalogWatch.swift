internal import HostSystem
internal import ModelCatalog

/// The watcher's work on its own thread; nothing here is shared.
struct CatalogWatch: ~Copyable {
    private let store: StoreFolder
    private let scanner: CatalogScanner
    private let publisher: CatalogPublisher
    private let findings: CatalogFindings
    private let means: CatalogWatcher.Means
    private let timing: CatalogWatcher.Timing
    private let watchLimit: Int

    /// Nil while polling.
    private var notices: FolderNotices?
    private var polling = FolderPolling()
    private var pending = PendingChanges()
    /// The folders that the last scans saw.
    private var folders: Set<ModelName> = []
    private var unread: Set<ModelName> = []
    private var unreadAsAWhole = false
    /// When to look at the folders' times, or try again what could not be read; whichever is wanted.
    private var nextLook = ContinuousClock.now
    private var nextFullScan = ContinuousClock.now

    init(
        store: StoreFolder,
        scanner: CatalogScanner,
        publisher: CatalogPublisher,
        findings: CatalogFindings,
        means: CatalogWatcher.Means,
        timing: CatalogWatcher.Timing,
        watchLimit: Int
    ) {
        self.store = store
        self.scanner = scanner
        self.publisher = publisher
        self.findings = findings
        self.means = means
        self.timing = timing
        self.watchLimit = watchLimit
    }

    /// Runs until it is told to stop.
    mutating func run(_ orders: WatchOrders) {
        begin()
        while true {
            let order = orders.take()
            if order.stop { return }
            if order.reload {
                reopen()
                begin()
            }
            let now = ContinuousClock.now
            if isDue(now) { lookAtPending() }
            wait(orders.bell)
        }
    }

    /// Chooses the means and looks at everything.
    private mutating func begin() {
        notices = nil
        if means == .automatic {
            do throws(Errno) {
                notices = try FolderNotices(layout: store.layout, limit: watchLimit)
                findings.clear(Self.watchSubject)
            } catch {
                giveUpNotices(error)
            }
        }
        polling = FolderPolling()
        pending.addEverything(at: .now)
        lookAtPending()
    }

    private mutating func reopen() {
        do throws(StoreError) {
            try store.reopen()
            findings.clear(Self.storeSubject)
        } catch {
            findings.report(Self.storeSubject, "\(error); the folder that was open before is read on")
        }
    }

    private static let storeSubject = "."
    private static let watchSubject = "inotify"

    private mutating func giveUpNotices(_ error: Errno) {
        notices = nil
        findings.report(
            Self.watchSubject,
            "cannot watch the folders (\(error)); they are looked at each second instead. Raise "
                + "fs.inotify.max_user_watches above the number of models, and reload"
        )
    }

    private func isDue(_ now: ContinuousClock.Instant) -> Bool {
        guard let due = pending.due(quiet: timing.quiet, atMost: timing.atMost) else { return false }
        return due <= now
    }

    private mutating func wait(_ bell: borrowing WakeUp) {
        var wake = pending.due(quiet: timing.quiet, atMost: timing.atMost)
        let looks = notices == nil || !unread.isEmpty || unreadAsAWhole
        if looks { wake = min(wake ?? nextLook, nextLook) }
        let timeout = wake.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
        do throws(Errno) {
            if notices != nil {
                try waitForEvents(bell, timeout)
            } else {
                bell.wait(timeout: timeout)
            }
        } catch {
            // Reading events needs memory of the kernel's; looking at folders does not.
            giveUpNotices(error)
        }
        let now = ContinuousClock.now
        if looks, nextLook <= now { lookAgain(now) }
    }

    private mutating func waitForEvents(_ bell: borrowing WakeUp, _ timeout: Duration?) throws(Errno) {
        guard var notices = notices.take() else { return }
        if bell.wait(orEventsOf: notices.watch, timeout: timeout) { try notices.drain(into: &pending, now: .now) }
        self.notices = consume notices
    }

    private mutating func lookAgain(_ now: ContinuousClock.Instant) {
        nextLook = now + timing.interval
        if unreadAsAWhole { pending.addEverything(at: now) }
        for model in unread { pending.add(model, at: now) }
        guard notices == nil else { return }
        polling.look(at: store, models: folders, into: &pending, now: now)
        if nextFullScan <= now { pending.addEverything(at: now) }
    }

    private mutating func lookAtPending() {
        let changes = pending
        pending = PendingChanges()
        do throws(Errno) {
            try follow(changes)
        } catch {
            giveUpNotices(error)
        }
        let before = publisher.current()
        if changes.everything {
            nextFullScan = .now + timing.fullScan
            do throws(StoreError) {
                let outcome = try scanner.look(after: before)
                unreadAsAWhole = false
                unread = outcome.unread
                // One that came after the watches were set: the watch on `manifests` has noticed it as well.
                folders = outcome.folders
                publish(outcome.snapshot, after: before)
            } catch {
                // The scanner has reported it, and what was published holds.
                unreadAsAWhole = true
            }
        } else {
            let outcome = scanner.look(at: changes.models, after: before)
            unread = unread.subtracting(changes.models).union(outcome.unread)
            folders = folders.subtracting(changes.models).union(outcome.folders)
            publish(outcome.snapshot, after: before)
        }
        if !unread.isEmpty || unreadAsAWhole { nextLook = .now + timing.interval }
    }

    /// Sets the watches on what is about to be scanned.
    private mutating func follow(_ changes: PendingChanges) throws(Errno) {
        guard var notices = notices.take() else { return }
        if changes.everything {
            try notices.followManifests()
            // A folder that cannot be listed is the scanner's to report.
            try notices.follow(only: Set((try? scanner.modelNames()) ?? []))
        } else {
            for model in changes.models { try notices.follow(model) }
        }
        self.notices = consume notices
    }

    private mutating func publish(_ new: CatalogSnapshot, after before: CatalogSnapshot) {
        if new.generation == before.generation { return }
        // Somebody else published in between: on the ground of his snapshot, once more.
        guard publisher.publish(new) else { return pending.addEverything(at: .now) }
        findings.dropUnpublished(in: new)
    }
}
