import HostSystem
package import ModelCatalog

/// What a file of a fixture holds.
package enum ReleaseContent: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    case bytes([UInt8])
    /// Zeros, and `tail` at the end: gigabytes that take no room.
    case sparse(size: UInt64, tail: [UInt8])

    package init(stringLiteral text: String) { self = .bytes(Array(text.utf8)) }
    package init(arrayLiteral bytes: UInt8...) { self = .bytes(bytes) }

    /// So many octets that repeat nowhere within any window of eight, the same for the same seed on every host.
    package static func pattern(_ count: Int, seed: UInt64 = 1) -> ReleaseContent {
        .bytes(patternBytes(count, seed: seed))
    }

    /// The octets of `pattern`. SplitMix64, one output for eight octets.
    package static func patternBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        var state = seed
        while bytes.count < count {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            word ^= word >> 31
            // Not by stride: in a debug build each step of one asks the runtime for its types, and all the tests' threads
            // wait for one another there; under ThreadSanitizer most of the time went there.
            for _ in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Octets.
    package var size: UInt64 {
        switch self {
        case .bytes(let bytes): UInt64(bytes.count)
        case .sparse(let size, _): size
        }
    }

    /// Above this, in octets, digests are stand-ins: hashing gigabytes of zeros proves nothing, and the server never
    /// hashes what it sends.
    package static let hashedUpTo: UInt64 = 256 * 1024 * 1024

    /// SHA-256 of the content, or of its description above `hashedUpTo`.
    package var digest: ContentDigest {
        if size > Self.hashedUpTo { return .sha256(of: Array("\(size) octets".utf8)) }
        var hash = SHA256()
        add(to: &hash)
        return .finishing(hash)
    }

    func add(to hash: inout SHA256) {
        switch self {
        case .bytes(let bytes): hash.update(bytes)
        case .sparse(let size, let tail):
            hash.updateZeros(size - UInt64(tail.count))
            hash.update(tail)
        }
    }

    func write(to path: String) throws {
        switch self {
        case .bytes(let bytes): try TemporaryFolder.writeInPlace(bytes, to: path)
        case .sparse(let size, let tail): try TemporaryFolder.writeSparse(size: size, tail: tail, to: path)
        }
    }
}

extension SHA256 {
    mutating func updateZeros(_ count: UInt64) {
        let zeros = [UInt8](repeating: 0, count: 64 * 1024)
        var rest = count
        while rest > 0 {
            let piece = min(rest, UInt64(zeros.count))
            zeros.withUnsafeBytes { update(UnsafeRawBufferPointer(rebasing: $0[..<Int(piece)])) }
            rest -= piece
        }
    }
}

extension ContentDigest {
    /// SHA-256 of `bytes`.
    package static func sha256(of bytes: [UInt8]) -> ContentDigest {
        of(SHA256.digest(of: bytes))
    }

    static func finishing(_ hash: consuming SHA256) -> ContentDigest {
        of(hash.finish())
    }

    private static func of(_ digest: [UInt8]) -> ContentDigest {
        guard let digest = ContentDigest(bytes: digest) else { preconditionFailure("SHA-256 has 32 octets") }
        return digest
    }
}
