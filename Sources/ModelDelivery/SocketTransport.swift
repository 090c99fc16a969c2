#if os(Linux)
internal import Foundation
internal import Synchronization

/// HTTP/1.1 over plain TCP, for Linux: why there is one is told at `SystemTransport`.
///
/// Each exchange has a thread while it lasts; its bytes go from the kernel into one buffer and from there to the receiver,
/// so memory is that buffer whatever the size of the file. Connections are used again where both sides keep them.
final class SocketTransport: ExchangeTransport {
    private struct Idle: Sendable {
        let origin: String
        let socket: StreamSocket
    }

    private let idle = Mutex<[Idle]>([])
    /// The most connections that wait for another request.
    private static let idleLimit = 8
    /// Bytes received at once.
    static let room = 1 << 18
    private static let queue = DispatchQueue(label: "ModelDelivery.sockets", qos: .utility, attributes: .concurrent)

    func exchange(_ request: ExchangeRequest, _ receiver: any AnswerReceiver) async throws(DeliveryError) {
        let current = CurrentSocket()
        let result: Result<Void, DeliveryError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.queue.async { [self] in
                    do throws(DeliveryError) {
                        try run(request, receiver, current)
                        continuation.resume(returning: .success(()))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
        } onCancel: {
            current.cancel()
        }
        try result.get()
    }

    private func run(
        _ request: ExchangeRequest,
        _ receiver: any AnswerReceiver,
        _ current: CurrentSocket
    ) throws(DeliveryError) {
        guard let host = request.url.host else {
            throw .invalidRequest("\(request.url.absoluteString) names no host")
        }
        let port = UInt16(clamping: request.url.port ?? 80)
        let origin = "\(host):\(port)"
        // A POST is not sent twice, so it is not sent where the peer may be gone.
        if request.method == "GET", let socket = takeIdle(origin) {
            let watch = BeginningWatch(receiver)
            do throws(DeliveryError) {
                return try converse(request, host: host, origin: origin, socket, watch, current)
            } catch {
                // RFC 9112, section 9.3.1: the peer may close an idle connection as the request is on its way. What
                // was not begun to be answered is asked again.
                guard case .network(let failure) = error, failure.cause == .connectionLost, !watch.hasBegun else {
                    throw error
                }
            }
        }
        let socket = StreamSocket()
        try current.take(socket)
        try socket.connect(host: host, port: port, timeout: Self.milliseconds(request.stallTimeout))
        try converse(request, host: host, origin: origin, socket, receiver, current)
    }

    /// One request and its answer; the connection is kept where it can be.
    private func converse(
        _ request: ExchangeRequest,
        host: String,
        origin: String,
        _ socket: StreamSocket,
        _ receiver: any AnswerReceiver,
        _ current: CurrentSocket
    ) throws(DeliveryError) {
        try current.take(socket)
        let timeout = Self.milliseconds(request.stallTimeout)
        try socket.send(Self.wire(request, host: host), timeout: timeout)
        var reader = AnswerReader(socket, timeout: timeout)
        let isKept = try reader.read(method: request.method, receiver)
        current.leave()
        if isKept { giveIdle(Idle(origin: origin, socket: socket)) }
    }

    private static func wire(_ request: ExchangeRequest, host: String) -> [UInt8] {
        let components = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        var target = components?.percentEncodedPath ?? "/"
        if target.isEmpty { target = "/" }
        if let query = components?.percentEncodedQuery { target += "?" + query }
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        var text = "\(request.method) \(target) HTTP/1.1\r\nHost: \(name)"
        if let port = request.url.port, port != 80 { text += ":\(port)" }
        text += "\r\n"
        for (name, value) in request.fields { text += "\(name): \(value)\r\n" }
        if request.method != "GET" { text += "Content-Length: \(request.body.count)\r\n" }
        return Array((text + "\r\n").utf8) + request.body
    }

    private static func milliseconds(_ duration: Duration) -> CInt {
        CInt(clamping: Int64(duration / .milliseconds(1)))
    }

    // MARK: Idle connections

    private func takeIdle(_ origin: String) -> StreamSocket? {
        idle.withLock { idle in
            while let index = idle.lastIndex(where: { $0.origin == origin }) {
                let socket = idle.remove(at: index).socket
                if !socket.hasNews { return socket }
            }
            return nil
        }
    }

    private func giveIdle(_ entry: Idle) {
        idle.withLock { idle in
            if idle.count >= Self.idleLimit { idle.removeFirst() }
            idle.append(entry)
        }
    }
}

/// The connection that an exchange uses at present: what a cancellation has to end.
private final class CurrentSocket: Sendable {
    private let state = Mutex<(socket: StreamSocket?, isCancelled: Bool)>((nil, false))

