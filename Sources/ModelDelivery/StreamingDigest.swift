internal import ModelCatalog

#if canImport(CryptoKit)
internal import CryptoKit
#elseif os(Linux)
internal import HostSystem
#endif

/// SHA-256 over bytes that come in pieces: of the system's own making on either side.
struct StreamingDigest: ~Copyable {
    #if canImport(CryptoKit)
    private var hash = CryptoKit.SHA256()

    mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }

    consuming func finish() -> ContentDigest { Self.digest(Array(hash.finalize())) }
    #elseif os(Linux)
    private var hash = HostSystem.SHA256()

    mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bytes) }

    consuming func finish() -> ContentDigest { Self.digest(hash.finish()) }
    #endif

    /// The digest of bytes that are here already.
    static func of(_ bytes: [UInt8]) -> ContentDigest {
        var digest = StreamingDigest()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }

    private static func digest(_ bytes: [UInt8]) -> ContentDigest {
        guard let digest = ContentDigest(bytes: bytes) else { preconditionFailure("SHA-256 has 32 bytes") }
        return digest
    }
}
