#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The SHA-256 of some content: 32 bytes, held in place, so that ten thousand of them are 320 kB and no more.
package struct ContentDigest: Hashable, Sendable {
    // Big-endian words, first bytes first.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    package static let byteCount = 32
    /// What stands before the hex digits in a manifest.
    package static let prefix = "sha256:"

    /// - Returns: nil unless there are exactly 32 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        for byte in bytes { Self.shift(&words, by: 8, adding: byte) }
        (first, second, third, fourth) = words
    }

    /// - Returns: nil unless there are exactly 64 lower-case hex digits: one content has one spelling.
    package init?(hex: String) {
        self.init(hexDigits: hex.utf8)
    }

    /// - Returns: nil unless the text is `sha256:` and 64 lower-case hex digits.
    package init?(prefixed: String) {
        guard prefixed.utf8.starts(with: Self.prefix.utf8) else { return nil }
        self.init(hexDigits: prefixed.utf8.dropFirst(Self.prefix.utf8.count))
    }

    private init?(hexDigits: some Collection<UInt8>) {
        guard hexDigits.count == 2 * Self.byteCount else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        for digit in hexDigits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): Self.shift(&words, by: 4, adding: digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                Self.shift(&words, by: 4, adding: digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        (first, second, third, fourth) = words
    }

    /// Shifts all 256 bits left and puts `value` in at the right.
    private static func shift(_ words: inout (UInt64, UInt64, UInt64, UInt64), by bits: UInt64, adding value: UInt8) {
        words.0 = words.0 << bits | words.1 >> (64 - bits)
        words.1 = words.1 << bits | words.2 >> (64 - bits)
        words.2 = words.2 << bits | words.3 >> (64 - bits)
        words.3 = words.3 << bits | UInt64(value)
    }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for word in [first, second, third, fourth] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return bytes
    }

    /// 64 lower-case hex digits.
    package var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * Self.byteCount)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// As a manifest writes it: `sha256:` and the hex digits.
    package var prefixed: String { Self.prefix + hex }

    /// As `Repr-Digest` and `Digest` write it: base64 with padding, 44 characters.
    package var base64: String { Data(bytes).base64EncodedString() }
}

extension ContentDigest: CustomStringConvertible {
    package var description: String { prefixed }
}
