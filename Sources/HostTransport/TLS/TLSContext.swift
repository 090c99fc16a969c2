internal import CHostOpenSSL
internal import HostSystem

/// The owner of one SSL_CTX.
///
/// @unchecked: OpenSSL lets any number of threads make connections from one SSL_CTX as long as none of them changes it
/// (openssl-threads(7)); this one is configured by `init` alone, and only its reference count moves afterwards.
private final class ContextHandle: @unchecked Sendable {
    let raw: OpaquePointer

    init() throws(TLSError) {
        guard let raw = SSL_CTX_new(TLS_server_method()) else { throw .library(TLSError.reason()) }
        self.raw = raw
    }

    deinit { SSL_CTX_free(raw) }
}

/// Certificates, keys and rules, ready for handshakes. It never changes: other files make another one, and connections
/// keep the one that they began with.
final class TLSContext: Sendable {
    /// One for each set of host names; the first for everybody else.
    private let handles: [ContextHandle]
    private let names: TLSNames
    let keys: TicketKeys
    /// What an operator should know although it can be served.
    let notices: [String]

    /// Reads the files that `settings` names.
    init(_ settings: TLSSettings, keys: TicketKeys) throws(TLSError) {
        self.keys = keys
        let rules = try TLSRules(settings)
        var groups: [Group] = []
        var notices: [String] = []
        for pair in settings.pairs {
            let chain = try CertificateFile.certificates(pair.chain)
            let key = try CertificateFile.privateKey(pair.key)
            guard X509_check_private_key(chain[0].raw, key.raw) == 1 else {
                ERR_clear_error()
                throw .mismatch(chain: pair.chain, key: pair.key)
            }
            if let notice = chain[0].validityNotice { notices.append("the certificate in \(pair.chain) \(notice)") }
            let names = Set(chain[0].hostNames.map { $0.lowercased() })
            let kind = EVP_PKEY_get_base_id(key.raw)
            // A certificate with an RSA key beside one with an ECDSA key: OpenSSL chooses by what the client can verify.
            let place = groups.firstIndex { $0.names == names && !$0.kinds.contains(kind) }
            if place == nil {
                let handle = try ContextHandle()
                try rules.apply(to: handle.raw)
                TLSCallbacks.install(in: handle.raw)
                groups.append(Group(names: names, handle: handle))
            }
            let index = place ?? groups.count - 1
            groups[index].kinds.insert(kind)
            try Self.use(chain, key, of: pair, in: groups[index].handle.raw)
        }
        handles = groups.map(\.handle)
        names = TLSNames(groups.map { Array($0.names) })
        self.notices = notices
    }

    private struct Group {
        let names: Set<String>
        let handle: ContextHandle
        /// The kinds of its keys, such as RSA.
        var kinds: Set<CInt> = []
    }

    private static func use(
        _ chain: [Certificate],
        _ key: PrivateKey,
        of pair: TLSSettings.KeyPair,
        in context: OpaquePointer
    ) throws(TLSError) {
        guard SSL_CTX_use_certificate(context, chain[0].raw) == 1 else {
            throw .refused(pair.chain, TLSError.reason())
        }
        guard SSL_CTX_use_PrivateKey(context, key.raw) == 1 else { throw .refused(pair.key, TLSError.reason()) }
        for certificate in chain.dropFirst() {
            guard chost_ssl_ctx_add_chain(context, certificate.raw) == 1 else {
                throw .refused(pair.chain, TLSError.reason())
            }
        }
    }

    /// A connection's SSL; it holds the SSL_CTX, and whoever holds the SSL must hold this context: callbacks come to it.
    func makeSSL() -> OpaquePointer? {
        guard let ssl = SSL_new(handles[0].raw) else { return nil }
        guard SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1 else {
            SSL_free(ssl)
            return nil
        }
        return ssl
    }

    /// Gives `ssl` the certificate for `host`; where none is for it, the first stays.
    func choose(for host: String, in ssl: OpaquePointer) {
        guard let index = names.index(of: host), index > 0 else { return }
        SSL_set_SSL_CTX(ssl, handles[index].raw)
    }
}
