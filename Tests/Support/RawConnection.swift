internal import Glibc
package import HostTransport

/// A client's connection that sends exactly what a test says and gives back exactly what came.
///
/// Every wait has a deadline; a test that would hang fails instead. Used by one thread.
package final class RawConnection {
    /// What a server has sent, taken apart.
    package struct Response: Sendable {
        package let status: Int
        package let reason: String
        /// In order, names as sent.
        package let fields: [(name: String, value: String)]
        package let body: [UInt8]

        /// The values of a field, joined as RFC 9110 5.3 has it; nil if there is none.
        package subscript(_ name: String) -> String? {
            let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Not for programs that other tests start: a connection of which they have a copy does not end with its owner.
    private static let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    private let socket: CInt
    private var isOpen = true
    private var buffer: [UInt8] = []
    private let patience: Int

    /// - Parameters:
    ///   - patience: seconds that one wait may take.
    ///   - receiveBuffer: octets of the kernel's receive buffer, for a peer that takes little.
    package init(to address: ListenAddress, patience: Int = 60, receiveBuffer: Int? = nil) throws {
        self.patience = patience
        let made: CInt
        switch address {
        case .unix(let path):
            made = Glibc.socket(AF_UNIX, Self.type, 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { room in
                for (index, octet) in path.utf8.enumerated() where index < room.count - 1 { room[index] = octet }
            }
            socket = made
            try withUnsafePointer(to: &name) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    try Self.connect(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        case .internet(let host, let port) where host.contains(":"):
            made = Glibc.socket(AF_INET6, Self.type, 0)
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &name.sin6_addr)
            socket = made
            try withUnsafePointer(to: &name) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    try Self.connect(made, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        case .internet(let host, let port):
            made = Glibc.socket(AF_INET, Self.type, 0)
            var size = CInt(receiveBuffer ?? 0)
            if size > 0 { setsockopt(made, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size)) }
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &name.sin_addr)
            socket = made
            try withUnsafePointer(to: &name) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    try Self.connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var time = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        if case .internet = address {
            var one: CInt = 1
            setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        }
    }

    deinit { close() }

    /// A new connection that has been answered once. From then on a request's deadline begins with its first octet;
    /// before, with the connection, so that one in which a busy machine says nothing for a while is ended.
    package static func answeredOnce(by address: ListenAddress) throws -> RawConnection {
        var answered: RawConnection?
        _ = try eventually {
            let connection = try RawConnection(to: address)
            if (try? connection.request("GET", "/healthz"))?.status == 200 { answered = connection }
            return answered != nil
        }
        guard let answered else { throw Failure(description: "no connection to \(address) is answered") }
        return answered
    }

    private static func connect(_ socket: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) throws {
        guard Glibc.connect(socket, address, length) == 0 else {
            // The socket is deinit's to close: an initializer that throws with every property set comes to it as well.
            // Closed here too, its number could be another thread's by then.
            let error = String(cString: strerror(errno))
            throw Failure(description: "cannot connect: \(error)")
        }
    }

    // MARK: Sending

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure(description: "cannot send: \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends, and returns when the peer's kernel has it all: what is sent on another connection from now on comes later.
    /// Without this a busy machine may turn the order round. Not for more than the peer's kernel takes unread.
    package func deliver(_ text: String) throws {
        try send(text)
        var unacknowledged: CInt = 0
        let isThere = eventually { ioctl(socket, UInt(TIOCOUTQ), &unacknowledged) == 0 && unacknowledged == 0 }
        if !isThere { throw Failure(description: "\(unacknowledged) octets do not arrive") }
    }

    /// Ends the sending side; answers can still be read.
    package func finishSending() { shutdown(socket, CInt(SHUT_WR)) }

    package func close() {
        guard isOpen else { return }
        isOpen = false
        Glibc.close(socket)
    }

    /// Ends the connection with a reset instead of an orderly close.
    package func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    // MARK: Receiving

    /// One answer to a request of `method`; interim answers (1xx) are returned as answers too.
    package func response(to method: String = "GET") throws -> Response {
        while true {
            if let end = endOfHead() {
                return try body(of: try head(until: end), after: end, method)
            }
            guard try receive() else {
                throw Failure(description: "closed after \(buffer.count) octets of a head: \(preview)")
            }
        }
    }

    /// Sends one request and returns its answer.
    package func request(
        _ method: String = "GET",
        _ target: String,
        _ fields: [(String, String)] = [],
        host: String? = "localhost",
        version: String = "1.1"
    ) throws -> Response {
        var text = "\(method) \(target) HTTP/\(version)\r\n"
        if let host { text += "Host: \(host)\r\n" }
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        try send(text + "\r\n")
        return try response(to: method)
    }

    /// Everything until the peer closes; a reset ends it too.
    package func readToEnd() throws -> [UInt8] {
        while true {
            do {
                guard try receive() else { break }
            } catch let failure as Failure where failure.description.contains("reset") {
                break
            }
        }
        defer { buffer = [] }
        return buffer
    }

    /// Reads at least `count` octets and gives them back without taking an answer apart.
    package func read(atLeast count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try receive() else { break }
        }
        defer { buffer = [] }
        return buffer
    }

    /// Whether the peer closes, with nothing more to read, within the patience.
    package func isClosedByPeer() -> Bool {
        guard buffer.isEmpty else { return false }
        do {
            return try !receive()
        } catch let failure as Failure {
            return failure.description.contains("reset")
        } catch {
            return false
        }
    }

    /// Whether octets or an end arrive within `milliseconds`.
    package func hasNews(within milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, milliseconds) > 0
    }

    /// False at the peer's end.
    private func receive() throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = piece.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
        if count > 0 {
            buffer += piece[..<count]
            return true
        }
        if count == 0 { return false }
        if errno == EAGAIN { throw Failure(description: "nothing came for \(patience) s after: \(preview)") }
        throw Failure(description: errno == ECONNRESET ? "reset by the peer" : String(cString: strerror(errno)))
    }

    private var preview: String { String(decoding: buffer.prefix(200), as: UTF8.self) }

    private func endOfHead() -> Int? {
        guard buffer.count >= 4 else { return nil }
        for index in 0...buffer.count - 4 where buffer[index] == 13 {
            if buffer[index + 1] == 10, buffer[index + 2] == 13, buffer[index + 3] == 10 { return index + 4 }
        }
        return nil
    }

    private func head(until end: Int) throws -> (status: Int, reason: String, fields: [(name: String, value: String)]) {
        let lines = String(decoding: buffer[..<(end - 4)], as: UTF8.self).components(separatedByCRLF: ())
        let first = lines[0].split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard first.count == 3, first[0] == "HTTP/1.1", first[1].count == 3, let status = Int(first[1]) else {
            throw Failure(description: "no status line: \(lines[0])")
        }
        let fields = try lines.dropFirst().map { line in
            guard let colon = line.firstIndex(of: ":") else { throw Failure(description: "no field line: \(line)") }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (name: String(line[..<colon]), value: String(value))
        }
        return (status, String(first[2]), fields)
    }

    private func body(
        of head: (status: Int, reason: String, fields: [(name: String, value: String)]),
        after end: Int,
        _ method: String
    ) throws -> Response {
        let lengths = head.fields.filter { $0.name.lowercased() == "content-length" }.map(\.value)
        let hasBody = method != "HEAD" && head.status >= 200 && head.status != 204 && head.status != 304
        var length = 0
        if hasBody {
            guard lengths.count == 1, let value = Int(lengths[0]) else {
                throw Failure(description: "an answer with a body needs one Content-Length: \(lengths)")
            }
            length = value
        }
        while buffer.count < end + length {
            guard try receive() else {
                throw Failure(description: "closed after \(buffer.count - end) of \(length) octets of a body")
            }
        }
        let body = Array(buffer[end..<(end + length)])
        buffer.removeFirst(end + length)
        return Response(status: head.status, reason: head.reason, fields: head.fields, body: body)
    }
}

extension String {
    /// Split at CRLF. Swift counts "\r\n" as one character.
    fileprivate func components(separatedByCRLF: Void) -> [String] {
        split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    }
}
