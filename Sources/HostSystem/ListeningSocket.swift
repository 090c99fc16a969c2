internal import CHostLinux
internal import Glibc

/// An address of this machine that a stream socket can be bound to.
package enum SocketAddress: Hashable, Sendable {
    /// Four octets and a port in host order.
    case ipv4(UInt32, port: UInt16)
    /// Sixteen octets as two halves in host order, and a port.
    case ipv6(UInt64, UInt64, port: UInt16)
    /// A file-system path of at most 107 octets.
    case unix(String)

    /// Reads a numeric address such as `127.0.0.1` or `::1`; names are not looked up.
    package init?(numericHost host: String, port: UInt16) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            self = .ipv4(UInt32(bigEndian: four.s_addr), port: port)
        } else if inet_pton(AF_INET6, host, &six) == 1 {
            let halves = withUnsafeBytes(of: &six) { bytes in
                (
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                )
            }
            self = .ipv6(halves.0, halves.1, port: port)
        } else {
            return nil
        }
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool {
        switch self {
        case .ipv4(let address, _): address >> 24 == 127
        case .ipv6(let high, let low, _): high == 0 && (low == 1 || low >> 24 == 0xffff7f)
        case .unix: true
        }
    }

    /// Calls `body` with the kernel's form of the address.
    func withKernelForm<Result: ~Copyable>(
        _ body: (CInt, UnsafePointer<sockaddr>, socklen_t) throws(Errno) -> Result
    ) throws(Errno) -> Result {
        var storage = sockaddr_storage()
        let family: CInt
        let length: socklen_t
        switch self {
        case .ipv4(let address, let port):
            family = AF_INET
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &storage) { bytes in
                var value = sockaddr_in()
                value.sin_family = sa_family_t(AF_INET)
                value.sin_port = port.bigEndian
                value.sin_addr.s_addr = address.bigEndian
                bytes.storeBytes(of: value, as: sockaddr_in.self)
            }
        case .ipv6(let high, let low, let port):
            family = AF_INET6
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            withUnsafeMutableBytes(of: &storage) { bytes in
                var value = sockaddr_in6()
                value.sin6_family = sa_family_t(AF_INET6)
                value.sin6_port = port.bigEndian
                withUnsafeMutableBytes(of: &value.sin6_addr) { octets in
                    octets.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
                    octets.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
                }
                bytes.storeBytes(of: value, as: sockaddr_in6.self)
            }
        case .unix(let path):
            let octets = Array(path.utf8)
            let room = MemoryLayout<sockaddr_un>.size - MemoryLayout<sa_family_t>.size
            // unix(7): the path and its terminating NUL must fit.
            guard octets.count < room, !octets.contains(0) else { throw .nameTooLong }
            family = AF_UNIX
            length = socklen_t(MemoryLayout<sa_family_t>.size + octets.count + 1)
            withUnsafeMutableBytes(of: &storage) { bytes in
                bytes.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
                for (index, octet) in octets.enumerated() {
                    bytes[MemoryLayout<sa_family_t>.size + index] = octet
                }
            }
        }
        return try withUnsafePointer(to: &storage) { (pointer) throws(Errno) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { (address) throws(Errno) in
                try body(family, address, length)
            }
        }
    }
}

extension FileDescriptor {
    /// A non-blocking stream socket that listens at `address`.
    ///
    /// - Parameters:
    ///   - address: where; a unix socket's file is made with mode 0666, whatever the umask.
    ///   - sharesPort: several sockets may listen at one address and the kernel spreads connections over them
    ///     (SO_REUSEPORT); not for unix sockets.
    ///   - backlog: connections that wait to be accepted; the kernel cuts it at net.core.somaxconn.
    package static func listening(
        at address: SocketAddress,
        sharesPort: Bool,
        backlog: CInt = 4096
    ) throws(Errno) -> FileDescriptor {
        try address.withKernelForm { (family, pointer, length) throws(Errno) in
            let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            let made = FileDescriptor(owning: try retryingInterrupts { socket(family, type, 0) })
            let number = made.raw
            if family != AF_UNIX {
                try made.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
                if sharesPort { try made.setOption(SOL_SOCKET, SO_REUSEPORT, 1) }
                // Accepted sockets inherit it. Answers are written in one piece, so there is nothing to wait for.
                try made.setOption(CInt(IPPROTO_TCP), TCP_NODELAY, 1)
                if family == AF_INET6 { try made.setOption(CInt(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
            }
            _ = try retryingInterrupts { bind(number, pointer, length) }
            if case .unix(let path) = address { try UnixSocketFile.openToAll(path) }
            _ = try retryingInterrupts { listen(number, backlog) }
            return made
        }
    }

    private func setOption(_ level: CInt, _ option: CInt, _ value: CInt) throws(Errno) {
        var value = value
        _ = try retryingInterrupts { setsockopt(raw, level, option, &value, socklen_t(MemoryLayout<CInt>.size)) }
    }

    /// The port that the kernel chose for a socket bound to port 0.
    package func boundPort() throws(Errno) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return try withUnsafeMutableBytes(of: &storage) { (bytes) throws(Errno) in
            let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            _ = try retryingInterrupts { getsockname(raw, address, &length) }
            // sin_port and sin6_port stand at the same place: after the family.
            return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }
}

/// Files that stand for unix sockets.
package enum UnixSocketFile {
    /// Lets every local user connect: unix(7) asks for permission to write to the file, bind(2) makes it by the umask, and
    /// a proxy in front has a user of its own. Who may come is said by the folder that it stands in. The file is removed
    /// where that fails.
    static func openToAll(_ path: String) throws(Errno) {
        do throws(Errno) {
            _ = try retryingInterrupts { chmod(path, 0o666) }
        } catch {
            remove(path)
            throw error
        }
    }

    /// Removes the socket file at `path` if nobody listens there any more (a server that was killed leaves it).
    /// Anything that is not a socket stays, and is told by ENOTSOCK.
    package static func removeIfAbandoned(_ path: String) throws(Errno) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notSocket }
        let answered = try? SocketAddress.unix(path).withKernelForm { (family, pointer, length) throws(Errno) in
            // Non-blocking: a server whose queue is full answers EAGAIN instead of keeping this one waiting.
            let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            let probe = FileDescriptor(owning: try retryingInterrupts { socket(family, type, 0) })
            let number = probe.raw
            return connect(number, pointer, length) == 0 || Errno.current.rawValue != ECONNREFUSED
        }
        if answered == false { remove(path) }
    }

    /// Removes the socket file at `path`.
    package static func remove(_ path: String) {
        _ = unlink(path)
    }
}
