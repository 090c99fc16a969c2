/// An attempt that failed, and what can be done about it.
struct AttemptFailure: Error {
    enum Remedy: Hashable {
        /// Nothing that this device can do.
        case none
        /// Another host may have it; the same one will not.
        case elsewhere
        /// The same again, here or at another host, after a while; seconds where the host named them.
        case again(after: Int?)
    }

    let error: DeliveryError
    let remedy: Remedy

    init(_ error: DeliveryError, _ remedy: Remedy) {
        self.error = error
        self.remedy = remedy
    }

    /// What the kind of an error suggests.
    init(_ error: DeliveryError) {
        self.error = error
        remedy =
            switch error {
            case .network: .again(after: nil)
            default: .none
            }
    }
}

/// When to try again, where, and when to give up. Pure but for chance.
struct RetryPolicy {
    enum Step: Hashable {
        case giveUp
        /// At the host of this index, after this time.
        case attempt(host: Int, after: Duration)
    }

    private let options: DeliveryOptions
    private let hosts: Int
    private(set) var host: Int
    private var failures = 0
    /// Hosts in a row that lack the thing.
    private var lacking = 0

    init(options: DeliveryOptions, hosts: Int, first: Int = 0) {
        self.options = options
        self.hosts = hosts
        host = first % hosts
    }

    /// - Parameter gained: whether the attempt brought bytes that are kept.
    mutating func failed(_ remedy: AttemptFailure.Remedy, gained: Bool) -> Step {
        if gained { failures = 0 }
        switch remedy {
        case .none:
            return .giveUp
        case .elsewhere:
            lacking += 1
            guard lacking < hosts else { return .giveUp }
            host = (host + 1) % hosts
            return .attempt(host: host, after: .zero)
        case .again(let seconds):
            lacking = 0
            failures += 1
            guard failures < options.attemptsWithoutProgress else { return .giveUp }
            if let seconds, hosts == 1 {
                guard .seconds(seconds) <= options.longestRetryAfter else { return .giveUp }
                // Not before the time that was asked for, and not all devices in the same instant.
                return .attempt(host: host, after: .seconds(seconds) * (1 + 0.2 * options.seams.random()))
            }
            host = (host + 1) % hosts
            // The next host may answer at once; the wait comes when all were asked.
            return .attempt(host: host, after: failures % hosts == 0 ? backoff(failures / hosts - 1) : .zero)
        }
    }

    private func backoff(_ round: Int) -> Duration {
        let full = min(options.firstDelay * (1 << min(round, 20)), options.longestDelay)
        return full * (0.5 + 0.5 * options.seams.random())
    }
}
