internal import Synchronization

/// A count that one thread writes and any thread reads.
///
/// Nobody else writes between the writer's load and its store, so it needs no locked instruction, and none of its readers
/// ever makes it wait. What several threads count, each counts for itself; who wants the sum adds their tallies up.
package struct Tally: ~Copyable, Sendable {
    private let value = Atomic<UInt64>(0)

    package init() {}

    /// What it is now, or was a moment ago. Any thread.
    package var count: UInt64 { value.load(ordering: .relaxed) }

    /// Counts `number` more. The writer's thread only.
    package func add(_ number: UInt64 = 1) {
        value.store(value.load(ordering: .relaxed) &+ number, ordering: .relaxed)
    }

    /// Counts `number` less, of what was counted before. The writer's thread only.
    package func subtract(_ number: UInt64 = 1) {
        value.store(value.load(ordering: .relaxed) &- number, ordering: .relaxed)
    }
}
