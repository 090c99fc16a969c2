internal import CHostOpenSSL
internal import HostSystem

/// TLS on one connection: the owner of its SSL. Used on its loop's thread only.
///
/// OpenSSL reads and writes the socket itself. What it cannot do at once it says by what it waits for, which need not be
/// what the caller wanted to do.
final class TLSSession {
    enum Progress { case done, waitsForInput, waitsForRoom, failed }

    private let ssl: OpaquePointer
    /// Callbacks find it by the SSL, so it has to live as long.
    private let context: TLSContext

    /// The last call to receive can go on only when the socket takes octets, and the last one to send only when there are
    /// some to read.
    private(set) var receivingWaitsForRoom = false
    private(set) var sendingWaitsForInput = false

    /// The handshake is done, and nothing has failed since: only then may anything more be sent (SSL_shutdown(3)).
    private var isSound = false
    /// close_notify is out.
    private var hasEnded = false
    /// The interim answer waits in OpenSSL's buffer for room: no other octets may be handed over before it is out.
    private var owesContinue = false

    /// Nil where memory is short. `socket` must stay open as long as this lives.
    init?(_ context: TLSContext, _ socket: borrowing FileDescriptor) {
        guard let ssl = context.makeSSL() else { return nil }
        guard SSL_set_fd(ssl, socket.raw) == 1 else {
            SSL_free(ssl)
            return nil
        }
        SSL_set_accept_state(ssl)
        self.ssl = ssl
        self.context = context
    }

    deinit { SSL_free(ssl) }

    /// Goes on with the handshake. Where it fails, OpenSSL has sent the alert that says why.
    func handshake() -> Progress {
        switch perform({ SSL_do_handshake($0) }) {
        case .octets:
            isSound = true
            return .done
        case .waitsForInput: return .waitsForInput
        case .waitsForRoom: return .waitsForRoom
        case .end, .failed: return .failed
        }
    }

    /// As `FileDescriptor.receive`; `end` is the peer's close_notify, or the end of its TCP stream.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transferred {
        receivingWaitsForRoom = false
        switch perform({ SSL_read($0, buffer.baseAddress, CInt(clamping: buffer.count)) }) {
        case .octets(let count): return .octets(count)
        case .end: return .end
        case .waitsForInput: return .wouldBlock
        case .waitsForRoom:
            receivingWaitsForRoom = true
            return .wouldBlock
        case .failed(let error): return .failed(error)
        }
    }

    /// Sends the first octets of `bytes`, which must not be empty: a record's worth at most.
    ///
    /// After `wouldBlock` the record is made but not out (SSL_write(3)): the next call has to begin with the same octets.
    func send(_ bytes: UnsafeRawBufferPointer) -> Transferred {
        guard !owesContinue || finishContinue() else { return .wouldBlock }
        return write(bytes)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Transferred {
        sent(perform { SSL_write($0, bytes.baseAddress, CInt(clamping: bytes.count)) })
    }

    /// The kernel encrypts: a file can go from its page cache to the socket.
    var usesKernel: Bool { chost_ssl_kernel_sends(ssl) != 0 }

    /// As `FileDescriptor.sendFile`; only where `usesKernel`.
    func sendFile(_ file: borrowing FileDescriptor, offset: Int64, count: Int) -> Transferred {
        guard !owesContinue || finishContinue() else { return .wouldBlock }
        let number = file.raw
        // sendfile(2) of at most a MiB, so the count fits.
        return sent(perform { CInt(clamping: SSL_sendfile($0, number, off_t(offset), count, 0)) })
    }

    private func sent(_ outcome: Outcome) -> Transferred {
        sendingWaitsForInput = false
        switch outcome {
        case .octets(let count): return .octets(count)
        case .waitsForRoom: return .wouldBlock
        case .waitsForInput:
            sendingWaitsForInput = true
            return .wouldBlock
        case .end: return .end
        case .failed(let error): return .failed(error)
        }
    }

    /// As `FileDescriptor.sendContinue`; where it does not fit it is out before anything else is.
    func sendContinue() -> Bool {
        owesContinue = true
        _ = finishContinue()
        return isSound
    }

    /// Sends what is left of the interim answer, if anything.
    @discardableResult
    func finishContinue() -> Bool {
        guard owesContinue else { return true }
        let line = FileDescriptor.continueLine
        let bytes = UnsafeRawBufferPointer(start: line.utf8Start, count: line.utf8CodeUnitCount)
        if case .octets = write(bytes) { owesContinue = false }
        return !owesContinue
    }

    /// Sends close_notify (RFC 8446 6.1); false while the socket has no room for it. Does nothing where it cannot be sent.
    func endSending() -> Bool {
        guard isSound, !hasEnded else { return true }
        ERR_clear_error()
        let result = SSL_shutdown(ssl)
        // 0 and WANT_READ: ours is out, the peer's has not come.
        hasEnded = result >= 0 || SSL_get_error(ssl, result) != SSL_ERROR_WANT_WRITE
        return hasEnded
    }

    // MARK: Calls

    private enum Outcome { case octets(Int), waitsForInput, waitsForRoom, end, failed(Errno) }

    /// Calls OpenSSL. Its queue of errors belongs to the thread, so what another connection has left there goes first
    /// (SSL_get_error(3)).
    @inline(__always)
    private func perform(_ call: (OpaquePointer) -> CInt) -> Outcome {
        while true {
            ERR_clear_error()
            Errno.clear()
            let result = call(ssl)
            if result > 0 { return .octets(Int(result)) }
            let number = Errno.current
            switch SSL_get_error(ssl, result) {
            // To OpenSSL a call that a signal has cut short is one that would block; no event would follow.
            case SSL_ERROR_WANT_READ where number == .interrupted, SSL_ERROR_WANT_WRITE where number == .interrupted:
                continue
            case SSL_ERROR_WANT_READ: return .waitsForInput
            case SSL_ERROR_WANT_WRITE: return .waitsForRoom
            case SSL_ERROR_ZERO_RETURN: return .end
            case SSL_ERROR_SYSCALL:
                isSound = false
                return .failed(number.rawValue == 0 ? .protocolError : trapOnMisuse(number))
            default:
                isSound = false
                return .failed(.protocolError)
            }
        }
    }
}
