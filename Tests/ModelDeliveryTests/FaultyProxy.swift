import Foundation
import Glibc
import HostTransport
import Synchronization
import TestSupport

/// What a proxy does to one answer.
enum Fault: Sendable {
    case none
    /// So many bytes of the body, then the end of the connection (FIN).
    case cut(Int)
    /// So many bytes of the body, then a reset.
    case reset(Int)
    /// So many bytes of the body, then silence until the client goes.
    case stall(Int)
    /// One byte of the body turned over.
    case flip(Int)
    /// The first byte after a text turned over.
    case flipAfter(String)
    /// The request goes on without Range: 200 with the whole.
    case ignoreRange
    /// The same, and so many bytes of it only.
    case cutWhole(Int)
    /// A 206 that is right and ends early.
    case shortPart(Int)
    /// These fields instead of those of the same name; nil removes one.
    case fields([String: String?])
    /// The whole answer in chunks of three bytes. Without a trailer: swift-corelibs-foundation ends the process at one.
    case chunked
    /// Something else altogether.
    case answer(status: Int, fields: [(String, String)], body: String)
    /// These bytes, then the others again and again: until the client goes, or `floodLimit` bytes were sent.
    case flood(String, then: String)
    /// These bytes one by one, each a little after the one before, until the client goes.
    case drip(String)
    /// Nothing at all: the connection ends.
    case hangUp
}

/// The loopback gives no listening socket; the error number.
struct ProxyFailure: Error {
    let code: CInt
}

/// A proxy on the loopback that does to each answer what a test says, and keeps what it saw.
final class FaultyProxy: Sendable {
    struct Request: Sendable {
        var method: String
        var target: String
        var fields: [(String, String)]

        subscript(_ name: String) -> String? { fields.first { $0.0.lowercased() == name }?.1 }
    }

    /// A request and how many bytes of a body were sent in answer.
    struct Exchange: Sendable {
        var request: Request
        var status: Int
        var bodyBytes: Int
    }

    /// More than what the kernel keeps of a connection that nobody reads.
    static let floodLimit = 64 << 20

    let port: UInt16
    private let listener: CInt
    private let upstream: ListenAddress
    private let exchanges = Mutex<[Exchange]>([])
    private let script: Mutex<@Sendable (Request, Int) -> Fault>

