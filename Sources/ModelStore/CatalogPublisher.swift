package import ModelCatalog
internal import Synchronization

/// The snapshot that holds now, and a number that tells whether it is still the one a loop has.
///
/// Any thread may use it. A loop compares `generation` with the one it took its snapshot at, once a request, and takes
/// the lock only after a change.
package final class CatalogPublisher: Sendable {
    private let counter: Atomic<UInt64>
    private let snapshot: Mutex<CatalogSnapshot>

    package init(_ snapshot: CatalogSnapshot = .empty) {
        counter = Atomic(snapshot.generation)
        self.snapshot = Mutex(snapshot)
    }

    /// The generation of the snapshot that `current` would give, or of one just before it.
    package var generation: UInt64 { counter.load(ordering: .acquiring) }

    package func current() -> CatalogSnapshot {
        snapshot.withLock { $0 }
    }

    /// Puts `new` in the place of the current snapshot. Its generation must be above the current one's: scans start
    /// from the current snapshot and so count on. One that is not, because another publication came in between, is
    /// put down with false, and the caller scans again.
    @discardableResult
    package func publish(_ new: CatalogSnapshot) -> Bool {
        snapshot.withLock { snapshot in
            guard new.generation > snapshot.generation else { return false }
            snapshot = new
            // Within the lock, so that the number never runs behind one that a reader has seen.
            counter.store(new.generation, ordering: .releasing)
            return true
        }
    }
}
