internal import HTTPWire
internal import HostSystem

/// From listeners to connections.
extension EventLoop {
    func startAccepting() throws(Errno) {
        guard !isAccepting, !isDraining else { return }
        try epoll.add(listeners)
        isAccepting = true
    }

    /// Leaves connections in the kernel's queue. A listener that stays readable would turn the loop without end.
    func pauseAccepting() {
        guard isAccepting else { return }
        for listener in listeners { try? epoll.remove(listener.socket.descriptor) }
        isAccepting = false
    }

    /// Takes up to `bound` connections: a flood of new ones must not keep those that are being served waiting.
    func accept(_ index: Int, bound: Int = 64) {
        for _ in 0..<bound {
            guard isAccepting else { return }
            guard shared.reserveConnection() else {
                shared.notice(.connectionLimit)
                return pauseAccepting()
            }
            do {
                var peer = PeerAddress()
                guard let socket = try listeners[index].socket.descriptor.accept(peer: &peer) else {
                    return shared.releaseConnection()
                }
                adopt(socket, peer, handler: listeners[index].handler)
            } catch {
                shared.releaseConnection()
                // EMFILE, ENFILE, ENOBUFS, ENOMEM: the connection stays in the queue, so the loop would be woken at
                // once again. The next close, or the next second, tries anew.
                shared.notice(.cannotAccept(error))
                return pauseAccepting()
            }
        }
    }

    private func adopt(_ socket: consuming FileDescriptor, _ peer: PeerAddress, handler: Int) {
        let connection = connections.insert(socket, peer: peer, handler: handler, limits: limits.request)
        countOpened(connection)
        do {
            // Registered once for everything, edge-triggered: no epoll_ctl for any request after it.
            try epoll.add(
                connection.socket,
                [.readable, .writable, .peerClosed, .edgeTriggered],
                token: connection.token
            )
        } catch {
            shared.notice(.cannotAccept(error))
            return close(connection)
        }
        setDeadline(of: connection, in: limits.headTime)
    }
}

extension Epoll {
    /// Watches all listeners, each with its index as token, or none of them: who tries anew must not meet the first of
    /// them again (EEXIST).
    func add(_ listeners: [LoopListener]) throws(Errno) {
        for (index, listener) in listeners.enumerated() {
            let interest: Events = listener.isShared ? [.readable, .exclusive] : .readable
            do throws(Errno) {
                try add(listener.socket.descriptor, interest, token: EventLoop.listenerToken | UInt64(index))
            } catch {
                for added in listeners[..<index] { try? remove(added.socket.descriptor) }
                throw error
            }
        }
    }
}
