import TestSupport
import Testing

@testable import HostService

@Suite("A rate limiter with a given clock")
struct RateLimiterTests {
    private static let second: Int64 = 1_000_000_000

    /// Of one client ten at once and two a second; of all a hundred and a thousand.
    private func limiter(all: RateLimiter.Rate = .init(burst: 100, perSecond: 1000), clients: Int = 1000) -> RateLimiter
    {
        RateLimiter(client: RateLimiter.Rate(burst: 10, perSecond: 2), all: all, clients: clients)
    }

    private func key(_ octets: [UInt8]) throws -> ClientKey {
        let key = ClientKey(octets.span)
        return try #require(key)
    }

    private func key(_ number: Int) throws -> ClientKey { try key((0..<4).map { UInt8(number >> (8 * $0) & 255) }) }

    @Test("A burst is taken at once, and then one after the other")
    func burst() throws {
        var limiter = limiter()
        let client = try key(1)
        for _ in 0..<10 { #expect(limiter.take(1, for: client, at: 0) == .taken) }
        #expect(limiter.take(1, for: client, at: 0) == .clientWaits(seconds: 1))
        #expect(limiter.take(1, for: client, at: Self.second / 2 - 1) == .clientWaits(seconds: 1))
        #expect(limiter.take(1, for: client, at: Self.second / 2) == .taken)
        #expect(limiter.take(1, for: client, at: Self.second / 2) == .clientWaits(seconds: 1))
    }

    @Test("What is refused takes nothing, and the time named is the one that it takes", arguments: 1...10)
    func wait(_ count: Int) throws {
        var limiter = limiter()
        let client = try key(1)
        #expect(limiter.take(10, for: client, at: 7) == .taken)
        let seconds = UInt64((count + 1) / 2)
        for _ in 0..<5 { #expect(limiter.take(count, for: client, at: 7) == .clientWaits(seconds: seconds)) }
        let early = 7 + Int64(count) * Self.second / 2 - 1
        #expect(limiter.take(count, for: client, at: early) == .clientWaits(seconds: 1))
        #expect(limiter.take(count, for: client, at: 7 + Int64(seconds) * Self.second) == .taken)
    }

    @Test("The time named is that for the whole which is to be sent again")
    func retrying() throws {
        var limiter = limiter()
        let client = try key(1)
        #expect(limiter.take(4, for: client, at: 0) == .taken)
        #expect(limiter.take(1, for: client, at: 0) == .taken)
        #expect(limiter.take(7, for: client, retrying: 8, at: 0) == .clientWaits(seconds: 2))
        #expect(limiter.take(8, for: client, at: 2 * Self.second) == .taken)
    }

    @Test("A bucket holds its burst and no more, however long nobody came")
    func longAfter() throws {
        var limiter = limiter()
        let client = try key(1)
        #expect(limiter.take(10, for: client, at: 0) == .taken)
        #expect(limiter.take(10, for: client, at: 1_000_000 * Self.second) == .taken)
        #expect(limiter.take(1, for: client, at: 1_000_000 * Self.second) == .clientWaits(seconds: 1))
    }

    @Test("One client's flood is not another's, and counts for all")
    func apart() throws {
        var limiter = limiter(all: RateLimiter.Rate(burst: 25, perSecond: 1))
        for client in 1...2 { #expect(try limiter.take(10, for: key(client), at: 0) == .taken) }
        #expect(try limiter.take(1, for: key(1), at: 0) == .clientWaits(seconds: 1))
        #expect(try limiter.take(10, for: key(3), at: 0) == .allWait(seconds: 5))
        #expect(try limiter.take(5, for: key(3), at: 0) == .taken)
        // What all were refused is not taken from the client either.
        #expect(try limiter.take(5, for: key(3), at: 0) == .allWait(seconds: 5))
        #expect(try limiter.take(5, for: key(3), at: 5 * Self.second) == .taken)
    }

    @Test("Who has no address is held by the limit of all alone")
    func nobody() {
        var limiter = limiter()
        #expect(limiter.take(100, for: nil, at: 0) == .taken)
        #expect(limiter.take(1, for: nil, at: 0) == .allWait(seconds: 1))
        #expect(limiter.remembered == 0)
    }

    @Test("A flood from ever new addresses gets what all may have, and takes no more memory than is set")
    func flood() throws {
        var limiter = limiter(all: RateLimiter.Rate(burst: 5_000, perSecond: 1000), clients: 1000)
        var taken = 0
        for number in 0..<100_000 where try limiter.take(1, for: key(number), at: Int64(number) * 100_000) == .taken {
            taken += 1
            #expect(limiter.remembered <= 1000)
        }
        // The burst, and a thousand a second for the ten seconds that 100,000 steps of 0.1 ms take.
        #expect((14_999...15_000).contains(taken))
    }

    @Test("Those met last are remembered")
    func remembered() throws {
        var limiter = limiter(all: RateLimiter.Rate(burst: 1_000_000, perSecond: 1000), clients: 1000)
        for number in 0..<10_000 {
            #expect(try limiter.take(10, for: key(number), at: 0) == .taken)
            for earlier in stride(from: max(0, number - 499), through: number, by: 100) {
                #expect(try limiter.take(1, for: key(earlier), at: 0) == .clientWaits(seconds: 1))
            }
        }
    }

    @Test("It does what a bucket does that is filled bit by bit", arguments: 1...20 as ClosedRange<UInt64>)
    func model(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var limiter = limiter(all: RateLimiter.Rate(burst: 1000, perSecond: 1000))
        let client = try key(1)
        let interval = Self.second / 2
        var (now, level): (Int64, Int64) = (0, 10 * interval)
        for _ in 0..<500 {
            let pause = Int64.random(in: 0...3 * Self.second, using: &random)
            let count = Int.random(in: 1...10, using: &random)
            now += pause
            level = min(10 * interval, level + pause)
            let isTaken = level >= Int64(count) * interval
            if isTaken { level -= Int64(count) * interval }
            #expect((limiter.take(count, for: client, at: now) == .taken) == isTaken)
        }
    }

    struct Pair: Sendable, CustomTestStringConvertible {
        let says: String
        let left: [UInt8]
        let right: [UInt8]
        let isOne: Bool
        var testDescription: String { says }

        private static let network: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 2]
        private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

        static let all = [
            Pair(says: "one IPv4 address", left: [10, 0, 0, 1], right: [10, 0, 0, 1], isOne: true),
            Pair(says: "two IPv4 addresses", left: [10, 0, 0, 1], right: [10, 0, 0, 2], isOne: false),
            Pair(
                says: "two hosts of one /64",
                left: network + [0, 0, 0, 0, 0, 0, 0, 1],
                right: network + [9, 9, 9, 9, 9, 9, 9, 9],
                isOne: true
            ),
            Pair(
                says: "two /64",
                left: network + [0, 0, 0, 0, 0, 0, 0, 1],
                right: network.dropLast() + [3, 0, 0, 0, 0, 0, 0, 0, 1],
                isOne: false
            ),
            Pair(says: "IPv4 within IPv6", left: [10, 0, 0, 1], right: mapped + [10, 0, 0, 1], isOne: true),
            Pair(says: "two within IPv6", left: mapped + [10, 0, 0, 1], right: mapped + [10, 0, 0, 2], isOne: false),
            Pair(
                says: "an address that only ends like one",
                left: [1] + mapped.dropFirst() + [10, 0, 0, 1],
                right: [10, 0, 0, 1],
                isOne: false
            ),
            Pair(
                says: "the number of an IPv4 address as an IPv6 network",
                left: [10, 0, 0, 1],
                right: [0, 0, 0, 0, 10, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0],
                isOne: false
            ),
        ]
    }

    @Test("Who is one client", arguments: Pair.all)
    func keys(_ pair: Pair) throws {
        #expect(try (key(pair.left) == key(pair.right)) == pair.isOne)
    }

    @Test("Octets that are no address are nobody's", arguments: [0, 3, 5, 15])
    func noKey(_ count: Int) {
        let isNobody = ClientKey([UInt8](repeating: 0, count: count).span) == nil
        #expect(isNobody)
    }
}
