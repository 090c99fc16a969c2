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

extension DeliveryError {
    /// How much an error says of why a thing cannot be had, to choose among those of several hosts.
    var tells: Int {
        switch self {
        case .network: 0
        case .server(let failure): failure.code == nil ? 1 : 2
        default: 3
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
    /// Hosts that said that they lack the thing. They are not asked again: what they say does not change in a minute.
    private var lacking: Set<Int> = []

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
            lacking.insert(host)
            guard lacking.count < hosts else { return .giveUp }
            goOn()
            return .attempt(host: host, after: .zero)
        case .again(let seconds):
            failures += 1
            guard failures < options.attemptsWithoutProgress else { return .giveUp }
            let willing = hosts - lacking.count
            if let seconds, willing == 1 {
                guard .seconds(seconds) <= options.longestRetryAfter else { return .giveUp }
                // Not before the time that was asked for, and not all devices in the same instant; and never at once,
                // though a host may ask for 0 s.
                let asked = Duration.seconds(seconds) * (1 + 0.2 * options.seams.random())
                return .attempt(host: host, after: max(asked, backoff(failures - 1)))
            }
            goOn()
            // The next host may answer at once; the wait comes when all were asked.
            return .attempt(host: host, after: failures % willing == 0 ? backoff(failures / willing - 1) : .zero)
        }
    }

    /// To the next host that may have it; there is one.
    private mutating func goOn() {
        repeat { host = (host + 1) % hosts } while lacking.contains(host)
    }

    private func backoff(_ round: Int) -> Duration {
        let full = min(options.firstDelay * (1 << min(round, 20)), options.longestDelay)
        return full * (0.5 + 0.5 * options.seams.random())
    }
}
