internal import CHostOpenSSL

/// What OpenSSL asks in the middle of a handshake, on the loop's thread.
enum TLSCallbacks {
    static func install(in context: OpaquePointer) {
        chost_ssl_ctx_set_servername_callback(context) { ssl, _, _ in
            guard let ssl, let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else {
                return SSL_TLSEXT_ERR_NOACK
            }
            TLSCallbacks.context(of: ssl)?.choose(for: String(cString: name), in: ssl)
            return SSL_TLSEXT_ERR_OK
        }
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, selected, length, offered, count, _ in
                guard let selected, let length, let offered else { return SSL_TLSEXT_ERR_NOACK }
                let list = UnsafeBufferPointer(start: offered, count: Int(count))
                // RFC 7301 3.2: offers of other protocols only end the handshake with no_application_protocol.
                guard let found = ProtocolOffers.choose(from: list) else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                selected.pointee = offered + found.lowerBound
                length.pointee = UInt8(found.count)
                return SSL_TLSEXT_ERR_OK
            },
            nil
        )
        SSL_CTX_set_tlsext_ticket_key_evp_cb(context) { ssl, name, vector, cipher, authentication, isSealing in
            guard let ssl, let name, let vector, let cipher, let authentication,
                let keys = TLSCallbacks.context(of: ssl)?.keys
            else { return -1 }
            if isSealing == 1 { return keys.prepareSealing(name: name, vector: vector, cipher, authentication) }
            let answer = keys.prepareOpening(name: name, vector: vector, cipher, authentication)
            // RFC 8446 C.4: a ticket of 1.3 should be used once, so that connections cannot be linked: each gets a new one.
            return answer == 1 && SSL_version(ssl) == TLS1_3_VERSION ? 2 : answer
        }
    }

    /// The context that the SSL was made from; its session holds it.
    private static func context(of ssl: OpaquePointer) -> TLSContext? {
        SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSContext>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// The protocols that a client offers (RFC 7301 3.1): each name behind an octet that is its length.
enum ProtocolOffers {
    /// What is spoken here, the best first.
    private static let spoken: [StaticString] = ["http/1.1", "http/1.0"]

    /// Where the best of those that are spoken stands; nil if none is offered.
    static func choose(from list: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        for name in spoken {
            let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
            var position = 0
            while position < list.count {
                let start = position + 1
                let end = start + Int(list[position])
                guard end <= list.count else { return nil }
                if UnsafeBufferPointer(rebasing: list[start..<end]).elementsEqual(wanted) { return start..<end }
                position = end
            }
        }
        return nil
    }
}
