/// How much is read of a body that is no file of a model: so many bytes, and for so long.
///
/// A document is small and a refusal is smaller; a host that sends either without end, or a byte now and then for ever,
/// would otherwise keep the device as long as it likes.
struct BodyAllowance: Sendable {
    /// Bytes that are read of a body that nobody wants: enough for a problem document, and cheaper than another
    /// connection.
    static let unwanted = 64 << 10

    private var left: Int
    private let end: Duration
    private let now: @Sendable () -> Duration

    /// - Parameter bytes: the most that is read.
    init(bytes: Int, options: DeliveryOptions) {
        left = bytes
        now = options.seams.now
        end = now() + options.documentTimeout
    }

    /// - Returns: whether so many bytes more may be taken.
    mutating func take(_ count: Int) -> Bool {
        guard count <= left, now() < end else { return false }
        left -= count
        return true
    }

    /// What ends the exchange then.
    static let exceeded = DeliveryError.network(
        NetworkFailure(.malformedAnswer, "more of an answer, or for longer, than is read of one")
    )
}
