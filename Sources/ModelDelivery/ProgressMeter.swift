internal import Synchronization

/// Counts what is here and tells it, at most twice a second and never backwards.
final class ProgressMeter: Sendable {
    /// Between two values.
    static let interval: Duration = .milliseconds(500)
    /// The rate is that of about so much time before.
    static let window: Duration = .seconds(5)

    private struct State {
        var phase = DeliveryProgress.Phase.preparing
        var total: UInt64 = 0
        /// Bytes that are here, in whole files and in partial ones.
        var held: UInt64 = 0
        var received: UInt64 = 0
        /// The most that was told.
        var told: UInt64 = 0
        var lastTime: Duration?
        var isPending = false
        /// Times and received bytes of the last values, the oldest first.
        var samples: [(time: Duration, received: UInt64)] = []
    }

    private let state = Mutex(State())
    private let seams: DeliverySeams
    private let tell: @Sendable (DeliveryProgress) -> Void

    init(seams: DeliverySeams, tell: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }) {
        self.seams = seams
        self.tell = tell
    }

    func enter(_ phase: DeliveryProgress.Phase, total: UInt64? = nil) {
        change {
            $0.phase = phase
            if let total { $0.total = total }
        }
    }

    /// Bytes that were here before: of an installed version, or of an earlier attempt.
    func found(_ bytes: UInt64) { change { $0.held += bytes } }

    /// Bytes that came over the network.
    func received(_ bytes: Int) {
        change {
            $0.held += UInt64(bytes)
            $0.received += UInt64(bytes)
        }
    }

    /// Bytes that were here and proved to be of no use.
    func lost(_ bytes: UInt64) { change { $0.held -= min($0.held, bytes) } }

    func finish() {
        state.withLock {
            $0.phase = .finished
            $0.held = $0.total
            $0.isPending = true
        }
        flush()
    }

    /// Tells the last value where it was held back.
    func flush() {
        state.withLock { state in
            guard state.isPending else { return }
            tell(Self.next(&state, seams.now()))
        }
    }

    /// Told under the lock: of two threads that count at the same time, the later must not be told first. What is
    /// called here only puts the value into a stream.
    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.isPending = true
            let now = seams.now()
            if let last = state.lastTime, now - last < Self.interval { return }
            tell(Self.next(&state, now))
        }
    }

    private static func next(_ state: inout State, _ now: Duration) -> DeliveryProgress {
        state.lastTime = now
        state.isPending = false
        state.told = max(state.told, min(state.held, state.total))
        state.samples.append((now, state.received))
        while state.samples.count > 2, now - state.samples[1].time >= window { state.samples.removeFirst() }
        var rate = 0.0
        if let first = state.samples.first, now > first.time {
            rate = Double(state.received - first.received) / ((now - first.time) / .seconds(1))
        }
        return DeliveryProgress(phase: state.phase, bytes: state.told, total: state.total, bytesPerSecond: rate)
    }
}
