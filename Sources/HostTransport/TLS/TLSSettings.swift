/// What an operator decides about TLS. Paths are the operator's own and may lead over links.
package struct TLSSettings: Equatable, Sendable {
    /// A server's certificate and its key, PEM files both.
    package struct KeyPair: Equatable, Sendable {
        /// The server's certificate, then those between it and its root.
        package var chain: String
        package var key: String

        package init(chain: String, key: String) {
            self.chain = chain
            self.key = key
        }
    }

    package enum Version: Equatable, Sendable { case tls12, tls13 }

    package enum ClientVerification: Equatable, Sendable {
        /// A client that shows none is served; one that shows a wrong one is not.
        case optional
        case required
    }

    /// At least one. The first serves clients that name no host, or one that no certificate is for.
    package var pairs: [KeyPair]
    package var minimum = Version.tls12
    /// A PEM file of those whose clients' certificates are good; nil: no client is asked for one.
    package var clientAuthorities: String?
    package var clientVerification = ClientVerification.required

    package init(pairs: [KeyPair]) {
        self.pairs = pairs
    }

    /// Every file that is read.
    package var files: [String] {
        pairs.flatMap { [$0.chain, $0.key] } + (clientAuthorities.map { [$0] } ?? [])
    }
}
