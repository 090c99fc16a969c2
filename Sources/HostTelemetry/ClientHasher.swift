internal import Synchronization

/// Turns a client's address into a number that tells it from others for one day of UTC and then means nothing.
///
/// The salt is random, in memory only, and gone when the day is: no address can be got back, nor one day's numbers be
/// matched with another's. One hasher serves all loops, so that a client has one number on each of them.
package final class ClientHasher: Sendable {
    private struct Salt {
        var day: Int64
        var hash: SipHash
    }

    private let salt = Mutex<Salt?>(nil)

    package init() {}

    /// The salt of the day that `unixMilliseconds` lies in. Any thread.
    ///
    /// A clock that is set back does not bring yesterday's salt back; it goes on with the newest.
    func hash(at unixMilliseconds: Int64) -> (day: Int64, hash: SipHash) {
        let day = UTCDay.number(unixMilliseconds)
        return salt.withLock { salt in
            if let known = salt, known.day >= day { return (known.day, known.hash) }
            let made = Salt(day: day, hash: SipHash())
            salt = made
            return (made.day, made.hash)
        }
    }
}

/// A loop's own copy of the day's salt, so that a request takes no lock.
struct ClientHash {
    /// JavaScript's numbers hold integers of 53 bits: a dashboard must not make two clients one.
    static let mask: UInt64 = (1 << 53) - 1

    private let hasher: ClientHasher
    private var day: Int64 = .min
    private var hash = SipHash(key: (0, 0))

    init(_ hasher: ClientHasher) {
        self.hasher = hasher
    }

    /// 53 bits of the hash of an address's octets.
    mutating func callAsFunction(_ address: Span<UInt8>, at unixMilliseconds: Int64) -> UInt64 {
        if UTCDay.number(unixMilliseconds) > day { (day, hash) = hasher.hash(at: unixMilliseconds) }
        return hash(address) & Self.mask
    }
}

/// Days of UTC.
package enum UTCDay {
    package static let milliseconds: Int64 = 86_400_000

    /// Days since 1970-01-01.
    package static func number(_ unixMilliseconds: Int64) -> Int64 {
        let quotient = unixMilliseconds / milliseconds
        return unixMilliseconds % milliseconds < 0 ? quotient - 1 : quotient
    }
}
