/// How much is taken from one client, and from all of them together. A value with no clock of its own.
///
/// Each is a bucket that holds `burst` items and is filled again at a steady pace. Of a bucket one number is kept, the
/// time at which it will be full (the generic cell rate algorithm of ITU-T I.371): none has to be filled by a timer, and
/// one that is full is the same as none.
struct RateLimiter: Sendable {
    /// A bucket's size, and how fast it is filled.
    struct Rate: Sendable {
        let burst: Int64
        /// Nanoseconds until one more item may be taken.
        let interval: Int64

        init(burst: Int, perSecond: Int) {
            self.burst = Int64(burst)
            interval = 1_000_000_000 / Int64(perSecond)
        }

        /// How far ahead of now the time may lie at which the bucket is full.
        fileprivate var depth: Int64 { burst * interval }
    }

    enum Verdict: Equatable, Sendable {
        case taken
        /// This client has to wait so many seconds, at least one, until as much could be taken as it wants.
        case clientWaits(seconds: UInt64)
        /// All together are too many.
        case allWait(seconds: UInt64)
    }

    private let client: Rate
    private let all: Rate
    /// When the bucket of all is full, in nanoseconds of the caller's clock.
    private var allFull: Int64 = .min
    private var clients: RecentClients

    /// - Parameter clients: the most clients that are remembered.
    init(client: Rate, all: Rate, clients: Int) {
        self.client = client
        self.all = all
        self.clients = RecentClients(limit: clients)
    }

    /// Clients that are remembered.
    var remembered: Int { clients.count }

    /// Takes `count` items from both buckets, or from neither.
    ///
    /// - Parameters:
    ///   - key: nil for a client that cannot be told from others; only the bucket of all counts.
    ///   - whole: what has to be there when the client comes again, at most a burst; `count` unless given.
    ///   - now: nanoseconds of a clock that does not go back.
    mutating func take(_ count: Int, for key: ClientKey?, retrying whole: Int? = nil, at now: Int64) -> Verdict {
        let wanted = max(count, whole ?? count)
        let clientFull = key.flatMap { clients.full($0) } ?? now
        if key != nil, let wait = Self.wait(for: count, wanted, client, clientFull, now) {
            return .clientWaits(seconds: wait)
        }
        // Before anything is remembered of this client: a flood from ever new addresses puts no more into the table
        // than it may take from the bucket of all.
        if let wait = Self.wait(for: count, wanted, all, allFull, now) { return .allWait(seconds: wait) }
        allFull = max(allFull, now) + Int64(count) * all.interval
        if let key { clients.set(max(clientFull, now) + Int64(count) * client.interval, for: key) }
        return .taken
    }

    /// Seconds until a bucket holds `wanted`; nil where it holds `count` now.
    private static func wait(for count: Int, _ wanted: Int, _ rate: Rate, _ full: Int64, _ now: Int64) -> UInt64? {
        let level = max(full, now) - now
        guard level + Int64(count) * rate.interval > rate.depth else { return nil }
        let missing = level + Int64(wanted) * rate.interval - rate.depth
        return UInt64(max(1, (missing + 999_999_999) / 1_000_000_000))
    }
}

/// The clients met lately, bounded: when half as many as may be have been met, those before them are let go that did not
/// come again. To find the oldest takes no search.
private struct RecentClients: Sendable {
    private let half: Int
    /// When each one's bucket is full.
    private var newer: [ClientKey: Int64] = [:]
    private var older: [ClientKey: Int64] = [:]

    init(limit: Int) {
        half = max(1, limit / 2)
    }

    var count: Int { newer.count + older.count }

    func full(_ key: ClientKey) -> Int64? { newer[key] ?? older[key] }

    mutating func set(_ full: Int64, for key: ClientKey) {
        older[key] = nil
        newer[key] = full
        guard newer.count >= half else { return }
        older = newer
        newer = [:]
    }
}