    /// - Parameter script: is given a request and how many of the same target came before.
    init(_ host: RunningHost, script: @escaping @Sendable (Request, Int) -> Fault = { _, _ in .none }) throws {
        upstream = host.address
        self.script = Mutex(script)
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else { throw ProxyFailure(code: errno) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                // Closed here, where nobody waits at the number any more: it may be another proxy's the moment after.
                guard client >= 0 else { return _ = close(listener) }
                guard let self else {
                    close(client)
                    continue
                }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    deinit {
        // The thread that accepts gets an error, now or when it is there again.
        shutdown(listener, CInt(SHUT_RDWR))
    }

    func setScript(_ new: @escaping @Sendable (Request, Int) -> Fault) { script.withLock { $0 = new } }

    /// Everything that was asked for, in order.
    var seen: [Exchange] { exchanges.withLock { $0 } }

    /// Requests for files of a release, those for documents left out.
    var files: [Exchange] {
        seen.filter { !$0.request.target.contains("/resolve") && !$0.request.target.hasSuffix("/manifest.json") }
    }

    func forget() { exchanges.withLock { $0 = [] } }

    // MARK: One connection

    private func serve(_ client: CInt) {
        defer { close(client) }
        var bytes: [UInt8] = []
        while let request = readRequest(client, &bytes) {
            let before = exchanges.withLock { all in all.filter { $0.request.target == request.target }.count }
            let fault = script.withLock { $0 }(request, before)
            let index = exchanges.withLock { all in
                all.append(Exchange(request: request, status: 0, bodyBytes: 0))
                return all.count - 1
            }
            guard answer(request, fault, client, index) else { return }
        }
    }

    private func readRequest(_ client: CInt, _ bytes: inout [UInt8]) -> Request? {
        while true {
            if let end = Self.endOfHead(bytes) {
                var lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n").map(String.init)
                bytes.removeFirst(end)
                let first = lines.removeFirst().split(separator: " ").map(String.init)
                let fields = lines.map { line in
                    let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
                    return (parts[0], String(parts[1].drop { $0 == " " }))
                }
                return Request(method: first[0], target: first[1], fields: fields)
            }
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = recv(client, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            bytes += piece[..<count]
        }
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        return bytes.indices.dropLast(3).first { bytes[$0..<($0 + 4)].elementsEqual(mark) }.map { $0 + 4 }
    }

    /// False where the connection is at its end.
    private func answer(_ request: Request, _ fault: Fault, _ client: CInt, _ index: Int) -> Bool {
        if case .hangUp = fault { return false }
        if case .answer(let status, let fields, let body) = fault {
            return send(status, fields + [("Content-Length", "\(body.utf8.count)")], Array(body.utf8), client, index)
        }
        switch fault {
        case .flood(let head, let piece):
            flood(head, piece, client, index)
            return false
        case .drip(let text):
            drip(text, client)
            return false
        default: break
        }
        var fields = request.fields.filter { !["host", "connection"].contains($0.0.lowercased()) }
        var ignoresRange = false
        switch fault {
        case .ignoreRange, .cutWhole: ignoresRange = true
        default: break
        }
        if ignoresRange { fields.removeAll { ["range", "if-range"].contains($0.0.lowercased()) } }
        guard let response = try? RawConnection(to: upstream).request(request.method, request.target, fields) else {
            return false
        }
        var head = response.fields.map { ($0.name, $0.value) }
        var body = response.body
        switch fault {
        case .none, .ignoreRange, .hangUp, .answer, .flood, .drip:
            break
        case .cut(let count), .cutWhole(let count), .reset(let count), .stall(let count):
            guard count < body.count else { break }
            _ = send(response.status, head, Array(body[..<count]), client, index)
            if case .reset = fault {
                var option = linger(l_onoff: 1, l_linger: 0)
                setsockopt(client, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
            }
            if case .stall = fault {
                var octet: UInt8 = 0
                while recv(client, &octet, 1, 0) > 0 {}
            }
            return false
        case .flip(let index):
            if index < body.count { body[index] ^= 0x40 }
        case .flipAfter(let text):
            let mark = Array(text.utf8)
            let found = body.indices.dropLast(mark.count).first { body[$0...].starts(with: mark) }
            if let found { body[found + mark.count] ^= 1 }
        case .shortPart(let count):
            guard response.status == 206, count < body.count, let range = response["content-range"] else { break }
            let first = range.dropFirst("bytes ".count).split(separator: "-")[0]
            let total = range.split(separator: "/")[1]
            body = Array(body[..<count])
            head.removeAll { ["content-range", "content-length"].contains($0.0.lowercased()) }
            head.append(("Content-Range", "bytes \(first)-\((Int(first) ?? 0) + count - 1)/\(total)"))
            head.append(("Content-Length", "\(count)"))
        case .fields(let changes):
            for (name, value) in changes {
                head.removeAll { $0.0.lowercased() == name.lowercased() }
                if let value { head.append((name, value)) }
            }
        case .chunked:
            head.removeAll { $0.0.lowercased() == "content-length" }
            head.append(("Transfer-Encoding", "chunked"))
            var chunks: [UInt8] = []
            for start in stride(from: 0, to: body.count, by: 3) {
                let piece = body[start..<min(start + 3, body.count)]
                chunks += Array("\(piece.count);ext=1\r\n".utf8) + piece + Array("\r\n".utf8)
            }
            body = chunks + Array("0\r\n\r\n".utf8)
        }
        return send(response.status, head, body, client, index)
    }

    private func flood(_ head: String, _ piece: String, _ client: CInt, _ index: Int) {
        let pieces = Array(String(repeating: piece, count: max(1, 65_536 / piece.utf8.count)).utf8)
        var next = Array(head.utf8) + pieces
        var sent = 0
        while sent < Self.floodLimit {
            let count = next.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { break }
            sent += count
            next = count == next.count ? pieces : Array(next[count...])
        }
        exchanges.withLock { all in if all.indices.contains(index) { all[index].bodyBytes = sent } }
    }

    private func drip(_ text: String, _ client: CInt) {
        for byte in text.utf8 {
            var entry = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
            // What the client says next is that it goes.
            guard poll(&entry, 1, 20) == 0 else { return }
            var octet = byte
            guard Glibc.send(client, &octet, 1, CInt(MSG_NOSIGNAL)) == 1 else { return }
        }
    }

    private func send(
        _ status: Int,
        _ fields: [(String, String)],
        _ body: [UInt8],
        _ client: CInt,
        _ index: Int
    ) -> Bool {
        let head = "HTTP/1.1 \(status) X\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
        exchanges.withLock { all in
            guard all.indices.contains(index) else { return }
            all[index].status = status
            all[index].bodyBytes = body.count
        }
        var rest = (Array(head.utf8) + body)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
