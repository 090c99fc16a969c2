internal import CHostLinux
internal import Glibc

/// What a call on a non-blocking descriptor came to. Would-block is an ordinary outcome, so it is no error.
package enum Transferred: Equatable, Sendable {
    /// So many octets, at least one.
    case octets(Int)
    /// Reading: the peer has closed its side. Sending a file: the file ended before the count was reached.
    case end
    case wouldBlock
    case failed(Errno)

    @inline(__always)
    init(_ result: Int) {
        if result > 0 {
            self = .octets(result)
        } else if result == 0 {
            self = .end
        } else {
            let error = Errno.current
            self = error == .again ? .wouldBlock : .failed(trapOnMisuse(error))
        }
    }
}

extension FileDescriptor {
    /// recv(2) into `buffer`, which must not be empty.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transferred {
        while true {
            let result = Transferred(recv(raw, buffer.baseAddress, buffer.count, 0))
            if result != .failed(.interrupted) { return result }
        }
    }

    /// As `receive`, but the octets stay where they are (MSG_PEEK).
    package func peek(into buffer: UnsafeMutableRawBufferPointer) -> Transferred {
        while true {
            let result = Transferred(recv(raw, buffer.baseAddress, buffer.count, CInt(MSG_PEEK)))
            if result != .failed(.interrupted) { return result }
        }
    }

    /// send(2) without SIGPIPE. `moreFollows` lets the kernel join these octets with what is sent next (MSG_MORE).
    package func send(_ bytes: UnsafeRawBufferPointer, moreFollows: Bool = false) -> Transferred {
        let flags = CInt(MSG_NOSIGNAL) | (moreFollows ? CInt(MSG_MORE) : 0)
        while true {
            let result = Transferred(Glibc.send(raw, bytes.baseAddress, bytes.count, flags))
            if result != .failed(.interrupted) { return result }
        }
    }

    /// sendmsg(2) of two pieces in one call, without SIGPIPE.
    package func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Transferred {
        var pieces = (
            iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
            iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
        )
        return withUnsafeMutablePointer(to: &pieces) { pieces in
            pieces.withMemoryRebound(to: iovec.self, capacity: 2) { pieces in
                var message = msghdr()
                message.msg_iov = pieces
                message.msg_iovlen = 2
                while true {
                    let result = Transferred(sendmsg(raw, &message, CInt(MSG_NOSIGNAL)))
                    if result != .failed(.interrupted) { return result }
                }
            }
        }
    }

    /// sendfile(2): up to `count` octets of `file` from `offset`, which moves with what was sent.
    package func sendFile(_ file: borrowing FileDescriptor, offset: inout Int64, count: Int) -> Transferred {
        let source = file.raw
        var position = off_t(offset)
        while true {
            let result = Transferred(sendfile(raw, source, &position, count))
            if result == .failed(.interrupted) { continue }
            offset = Int64(position)
            return result
        }
    }

    /// Sends what `moreFollows` has kept back although nothing did follow. tcp(7): setting TCP_NODELAY, even anew, flushes
    /// the pending output. Does nothing on a unix socket, which keeps nothing back.
    package func flush() {
        var on: CInt = 1
        _ = setsockopt(raw, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Sends the interim answer that asks a client for the content it announced (RFC 9110 15.2.1); false where not even
    /// so little fits into the socket.
    package func sendContinue() -> Bool {
        let line = Self.continueLine
        let bytes = UnsafeRawBufferPointer(start: line.utf8Start, count: line.utf8CodeUnitCount)
        return send(bytes) == .octets(bytes.count)
    }

    package static var continueLine: StaticString { "HTTP/1.1 100 Continue\r\n\r\n" }

    /// Ends the sending side; what was sent before still arrives. A peer that is gone already is no error.
    package func shutdownSending() {
        _ = Glibc.shutdown(raw, CInt(SHUT_WR))
    }

    /// Octets that were sent but that the peer has not acknowledged yet (SIOCOUTQ); nil where that is unknown.
    package func unacknowledgedOctets() -> Int? {
        var count: CInt = 0
        // TIOCOUTQ is the number behind SIOCOUTQ, which the overlay cannot import (a macro with a cast).
        return ioctl(raw, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : nil
    }

    /// accept4(2), non-blocking and close-on-exec; nil when nobody waits. `peer` is set to who has connected.
    package func accept(peer: inout PeerAddress) throws(Errno) -> FileDescriptor? {
        var storage = sockaddr_storage()
        while true {
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let number = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { chost_accept(raw, $0, &length) }
            }
            if number >= 0 {
                peer = PeerAddress(storage)
                return FileDescriptor(owning: number)
            }
            let error = Errno.current
            if error == .again { return nil }
            // accept(2): errors of the connection that was about to be taken; the next one may be fine.
            if error == .interrupted || error == .connectionAborted { continue }
            throw trapOnMisuse(error)
        }
    }

    /// Reads `buffer.count` octets at `offset` if the page cache holds them; never waits for the disk.
    package func readCached(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Transferred {
        while true {
            let result = Transferred(chost_pread_nowait(raw, buffer.baseAddress, buffer.count, off_t(offset)))
            if result != .failed(.interrupted) { return result }
        }
    }

    /// pread(2); may wait for the disk.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Transferred {
        while true {
            let result = Transferred(pread(raw, buffer.baseAddress, buffer.count, off_t(offset)))
            if result != .failed(.interrupted) { return result }
        }
    }
}
