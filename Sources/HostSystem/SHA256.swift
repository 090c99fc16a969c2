internal import CHostOpenSSL

/// SHA-256 (FIPS 180-4) over octets that come in pieces; OpenSSL's EVP picks the processor's own instructions.
///
/// One owner, one thread at a time.
package struct SHA256: ~Copyable {
    /// Octets of a digest.
    package static let digestSize = 32

    private let context: OpaquePointer

    package init() {
        // Without memory for 100 octets, or with a libcrypto that lacks SHA-256, nothing that follows could be right.
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            preconditionFailure("libcrypto offers no SHA-256 context")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Adds a piece; an empty one changes nothing.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let done = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(done == 1, "libcrypto refused to digest")
    }

    /// Adds a piece; an empty one changes nothing.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of all pieces, 32 octets.
    package consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.digestSize) { buffer, count in
            let done = EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
            precondition(done == 1, "libcrypto refused to digest")
            count = Self.digestSize
        }
    }

    /// The digest of `bytes`, 32 octets.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }
}
