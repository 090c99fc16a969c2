internal import CHostOpenSSL
internal import HostSystem

/// The owner of a certificate as OpenSSL holds it. Used by the thread that read it.
final class Certificate {
    let raw: OpaquePointer

    /// Takes over a reference.
    init(owning raw: OpaquePointer) { self.raw = raw }

    deinit { X509_free(raw) }

    /// The host names that it is for: its subjectAltName's dNSName entries (RFC 9525 6.3: a common name is no name).
    var hostNames: [String] {
        guard let found = X509_get_ext_d2i(raw, NID_subject_alt_name, nil, nil) else { return [] }
        let names = OpaquePointer(found)
        defer { GENERAL_NAMES_free(names) }
        return (0..<chost_general_names_count(names)).compactMap { index in
            guard let name = chost_general_name(names, index), name.pointee.type == GEN_DNS,
                let value = name.pointee.d.dNSName, let octets = ASN1_STRING_get0_data(value)
            else { return nil }
            let text = UnsafeBufferPointer(start: octets, count: Int(ASN1_STRING_length(value)))
            // A NUL inside is an old trick; such a name is for nobody.
            return text.contains(0) ? nil : String(decoding: text, as: UTF8.self)
        }
    }

    /// What an operator should know of its time, if anything.
    var validityNotice: String? {
        if X509_cmp_current_time(X509_get0_notAfter(raw)) < 0 { return "has expired" }
        if X509_cmp_current_time(X509_get0_notBefore(raw)) > 0 { return "is not valid yet" }
        return nil
    }
}

/// The owner of a private key. Used by the thread that read it.
final class PrivateKey {
    let raw: OpaquePointer

    /// Takes over a reference.
    init(owning raw: OpaquePointer) { self.raw = raw }

    deinit { EVP_PKEY_free(raw) }
}

/// PEM files of the operator's.
enum CertificateFile {
    /// Far above every chain and every list of authorities.
    private static let largest = 4 << 20

    /// The certificates in a file, at least one.
    static func certificates(_ path: String) throws(TLSError) -> [Certificate] {
        var found: [Certificate] = []
        var isWhole = true
        try withSource(of: path) { source in
            while let raw = PEM_read_bio_X509(source, nil, refusePassphrase, nil) {
                found.append(Certificate(owning: raw))
            }
            // What ends the list is that no further one begins.
            isWhole = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
            ERR_clear_error()
        }
        guard isWhole else { throw .brokenCertificate(path) }
        guard !found.isEmpty else { throw .noCertificate(path) }
        return found
    }

    /// The private key in a file.
    static func privateKey(_ path: String) throws(TLSError) -> PrivateKey {
        var found: PrivateKey?
        var isEncrypted = false
        try withSource(of: path) { source in
            var asked = false
            withUnsafeMutablePointer(to: &asked) { asked in
                found = PEM_read_bio_PrivateKey(source, nil, refusePassphrase, asked).map { PrivateKey(owning: $0) }
            }
            isEncrypted = asked
            ERR_clear_error()
        }
        guard let found else { throw isEncrypted ? .encryptedKey(path) : .noKey(path) }
        return found
    }

    private static func withSource(of path: String, _ body: (OpaquePointer) -> Void) throws(TLSError) {
        let octets: [UInt8]
        do throws(Errno) {
            octets = try FileSystemPath.contents(of: path, atMost: largest)
        } catch {
            throw .unreadable(path, error)
        }
        ERR_clear_error()
        octets.withUnsafeBytes { bytes in
            guard let source = BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count)) else { return }
            defer { BIO_free(source) }
            body(source)
        }
    }
}

/// Without it OpenSSL would ask on the terminal. Its last argument, where there is one, tells that it was called.
private func refusePassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: CInt,
    _ isWriting: CInt,
    _ asked: UnsafeMutableRawPointer?
) -> CInt {
    asked?.assumingMemoryBound(to: Bool.self).pointee = true
    return -1
}
