internal import CHostOpenSSL
package import HostTransport

/// A certificate that signs itself, and its key, as PEM files of a test.
package struct TestCertificate: Sendable {
    package struct Failure: Error {}

    package let pair: TLSSettings.KeyPair

    package enum Kind: Sendable { case elliptic, rsa(bits: CInt) }

    /// - Parameters:
    ///   - names: host names that it is for.
    ///   - days: from now on until which it is valid; negative: it has expired.
    ///   - passphrase: what the key is encrypted with; nil: it is not.
    package init(
        _ file: String,
        in folder: String,
        names: [String] = ["localhost"],
        kind: Kind = .elliptic,
        days: Int = 2,
        passphrase: String? = nil
    ) throws {
        pair = TLSSettings.KeyPair(chain: "\(folder)/\(file).pem", key: "\(folder)/\(file).key")
        guard let key = Self.makeKey(kind), let certificate = X509_new() else { throw Failure() }
        defer {
            EVP_PKEY_free(key)
            X509_free(certificate)
        }
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
        X509_gmtime_adj(X509_getm_notBefore(certificate), min(0, days * 2) * 86_400)
        X509_gmtime_adj(X509_getm_notAfter(certificate), days * 86_400)
        X509_set_pubkey(certificate, key)
        let name = X509_get_subject_name(certificate)
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, Array(file.utf8), -1, -1, 0)
        X509_set_issuer_name(certificate, name)
        if !names.isEmpty {
            let text = names.map { "DNS:\($0)" }.joined(separator: ",")
            let alternatives = X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, text)
            defer { X509_EXTENSION_free(alternatives) }
            X509_add_ext(certificate, alternatives, -1)
        }
        guard X509_sign(certificate, key, EVP_sha256()) > 0 else { throw Failure() }
        try Self.write(pair.chain) { PEM_write_bio_X509($0, certificate) }
        try Self.write(pair.key) { file in
            guard let passphrase else { return PEM_write_bio_PrivateKey(file, key, nil, nil, 0, nil, nil) }
            let octets = Array(passphrase.utf8)
            return PEM_write_bio_PrivateKey(file, key, EVP_aes_256_cbc(), octets, CInt(octets.count), nil, nil)
        }
    }

    private static func makeKey(_ kind: Kind) -> OpaquePointer? {
        let number =
            switch kind {
            case .elliptic: EVP_PKEY_EC
            case .rsa: EVP_PKEY_RSA
            }
        guard let context = EVP_PKEY_CTX_new_id(number, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_keygen_init(context) == 1 else { return nil }
        switch kind {
        case .elliptic: EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1)
        case .rsa(let bits): EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits)
        }
        var key: OpaquePointer?
        return EVP_PKEY_generate(context, &key) == 1 ? key : nil
    }

    private static func write(_ path: String, _ body: (OpaquePointer) -> CInt) throws {
        guard let file = BIO_new_file(path, "w") else { throw Failure() }
        defer { BIO_free(file) }
        guard body(file) == 1 else { throw Failure() }
    }
}
