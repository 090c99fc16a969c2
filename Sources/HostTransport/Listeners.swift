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
    package var url: String {
        switch self {
        case .internet: "http://\(self)"
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

/// A listening socket as one loop sees it.
struct LoopListener: Sendable {
    let socket: SharedFile
    let handler: Int
    /// Several loops accept from this one socket (a unix socket has no SO_REUSEPORT).
    let isShared: Bool
}

extension Server {
    /// The sockets of each loop, and the addresses that they got.
    static func bind(
        _ requests: [ListenerRequest],
        loops: Int
    ) throws(ServerError) -> (perLoop: [[LoopListener]], addresses: [ListenAddress]) {
        var perLoop = [[LoopListener]](repeating: [], count: loops)
        var addresses: [ListenAddress] = []
        for request in requests {
            var address = request.address
            do throws(Errno) {
                switch address {
                case .unix(let path):
                    try UnixSocketFile.removeIfAbandoned(path)
                    let socket = SharedFile(try .listening(at: .unix(path), sharesPort: false))
                    for index in 0..<loops {
                        perLoop[index].append(
                            LoopListener(socket: socket, handler: request.handler, isShared: loops > 1)
                        )
                    }
                case .internet(let host, let port):
                    // A first socket without SO_REUSEPORT would tell whether another server has the port, but the
                    // ones after it could not join it. So who has the port is asked for by a probe that is closed.
                    var port = port
                    if port != 0 { try probe(host, port) }
                    for index in 0..<loops {
                        guard let target = SocketAddress(numericHost: host, port: port) else { throw .noEntry }
                        let socket = try FileDescriptor.listening(at: target, sharesPort: true)
                        port = try socket.boundPort()
                        perLoop[index].append(
                            LoopListener(socket: SharedFile(socket), handler: request.handler, isShared: false)
                        )
                    }
                    address = .internet(host: host, port: port)
                }
            } catch {
                removeSocketFiles(addresses)
                throw .cannotListen(request.address, error)
            }
            addresses.append(address)
        }
        return (perLoop, addresses)
    }

    /// Fails with EADDRINUSE when anybody listens at the port, even one that shares it: two servers on one port by
    /// mistake would each get half of the connections.
    private static func probe(_ host: String, _ port: UInt16) throws(Errno) {
        guard let target = SocketAddress(numericHost: host, port: port) else { throw .noEntry }
        _ = try FileDescriptor.listening(at: target, sharesPort: false)
    }
}
