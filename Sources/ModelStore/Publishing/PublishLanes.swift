internal import HostSystem
internal import Synchronization

/// Whether a publication may go on.
struct PublishControl: Sendable {
    final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }

    let seams: PublishSeams
    /// Set by the operator.
    let interrupted: Flag
    /// What the operator allowed, and what then came up.
    let allowed = AllowedFindings()

    func check() throws(PublishError) {
        if interrupted.isSet || seams.isGone { throw .interrupted }
    }
}

/// Work shared among threads, one for each processor; the first failure ends it for all.
final class PublishLanes: Sendable {
    /// More than that many would wait for the disk; and each has its buffers.
    private static let maximumCount = 8

    private let control: PublishControl
    private let next = Atomic(0)
    private let failure = Mutex<PublishError?>(nil)
    private let failed = PublishControl.Flag()

    private init(control: PublishControl) {
        self.control = control
    }

    /// Throws where the work is to be left; to be called between pieces.
    func check() throws(PublishError) {
        if failed.isSet { throw .interrupted }
        try control.check()
    }

    /// Calls `body` for each item, in their order, from several threads, the caller's among them.
    static func run<Item: Sendable>(
        _ items: [Item],
        _ control: PublishControl,
        _ body: @escaping @Sendable (Item, PublishLanes) throws(PublishError) -> Void
    ) throws(PublishError) {
        let lanes = PublishLanes(control: control)
        let work: @Sendable () -> Void = {
            while !lanes.failed.isSet {
                let index = lanes.next.add(1, ordering: .relaxed).oldValue
                if index >= items.count { return }
                do throws(PublishError) {
                    try lanes.check()
                    try body(items[index], lanes)
                } catch {
                    lanes.failure.withLock { $0 = $0 ?? error }
                    lanes.failed.set()
                }
            }
        }
        runOnThreads(min(items.count, ProcessLimits.processors(), maximumCount) - 1, work)
        if let failure = lanes.failure.withLock({ $0 }) { throw failure }
    }

    /// Recursive, since a thread has one owner and no array can hold it. Without a further thread the rest does it all.
    private static func runOnThreads(_ further: Int, _ work: @escaping @Sendable () -> Void) {
        guard further > 0, let thread = try? OSThread(name: "publish", work) else { return work() }
        runOnThreads(further - 1, work)
        thread.join()
    }
}

/// Counts what was read, and tells it in order.
final class PublishMeter: Sendable {
    private let total: UInt64
    private let done = Mutex<UInt64>(0)
    private let tell: @Sendable (PublishProgress) -> Void

    init(total: UInt64, _ tell: @escaping @Sendable (PublishProgress) -> Void) {
        self.total = total
        self.tell = tell
    }

    func add(_ count: Int) {
        done.withLock { done in
            done += UInt64(count)
            tell(PublishProgress(done: done, total: total))
        }
    }
}