    func take(_ socket: StreamSocket) throws(DeliveryError) {
        let isCancelled = state.withLock { state in
            state.socket = socket
            return state.isCancelled
        }
        if isCancelled { throw .cancelled }
    }

    /// The exchange is done with it.
    func leave() { state.withLock { $0.socket = nil } }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.socket?.shutDown()
        }
    }
}

/// Knows whether an answer has begun.
private final class BeginningWatch: AnswerReceiver {
    private let receiver: any AnswerReceiver
    private let begun = Atomic(false)

    init(_ receiver: any AnswerReceiver) { self.receiver = receiver }

    var hasBegun: Bool { begun.load(ordering: .relaxed) }

    func begin(_ head: AnswerHead) throws(DeliveryError) {
        begun.store(true, ordering: .relaxed)
        try receiver.begin(head)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(DeliveryError) { try receiver.receive(bytes) }
}

/// Reads one answer from a connection.
private struct AnswerReader: ~Copyable {
    private let socket: StreamSocket
    private let timeout: CInt
    /// When the head must be whole. It is sent in one piece, after one silence at most; a byte now and then would
    /// never be a silence.
    private let headEnd: ContinuousClock.Instant
    private let room: UnsafeMutableRawBufferPointer
    /// Bytes in the room that were not taken yet.
    private var begin = 0
    private var end = 0

    init(_ socket: StreamSocket, timeout: CInt) {
        self.socket = socket
        self.timeout = timeout
        headEnd = .now + .milliseconds(2 * Int64(timeout))
        room = .allocate(byteCount: SocketTransport.room, alignment: 4096)
    }

    deinit { room.deallocate() }

    private static let interimLimit = 16

    private var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: room[begin..<end]) }

    /// - Returns: whether the connection can be used again.
    mutating func read(method: String, _ receiver: any AnswerReceiver) throws(DeliveryError) -> Bool {
        var answer = try head(method)
        // RFC 9110, section 15.2: any number of interim answers may come before the final one. None of them is asked
        // for here, and a host that sends them without end answers nothing.
        var interim = 0
        while answer.head.status < 200 {
            interim += 1
            guard interim <= Self.interimLimit else {
                throw .network(NetworkFailure(.malformedAnswer, "more than \(Self.interimLimit) interim answers"))
            }
            answer = try head(method)
        }
        try receiver.begin(answer.head)
        switch answer.framing {
        case .none:
            break
        case .length(var left):
            while left > 0 {
                if begin == end { try more("with \(left) bytes missing") }
                let count = Int(min(left, UInt64(end - begin)))
                try receiver.receive(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                begin += count
                left -= UInt64(count)
            }
        case .chunked:
            var body = ChunkedBody()
            while !body.isFinished {
                if begin == end { try more("in the midst of a chunk") }
                begin += try body.take(bytes) { piece throws(DeliveryError) in try receiver.receive(piece) }
            }
        case .close:
            while true {
                if begin == end {
                    begin = 0
                    end = try socket.receive(into: room, timeout: timeout)
                    if end == 0 { return false }
                }
                try receiver.receive(bytes)
                begin = end
            }
        }
        return answer.keepsConnection && begin == end
    }

    private mutating func head(_ method: String) throws(DeliveryError) -> AnswerParser.Answer {
        if begin > 0 {
            let count = end - begin
            room.copyMemory(from: bytes)
            begin = 0
            end = count
        }
        var looked = 0
        while true {
            if let length = AnswerParser.endOfHead(bytes, from: looked) {
                defer { begin += length }
                do throws(AnswerParser.Failure) {
                    return try AnswerParser.parse(UnsafeRawBufferPointer(rebasing: bytes[..<length]), method: method)
                } catch {
                    guard case .malformed(let detail) = error else { throw .cancelled }
                    throw .network(NetworkFailure(.malformedAnswer, detail))
                }
            }
            looked = end
            let left = ContinuousClock.now.duration(to: headEnd) / .milliseconds(1)
            guard left >= 1 else {
                throw .network(NetworkFailure(.stalled, "no whole head within \(2 * Double(timeout) / 1000) s"))
            }
            guard end < AnswerParser.headLimit else {
                throw .network(NetworkFailure(.malformedAnswer, "a head of more than \(AnswerParser.headLimit) bytes"))
            }
            let count = try socket.receive(
                into: UnsafeMutableRawBufferPointer(rebasing: room[end...]),
                timeout: min(timeout, CInt(clamping: Int64(left)))
            )
            guard count > 0 else {
                throw .network(NetworkFailure(.connectionLost, "the connection ended before an answer"))
            }
            end += count
        }
    }

    private mutating func more(_ place: String) throws(DeliveryError) {
        begin = 0
        end = try socket.receive(into: room, timeout: timeout)
        guard end > 0 else {
            throw .network(NetworkFailure(.connectionLost, "the connection ended \(place)"))
        }
    }
}
#endif
