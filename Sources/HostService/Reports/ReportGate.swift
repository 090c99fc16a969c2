internal import HostSystem
internal import Synchronization

/// The limits of all loops together. A lock, for a report is one of thousands of requests.
final class ReportGate: Sendable {
    private let limiter: Mutex<RateLimiter>

    init() {
        limiter = Mutex(
            RateLimiter(client: ReportLimits.client, all: ReportLimits.all, clients: ReportLimits.clients)
        )
    }

    /// Takes `count` reports of this client's; see `RateLimiter.take`.
    func take(_ count: Int, for key: ClientKey?, retrying whole: Int? = nil) -> RateLimiter.Verdict {
        let now = CoarseClock.monotonicMilliseconds() * 1_000_000
        return limiter.withLock { $0.take(count, for: key, retrying: whole, at: now) }
    }
}
