/// What is taken of reports, which anyone may send.
///
/// In a day one address leaves 86,520 rows at most, and all together 43.2 million; a row takes about 180 octets of the
/// ledger, which is bounded by itself.
enum ReportLimits {
    /// Octets of a body.
    static let body = 64 << 10
    /// Reports in one request; as many as `ModelDelivery` lets wait on a device.
    static let items = 100
    /// Levels of arrays and objects: two have a meaning, more may stand in members that are passed over.
    static let levels = 16
    /// Milliseconds that a model may have taken to load: a day. What is above is a clock that was set.
    static let loadMilliseconds: ClosedRange<Int64> = 0...86_400_000

    /// From one address: what a device has gathered while it was away, at once, and then one report a second. A device
    /// has one or two a day to send; but behind one address of IPv4 there may be hundreds of them.
    static let client = RateLimiter.Rate(burst: 120, perSecond: 1)
    /// From all: a small part of what the ledger's one writer can do, so that a flood leaves it to the downloads; and
    /// enough for ten million devices that load a new version within six hours.
    static let all = RateLimiter.Rate(burst: 5_000, perSecond: 500)
    /// Addresses that are remembered: 1 MiB. One that was let go has its whole burst again.
    static let clients = 16_384
}
