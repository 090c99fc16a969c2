#if os(Linux)
internal import Glibc
internal import Synchronization

/// A connection to a host. One thread sends and receives; any thread may shut it down, which wakes the one.
final class StreamSocket: Sendable {
    private struct State {
        var descriptor: CInt = -1
        var isShutDown = false
    }

    private let state = Mutex(State())

    deinit {
        state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
    }

    /// Ends it, for good. What waits for bytes is woken.
    func shutDown() {
        state.withLock {
            $0.isShutDown = true
            if $0.descriptor >= 0 { _ = shutdown($0.descriptor, CInt(SHUT_RDWR)) }
        }
    }

    private var descriptor: CInt { state.withLock { $0.descriptor } }
    private var isShutDown: Bool { state.withLock { $0.isShutDown } }

    // MARK: Connecting

    /// Tries each address of the name in turn. The look-up itself cannot be woken: the resolver has time limits of its
    /// own.
    func connect(host: String, port: UInt16, timeout: CInt) throws(DeliveryError) {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            throw .network(NetworkFailure(.unreachable, "\(host): \(String(cString: gai_strerror(code)))"))
        }
        defer { freeaddrinfo(list) }
        var failure = "\(host) has no address"
        var next = list
        while let address = next {
            if isShutDown { throw .cancelled }
            guard let error = tryConnect(address.pointee, timeout) else { return }
            failure = "\(host), port \(port): \(String(cString: strerror(error)))"
            next = address.pointee.ai_next
        }
        throw .network(NetworkFailure(.unreachable, failure))
    }

    /// nil where it is connected, else the error number.
    private func tryConnect(_ address: addrinfo, _ timeout: CInt) -> CInt? {
        let made = socket(
            address.ai_family,
            address.ai_socktype | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue),
            address.ai_protocol
        )
        guard made >= 0 else { return errno }
        let isWanted = state.withLock { state in
            guard !state.isShutDown else { return false }
            state.descriptor = made
            return true
        }
        guard isWanted else {
            close(made)
            return ECANCELED
        }
        var one: CInt = 1
        setsockopt(made, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        var error = Glibc.connect(made, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno
        if error == EINPROGRESS {
            error = waitFor(POLLOUT, made, timeout) ? 0 : ETIMEDOUT
            if error == 0 {
                var length = socklen_t(MemoryLayout<CInt>.size)
                getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &length)
            }
        }
        if error == 0 { return nil }
        state.withLock {
            $0.descriptor = -1
            close(made)
        }
        return error
    }

    // MARK: Bytes

    /// - Parameter timeout: milliseconds that the peer may take to accept more.
    func send(_ bytes: [UInt8], timeout: CInt) throws(DeliveryError) {
        let descriptor = self.descriptor
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done, CInt(MSG_NOSIGNAL))
            }
            if count >= 0 {
                done += count
            } else if errno == EAGAIN {
                guard waitFor(POLLOUT, descriptor, timeout) else { throw stalled(timeout) }
            } else if errno != EINTR {
                throw lost("sending failed: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Bytes as they come; 0 at the end of the connection.
    ///
    /// - Parameter timeout: milliseconds of silence.
    func receive(into room: UnsafeMutableRawBufferPointer, timeout: CInt) throws(DeliveryError) -> Int {
        let descriptor = self.descriptor
        while true {
            let count = recv(descriptor, room.baseAddress, room.count, 0)
            if count > 0 { return count }
            if count == 0 {
                if isShutDown { throw .cancelled }
                return 0
            }
            if errno == EAGAIN {
                guard waitFor(POLLIN, descriptor, timeout) else { throw stalled(timeout) }
            } else if errno != EINTR {
                throw lost(String(cString: strerror(errno)))
            }
        }
    }

    /// Whether the peer has said anything, its end included, since it had nothing more to say: such a connection
    /// cannot be used again.
    var hasNews: Bool { waitFor(POLLIN, descriptor, 0) }

    /// False where nothing happened in time. A signal does not count as an event, and its time is not counted either.
    private func waitFor(_ events: CInt, _ descriptor: CInt, _ timeout: CInt) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let count = poll(&entry, 1, timeout)
            if count >= 0 { return count > 0 }
            guard errno == EINTR else { return true }
        }
    }

    private func stalled(_ timeout: CInt) -> DeliveryError {
        isShutDown ? .cancelled : .network(NetworkFailure(.stalled, "nothing came for \(Double(timeout) / 1000) s"))
    }

    private func lost(_ detail: String) -> DeliveryError {
        isShutDown ? .cancelled : .network(NetworkFailure(.connectionLost, detail))
    }
}
#endif
