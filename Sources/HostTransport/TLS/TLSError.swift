internal import CHostOpenSSL
package import HostSystem

/// Why certificates and keys cannot be used. Each names the file.
package enum TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable(String, Errno)
    case noCertificate(String)
    case brokenCertificate(String)
    case noKey(String)
    case encryptedKey(String)
    case mismatch(chain: String, key: String)
    /// OpenSSL does not take what is inside, such as a key that is too short; its own words.
    case refused(String, String)
    /// OpenSSL itself does not do what it should; its own words.
    case library(String)

    package var description: String {
        switch self {
        case .unreadable(let path, let error):
            "cannot read \(path): \(error)"
        case .noCertificate(let path):
            "\(path) holds no certificate; it takes a PEM file that begins with the server's own"
        case .brokenCertificate(let path):
            "\(path) holds a certificate that cannot be read; it is cut or damaged"
        case .noKey(let path):
            "\(path) holds no private key; it takes a PEM file"
        case .encryptedKey(let path):
            "the key in \(path) is encrypted, and nobody is there to type its passphrase; store it without one"
        case .mismatch(let chain, let key):
            "the key in \(key) is not that of the first certificate in \(chain)"
        case .refused(let path, let reason):
            "\(path) cannot be used: \(reason)"
        case .library(let reason):
            "cannot set up TLS: \(reason)"
        }
    }

    /// OpenSSL's words for what went wrong last on this thread, which it forgets then.
    static func reason() -> String {
        defer { ERR_clear_error() }
        return ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) } ?? "unknown"
    }
}
