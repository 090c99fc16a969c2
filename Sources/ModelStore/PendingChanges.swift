internal import ModelCatalog

/// What a watcher has heard of and not yet looked at.
///
/// A release comes as a burst of events; a look at its end sees all of it at once. So a look is due when it was quiet
/// for a moment, and after a while in any case.
struct PendingChanges {
    /// The folder of manifests as a whole; the models below it are then of no interest.
    private(set) var everything = false
    private(set) var models: Set<ModelName> = []
    private var first: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?

    var isEmpty: Bool { first == nil }

    mutating func addEverything(at now: ContinuousClock.Instant) {
        everything = true
        models = []
        note(now)
    }

    mutating func add(_ model: ModelName, at now: ContinuousClock.Instant) {
        if !everything { models.insert(model) }
        note(now)
    }

    /// When a look is due; nil when nothing waits.
    func due(quiet: Duration, atMost: Duration) -> ContinuousClock.Instant? {
        guard let first, let last else { return nil }
        return min(last + quiet, first + atMost)
    }

    private mutating func note(_ now: ContinuousClock.Instant) {
        if first == nil { first = now }
        last = now
    }
}
