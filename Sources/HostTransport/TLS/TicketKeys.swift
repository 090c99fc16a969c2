internal import CHostOpenSSL
internal import HostSystem
internal import Synchronization

/// The keys that session tickets are sealed with (RFC 8446 4.6.1, RFC 5077 4): one for all loops and listeners, so that a
/// client resumes wherever its next connection comes to, and over a change of certificates.
///
/// A new one seals each hour; an old one still opens for a day, and what it opened is sealed anew. Then it is erased: a
/// key that is found later opens nothing that was recorded before. They never leave this process.
package final class TicketKeys: Sendable {
    /// How long a key seals, and how long after that it still opens. Milliseconds.
    static let sealingTime: Int64 = 3_600_000
    static let openingTime: Int64 = 86_400_000

    static let nameSize = 16
    private static let cipherKeySize = 32
    private static let authenticationKeySize = 32

    /// Name, cipher key and authentication key, one behind the other.
    private struct Key {
        var octets: [UInt8]
        let made: Int64

        var name: ArraySlice<UInt8> { octets[..<TicketKeys.nameSize] }

        mutating func erase() {
            octets.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
        }
    }

    /// The newest last.
    private let keys = Mutex<[Key]>([])
    private let now: @Sendable () -> Int64

    package convenience init() {
        self.init(now: CoarseClock.monotonicMilliseconds)
    }

    /// `now`: milliseconds of a clock that is never set back.
    package init(now: @escaping @Sendable () -> Int64) {
        self.now = now
    }

    deinit {
        keys.withLock { keys in
            for index in keys.indices { keys[index].erase() }
        }
    }

    /// What SSL_CTX_set_tlsext_ticket_key_evp_cb(3) asks for when a ticket is made: 1, or -1 where that failed.
    func prepareSealing(
        name: UnsafeMutablePointer<UInt8>,
        vector: UnsafeMutablePointer<UInt8>,
        _ cipher: OpaquePointer,
        _ authentication: OpaquePointer
    ) -> CInt {
        keys.withLock { keys in
            guard let index = newest(&keys), RAND_bytes(vector, EVP_MAX_IV_LENGTH) == 1 else { return -1 }
            name.update(from: keys[index].octets, count: Self.nameSize)
            return Self.start(keys[index], vector, cipher, authentication, sealing: true) ? 1 : -1
        }
    }

    /// The same when one has come: 1, or 2 when a newer key should seal it anew, 0 when no key here has this name.
    func prepareOpening(
        name: UnsafeMutablePointer<UInt8>,
        vector: UnsafeMutablePointer<UInt8>,
        _ cipher: OpaquePointer,
        _ authentication: OpaquePointer
    ) -> CInt {
        let wanted = UnsafeBufferPointer(start: name, count: Self.nameSize)
        return keys.withLock { keys in
            let latest = newest(&keys)
            guard let index = keys.lastIndex(where: { $0.name.elementsEqual(wanted) }) else { return 0 }
            guard Self.start(keys[index], vector, cipher, authentication, sealing: false) else { return -1 }
            return index == latest ? 1 : 2
        }
    }

    /// The place of the key that seals now, which is made if there is none; keys whose time is over are erased.
    private func newest(_ keys: inout [Key]) -> Int? {
        let now = now()
        while let oldest = keys.first, now - oldest.made >= Self.sealingTime + Self.openingTime {
            keys[0].erase()
            keys.removeFirst()
        }
        if let last = keys.last, now - last.made < Self.sealingTime { return keys.count - 1 }
        let size = Self.nameSize + Self.cipherKeySize + Self.authenticationKeySize
        var octets = [UInt8](repeating: 0, count: size)
        guard RAND_priv_bytes(&octets, CInt(size)) == 1 else { return nil }
        keys.append(Key(octets: octets, made: now))
        return keys.count - 1
    }

    /// AES-256-CBC under HMAC-SHA-256, as RFC 5077 4 recommends.
    private static func start(
        _ key: Key,
        _ vector: UnsafeMutablePointer<UInt8>,
        _ cipher: OpaquePointer,
        _ authentication: OpaquePointer,
        sealing: Bool
    ) -> Bool {
        key.octets.withUnsafeBufferPointer { octets in
            guard let start = octets.baseAddress else { return false }
            let cipherKey = start + nameSize
            let started = EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), nil, cipherKey, vector, sealing ? 1 : 0)
            return started == 1 && startAuthentication(authentication, cipherKey + cipherKeySize)
        }
    }

    private static func startAuthentication(_ context: OpaquePointer, _ key: UnsafePointer<UInt8>) -> Bool {
        let parameter: StaticString = "digest"
        let digest: StaticString = "SHA256"
        return parameter.withCString { parameter in
            digest.withCString { digest in
                var parameters = [
                    OSSL_PARAM_construct_utf8_string(parameter, UnsafeMutablePointer(mutating: digest), 0),
                    OSSL_PARAM_construct_end(),
                ]
                return EVP_MAC_init(context, key, authenticationKeySize, &parameters) == 1
            }
        }
    }
}

extension StaticString {
    fileprivate func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        body(UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self))
    }
}
