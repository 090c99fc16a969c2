internal import Synchronization

/// Questions for variants that are not there, by model and architecture. Any thread; nobody is on this way who is served
/// a file.
///
/// An architecture is whatever a client says it is, and each new pair is a series that whoever collects the metrics keeps
/// for months. So there are so many of one model and so many in all, and the rest of a model is counted as one. Who
/// wants each of them asks the ledger.
final class MissCounters: Sendable {
    /// The architecture under which those are counted that have no place of their own.
    static let other = "other"

    struct Pair: Hashable, Sendable {
        let model: String
        let architecture: String
    }

    private struct State {
        var counts: [Pair: UInt64] = [:]
        /// Architectures that have a place of their own, by model and in all.
        var places: [String: Int] = [:]
        var placesTaken = 0
    }

    private let state = Mutex(State())
    private let placesOfModel: Int
    private let places: Int

    init(placesOfModel: Int = 50, places: Int = 500) {
        self.placesOfModel = placesOfModel
        self.places = places
    }

    /// Counts one question. The model is one that is published, or was: that bounds how many there are of them.
    func count(model: String, architecture: String) {
        state.withLock { state in
            let pair = Pair(model: model, architecture: architecture)
            if state.counts[pair] != nil || takePlace(pair, &state) {
                state.counts[pair, default: 0] += 1
            } else {
                state.counts[Pair(model: model, architecture: Self.other), default: 0] += 1
            }
        }
    }

    private func takePlace(_ pair: Pair, _ state: inout State) -> Bool {
        let taken = state.places[pair.model] ?? 0
        guard taken < placesOfModel, state.placesTaken < places else { return false }
        state.places[pair.model] = taken + 1
        state.placesTaken += 1
        return true
    }

    /// The counts so far, in the order of their names.
    var all: [(pair: Pair, count: UInt64)] {
        state.withLock { $0.counts }
            .map { (pair: $0.key, count: $0.value) }
            .sorted { ($0.pair.model, $0.pair.architecture) < ($1.pair.model, $1.pair.architecture) }
    }
}
