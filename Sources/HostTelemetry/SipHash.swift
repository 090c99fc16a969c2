/// SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF"): without the key, nothing can be told of what
/// was hashed, nor can inputs be made that collide.
struct SipHash: Sendable {
    private let key: (UInt64, UInt64)

    init(key: (UInt64, UInt64)) {
        self.key = key
    }

    /// With a key of the kernel's random octets.
    init() {
        var random = SystemRandomNumberGenerator()
        key = (random.next(), random.next())
    }

    func callAsFunction(_ octets: Span<UInt8>) -> UInt64 {
        var state = State(key)
        var word: UInt64 = 0
        for index in 0..<octets.count {
            word |= UInt64(octets[index]) << UInt64(8 * (index & 7))
            if index & 7 == 7 {
                state.absorb(word)
                word = 0
            }
        }
        // The last word carries what is left over and, in its top octet, the length modulo 256.
        state.absorb(word | UInt64(octets.count & 0xFF) << 56)
        return state.finish()
    }

    private struct State {
        // Addition modulo 2^64 is the algorithm's own.
        private var v0: UInt64
        private var v1: UInt64
        private var v2: UInt64
        private var v3: UInt64

        init(_ key: (UInt64, UInt64)) {
            v0 = key.0 ^ 0x736f_6d65_7073_6575
            v1 = key.1 ^ 0x646f_7261_6e64_6f6d
            v2 = key.0 ^ 0x6c79_6765_6e65_7261
            v3 = key.1 ^ 0x7465_6462_7974_6573
        }

        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xFF
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 = v0 &+ v1
            v1 = Self.rotate(v1, 13) ^ v0
            v0 = Self.rotate(v0, 32)
            v2 = v2 &+ v3
            v3 = Self.rotate(v3, 16) ^ v2
            v0 = v0 &+ v3
            v3 = Self.rotate(v3, 21) ^ v0
            v2 = v2 &+ v1
            v1 = Self.rotate(v1, 17) ^ v2
            v2 = Self.rotate(v2, 32)
        }

        private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
            value &<< count | value &>> (64 &- count)
        }
    }
}
