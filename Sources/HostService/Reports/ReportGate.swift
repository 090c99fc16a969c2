internal import HostSystem
internal import Synchronization

/// The limits of all loops together. A lock, for a report is one of thousands of requests.
final class ReportGate: Sendable {
    let counters: ReportCounters
    private let limiter: Mutex<RateLimiter>

    init(counters: ReportCounters) {
        self.counters = counters
        limiter = Mutex(
            RateLimiter(client: ReportLimits.client, all: ReportLimits.all, clients: ReportLimits.clients)
        )
    }

    /// Takes `count` reports of this client's; see `RateLimiter.take`.
    func take(_ count: Int, for key: ClientKey?, retrying whole: Int? = nil) -> RateLimiter.Verdict {
        let now = CoarseClock.monotonicMilliseconds() * 1_000_000
        let verdict = limiter.withLock { $0.take(count, for: key, retrying: whole, at: now) }
        // How many reports a body holds that is not looked at, nobody knows: it counts as one.
        if verdict != .taken { counters.count(.rateLimited, whole ?? count) }
        return verdict
    }
}
