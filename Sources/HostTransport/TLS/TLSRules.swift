internal import CHostOpenSSL
internal import HostSystem

/// What every SSL_CTX of a server has in common.
struct TLSRules {
    private let settings: TLSSettings
    private let authorities: [Certificate]
    /// SSL_CTX_set_session_id_context(3): a session is resumed only where it was begun. Derived from who may come, so
    /// that a ticket got under other rules for clients' certificates opens nothing.
    private let sessionContext: [UInt8]

    /// Reads the file of clients' authorities, where there is one.
    init(_ settings: TLSSettings) throws(TLSError) {
        self.settings = settings
        var rule = Array("aimodel-host".utf8)
        if let path = settings.clientAuthorities {
            authorities = try CertificateFile.certificates(path)
            rule.append(settings.clientVerification == .required ? 1 : 0)
            for authority in authorities {
                var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
                guard X509_digest(authority.raw, EVP_sha256(), &digest, nil) == 1 else {
                    throw .refused(path, TLSError.reason())
                }
                rule += digest
            }
        } else {
            authorities = []
        }
        sessionContext = SHA256.digest(of: rule)
    }

    /// Sets all but certificates, keys and callbacks.
    func apply(to context: OpaquePointer) throws(TLSError) {
        // 112 bits at least for every key, signature and exchange.
        SSL_CTX_set_security_level(context, 2)
        let minimum = settings.minimum == .tls13 ? TLS1_3_VERSION : TLS1_2_VERSION
        guard chost_ssl_ctx_set_min_version(context, minimum) == 1,
            SSL_CTX_set_cipher_list(context, Self.suites12) == 1,
            SSL_CTX_set_ciphersuites(context, Self.suites13) == 1,
            chost_ssl_ctx_set_groups(context, "X25519:P-256:P-384") == 1,
            SSL_CTX_set_session_id_context(context, sessionContext, CUnsignedInt(sessionContext.count)) == 1
        else { throw .library(TLSError.reason()) }
        SSL_CTX_set_options(context, Self.options)
        // RELEASE_BUFFERS: an idle connection holds none of its 34 KiB. MOVING: what waits to be sent again is gathered
        // anew, in the loop's buffer. NO_AUTO_CHAIN: what is sent is what stands in the operator's file, and not also
        // what is known of clients' authorities. AUTO_RETRY is the default and has to stay: a record without content of
        // ours, such as a key update, must not look like an empty socket.
        chost_ssl_ctx_set_mode(
            context,
            Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE)
                | Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_NO_AUTO_CHAIN)
        )
        // A record's header and content by one call.
        chost_ssl_ctx_set_read_ahead(context, 1)
        // Tickets only: a cache would be one more thing that loops share, and memory that clients fill.
        chost_ssl_ctx_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        SSL_CTX_set_timeout(context, Int(TicketKeys.openingTime / 1000))
        try verifyClients(of: context)
    }

    private func verifyClients(of context: OpaquePointer) throws(TLSError) {
        guard let path = settings.clientAuthorities else { return }
        let required = settings.clientVerification == .required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | required, nil)
        for authority in authorities {
            guard X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.raw) == 1,
                SSL_CTX_add_client_CA(context, authority.raw) == 1
            else { throw .refused(path, TLSError.reason()) }
        }
    }

    /// Forward secrecy and authenticated encryption only; AES-128 first, which costs least and is not weaker in practice.
    private static let suites13 = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
    private static let suites12 = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256",
        "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384",
        "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ].joined(separator: ":")

    /// IGNORE_UNEXPECTED_EOF: many clients end without close_notify; that a request is cut is seen by its own length.
    /// ENABLE_KTLS has no effect where the kernel has no `tls` module.
    private static let options =
        chost_ssl_op_no_compression | chost_ssl_op_no_renegotiation | chost_ssl_op_server_preference
        | chost_ssl_op_prioritize_chacha | chost_ssl_op_ignore_unexpected_eof | chost_ssl_op_enable_ktls
}
