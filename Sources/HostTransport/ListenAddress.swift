internal import HostSystem

/// Where a server listens: `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/aimodel-host.sock`.
package enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A numeric IPv4 or IPv6 address; `localhost` stands for 127.0.0.1, an empty host or `*` for every IPv4 address.
    case internet(host: String, port: UInt16)
    case unix(String)

    /// Reads an address as written on the command line; nil if it is none.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
            self = .unix(path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            // An IPv6 address without brackets: where its port begins would be a guess.
            return nil
        }
        switch host {
        case "", "*": host = "0.0.0.0"
        case "localhost": host = "127.0.0.1"
        default: break
        }
        guard SocketAddress(numericHost: host, port: port) != nil else { return nil }
        self = .internet(host: host, port: port)
    }

    /// Digits as one writes a number: `UInt16` itself takes a sign and leading zeros as well, and `08` or `+1` is a slip.
    private static func port(_ text: Substring) -> UInt16? {
        guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), text == "0" || text.utf8.first != 0x30 else {
            return nil
        }
        return UInt16(text)
    }

    package var description: String {
        switch self {
        case .internet(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// As a client would name it, such as `http://127.0.0.1:8080`.
    package var url: String { url(isSecure: false) }

    /// The same, such as `https://127.0.0.1:8443`, for a listener of TLS.
    package func url(isSecure: Bool) -> String {
        switch self {
        case .internet: "\(isSecure ? "https" : "http")://\(self)"
        case .unix: description
        }
    }

    /// The port; nil for a unix socket.
    package var port: UInt16? {
        if case .internet(_, let port) = self { return port }
        return nil
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool { socketAddress?.isLoopback ?? false }

    var socketAddress: SocketAddress? {
        switch self {
        case .internet(let host, let port): SocketAddress(numericHost: host, port: port)
        case .unix(let path): .unix(path)
        }
    }
}
