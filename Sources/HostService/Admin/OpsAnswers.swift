internal import HTTPWire
internal import Synchronization

/// The answers of the administration's API that were made lately, shared by all loops: ten open pages cost what one
/// costs. It also bounds how many questions are asked at once, for they run on the threads that open files for
/// downloads.
///
/// Any thread may use it.
final class OpsAnswers: Sendable {
    struct Key: Hashable, Sendable {
        let resource: OpsResource
        let scope: OpsScope
    }

    typealias Outcome = Result<Document, OpsFailure>

    enum Turn: Sendable {
        /// Nobody needs to ask.
        case held(Outcome)
        /// The caller asks, and calls `finish`.
        case ask
    }

    private struct Held: Sendable {
        let outcome: Outcome
        /// The snapshot's that it speaks of.
        let generation: UInt64
        /// Milliseconds of a clock that is never set back.
        let made: Int64
        let freshUntil: Int64
    }

    private struct State: Sendable {
        var held: [Key: Held] = [:]
        var asking = 0
    }

    /// Milliseconds that an answer is given again, and times what it took to make: one that took a second is kept for
    /// five, so that asking takes a fifth of a processor at the most.
    static let freshFor: Int64 = 2000
    static let freshForCost: Int64 = 5
    /// Milliseconds that it may be given again while others ask.
    static let usableFor: Int64 = 60_000
    /// Questions at once, of the four threads there are.
    static let askingLimit = 2
    /// Answers held.
    static let heldLimit = 64

    private let state = Mutex(State())

    /// A fresh answer, or nil: then the turn is to be taken on a thread that may wait.
    func fresh(_ key: Key, generation: UInt64, now: Int64) -> Outcome? {
        state.withLock { state in
            guard let held = state.held[key], held.generation == generation, now < held.freshUntil else { return nil }
            return held.outcome
        }
    }

    /// Whose turn it is. Nobody waits: where two ask already, what was known before is given, or `busy`.
    func turn(_ key: Key, generation: UInt64, now: Int64) -> Turn {
        state.withLock { state in
            let held = state.held[key]
            if let held, held.generation == generation, now < held.freshUntil { return .held(held.outcome) }
            guard state.asking >= Self.askingLimit else {
                state.asking += 1
                return .ask
            }
            if let held, now - held.made < Self.usableFor { return .held(held.outcome) }
            return .held(.failure(.busy))
        }
    }

    /// Keeps the answer of a caller that was told to ask at `began`.
    func finish(_ outcome: Outcome, _ key: Key, generation: UInt64, began: Int64, now: Int64) {
        let keep = max(Self.freshFor, Self.freshForCost * (now - began))
        let held = Held(outcome: outcome, generation: generation, made: now, freshUntil: now + keep)
        state.withLock { state in
            state.asking -= 1
            if state.held[key] == nil, state.held.count >= Self.heldLimit {
                let oldest = state.held.min { $0.value.made < $1.value.made }
                if let oldest { state.held[oldest.key] = nil }
            }
            state.held[key] = held
        }
    }
}
