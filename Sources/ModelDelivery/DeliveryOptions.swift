/// How patient, and how careful, a library is. The defaults are meant for an app.
public struct DeliveryOptions: Sendable {
    /// What must be free before a download begins.
    public enum SpaceCheck: Hashable, Sendable {
        /// What the publisher asks for: the download, its specialization, and scratch.
        case recommended
        /// The bytes still to be written, no more: for a host that keeps models and does not run them.
        case downloadOnly
    }

    /// The longest silence of a host in the midst of an answer. There is no limit to the whole: a slow download is
    /// not a failed one.
    public var stallTimeout: Duration = .seconds(30)
    /// Failures in a row, with not a byte gained between them, before an installation gives up.
    public var attemptsWithoutProgress = 6
    /// The wait after the first failure. It doubles with each, up to `longestDelay`; half of it is left to chance, so
    /// that many devices do not come back in the same instant.
    public var firstDelay: Duration = .milliseconds(500)
    public var longestDelay: Duration = .seconds(60)
    /// The longest wait that a host may ask for with `Retry-After`; where it asks for more, its error is thrown.
    public var longestRetryAfter: Duration = .seconds(300)
    /// Small files that are fetched at the same time. Large ones come one by one.
    public var concurrentSmallFiles = 4
    public var spaceCheck: SpaceCheck = .recommended

    /// The longest that an answer takes that is no file of a model: such a one is small, and a host that sends it byte
    /// by byte never falls silent.
    var documentTimeout: Duration { stallTimeout * 20 }

    /// What the tests take hold of.
    package var seams = DeliverySeams()

    public init() {}
}
