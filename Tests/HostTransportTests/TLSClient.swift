import CHostOpenSSL
import Glibc
import HostTransport

/// A client of one TLS connection, which blocks. It trusts every certificate: who the server is, other tests look at.
final class TLSClient {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What a client keeps to resume with. TLS 1.2, where it is there when the handshake is done.
    final class Session {
        fileprivate let raw: OpaquePointer
        fileprivate init(_ raw: OpaquePointer) { self.raw = raw }
        deinit { SSL_SESSION_free(raw) }
    }

    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private let socket: CInt

    init(to address: ListenAddress, resuming session: Session? = nil) throws {
        guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context), let port = address.port else {
            throw Failure(description: "no SSL")
        }
        SSL_set_max_version(ssl)
        if let session { SSL_set_session(ssl, session.raw) }
        self.context = context
        self.ssl = ssl
        socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var time = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
        let connected = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0, SSL_set_fd(ssl, socket) == 1, SSL_connect(ssl) == 1 else {
            throw Failure(description: "no handshake")
        }
    }

    deinit {
        // Without it OpenSSL forbids to resume the session: SSL_free(3) takes a connection that was not shut down for one
        // that has failed.
        SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(ssl)
        SSL_CTX_free(context)
        close(socket)
    }

    var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    var session: Session? { SSL_get1_session(ssl).map { Session($0) } }

    func send(_ text: String) throws {
        let octets = Array(text.utf8)
        guard SSL_write(ssl, octets, CInt(octets.count)) == octets.count else {
            throw Failure(description: "cannot send")
        }
    }

    /// What comes next.
    func read(atMost limit: Int) throws -> String {
        var octets = [UInt8](repeating: 0, count: limit)
        let count = SSL_read(ssl, &octets, CInt(limit))
        guard count > 0 else { throw Failure(description: "nothing came") }
        return String(decoding: octets[..<Int(count)], as: UTF8.self)
    }

    /// What comes until the server's close_notify.
    func readToEnd() throws -> String {
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = SSL_read(ssl, &piece, CInt(piece.count))
            guard count > 0 else { break }
            received += piece[..<Int(count)]
        }
        guard SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 else { throw Failure(description: "no close_notify") }
        return String(decoding: received, as: UTF8.self)
    }

    /// A GET after which the connection ends, and its answer.
    func getLast(_ target: String) throws -> String {
        try send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return try readToEnd()
    }
}

/// SSL_set_max_proto_version(3) with TLS 1.2; a macro.
private func SSL_set_max_version(_ ssl: OpaquePointer) {
    SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
}
