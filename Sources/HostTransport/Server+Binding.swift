internal import HostSystem

/// A listening socket as one loop sees it.
struct LoopListener: Sendable {
    let socket: SharedFile
    let handler: Int
    /// Several loops accept from this one socket (a unix socket has no SO_REUSEPORT).
    let isShared: Bool
    /// Nil for a plain listener.
    var tls: TLSSource?
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
                            LoopListener(
                                socket: socket,
                                handler: request.handler,
                                isShared: loops > 1,
                                tls: request.tls
                            )
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
                            LoopListener(
                                socket: SharedFile(socket),
                                handler: request.handler,
                                isShared: false,
                                tls: request.tls
                            )
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
