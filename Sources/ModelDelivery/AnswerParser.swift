/// The head of an HTTP/1.1 answer, and how its body ends (RFC 9112). Bytes in, values out.
///
/// Strict where leniency would let two parties read one answer differently: what breaks the grammar is no answer.
struct AnswerParser {
    /// How the body ends.
    enum Framing: Hashable {
        case none
        case length(UInt64)
        case chunked
        /// With the connection: only the receiver can know whether that is all of it.
        case close
    }

    struct Answer {
        let head: AnswerHead
        let framing: Framing
        let keepsConnection: Bool
    }

    /// Bytes of a head at most.
    static let headLimit = 64 << 10

    enum Failure: Error { case malformed(String) }

    /// Where the head ends, the empty line included; nil where that has not come yet. What was looked through before
    /// is not looked through again.
    static func endOfHead(_ bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in max(0, start - 3)...bytes.count - 4
        where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10 {
            return index + 4
        }
        return nil
    }

    /// - Parameter head: up to and with the empty line.
    static func parse(_ head: UnsafeRawBufferPointer, method: String) throws(Failure) -> Answer {
        var fields: [(name: String, value: String)] = []
        var status = 0
        var minor: UInt8 = 0
        var start = 0
        while start < head.count {
            var end = start
            while head[end] != 13 { end += 1 }
            guard head[end + 1] == 10 else { throw .malformed("a carriage return in the midst of a line") }
            let line = UnsafeRawBufferPointer(rebasing: head[start..<end])
            if start == 0 {
                (status, minor) = try statusLine(line)
            } else if !line.isEmpty {
                fields.append(try field(line))
            }
            start = end + 2
        }
        let answer = AnswerHead(status: status, fields: fields)
        let framing = try framing(answer, method: method)
        let options = answer["connection"]?.lowercased() ?? ""
        let keeps = minor >= 1 && !options.contains("close") && framing != .close
        return Answer(head: answer, framing: framing, keepsConnection: keeps)
    }

    /// `HTTP/1.x SP 3DIGIT SP reason` (section 4); a reason may be missing, and some leave its space out too.
    private static func statusLine(_ line: UnsafeRawBufferPointer) throws(Failure) -> (Int, UInt8) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard line.count >= 12, line.starts(with: "HTTP/1.".utf8), digits.contains(line[7]), line[8] == 0x20,
            line[9...11].allSatisfy(digits.contains), line.count == 12 || line[12] == 0x20
        else { throw .malformed("no status line of HTTP/1") }
        let status = line[9...11].reduce(0) { $0 * 10 + Int($1 - digits.lowerBound) }
        guard status >= 100 else { throw .malformed("a status below 100") }
        return (status, line[7] - digits.lowerBound)
    }

    /// `name ":" OWS value OWS` (section 5). A folded line begins with a space, which no name has.
    private static func field(_ line: UnsafeRawBufferPointer) throws(Failure) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, line[..<colon].allSatisfy(isToken) else {
            throw .malformed("a line that is no field")
        }
        var value = line[(colon + 1)...]
        while let first = value.first, first == 0x20 || first == 9 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 9 { value = value.dropLast() }
        guard value.allSatisfy({ $0 >= 0x20 || $0 == 9 }) else { throw .malformed("a control character in a field") }
        return (String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// RFC 9112, section 6.3, in its order.
    private static func framing(_ head: AnswerHead, method: String) throws(Failure) -> Framing {
        if method == "HEAD" || head.status < 200 || head.status == 204 || head.status == 304 { return .none }
        if let codings = head["transfer-encoding"] {
            guard codings.lowercased() == "chunked", head["content-length"] == nil else {
                throw .malformed("Transfer-Encoding \(codings), alone or beside a Content-Length")
            }
            return .chunked
        }
        guard let text = head["content-length"] else { return .close }
        let values = Set(text.split(separator: ",").map { $0.drop { $0 == " " } })
        guard values.count == 1, let value = values.first, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = UInt64(value)
        else { throw .malformed("Content-Length \(text)") }
        return .length(length)
    }
}

/// The chunked coding taken apart (RFC 9112, section 7.1): bytes in, the body's pieces out.
struct ChunkedBody {
    private enum State {
        /// In the line of a size, with what it says so far; nil before its first digit.
        case size(UInt64?)
        case sizeExtension(UInt64)
        case sizeEnd(UInt64)
        case data(UInt64)
        case dataReturn
        case dataEnd
        /// In the trailer, with the length of the line so far.
        case trailer(Int)
        case trailerEnd(Int)
        case finished
    }

    private var state = State.size(nil)
    private var lineLength = 0

    var isFinished: Bool { if case .finished = state { true } else { false } }

    /// Takes bytes up to the end of the body.
    ///
    /// - Parameter deliver: is given each piece of the body.
    /// - Returns: how many bytes belong to it.
    mutating func take(
        _ bytes: UnsafeRawBufferPointer,
        deliver: (UnsafeRawBufferPointer) throws(DeliveryError) -> Void
    ) throws(DeliveryError) -> Int {
        var index = 0
        while index < bytes.count, !isFinished {
            if case .data(let left) = state {
                let count = Int(min(left, UInt64(bytes.count - index)))
                try deliver(UnsafeRawBufferPointer(rebasing: bytes[index..<(index + count)]))
                index += count
                state = left == UInt64(count) ? .dataReturn : .data(left - UInt64(count))
                continue
            }
            guard step(bytes[index]) else { throw .network(NetworkFailure(.malformedAnswer, "a chunk that is none")) }
            index += 1
        }
        return index
    }

    /// One byte outside of the data; false where it breaks the grammar.
    private mutating func step(_ byte: UInt8) -> Bool {
        lineLength += 1
        guard lineLength <= 8192 else { return false }
        switch state {
        case .size(let size):
            if let digit = Self.hexDigit(byte) {
                guard (size ?? 0) <= UInt64.max >> 4 else { return false }
                state = .size((size ?? 0) << 4 | digit)
                return true
            }
            guard let size else { return false }
            state = byte == 13 ? .sizeEnd(size) : .sizeExtension(size)
            return byte == 13 || byte == UInt8(ascii: ";") || byte == 0x20 || byte == 9
        case .sizeExtension(let size):
            if byte == 13 { state = .sizeEnd(size) }
            return byte != 10
        case .sizeEnd(let size):
            lineLength = 0
            state = size == 0 ? .trailer(0) : .data(size)
            return byte == 10
        case .dataReturn:
            state = .dataEnd
            return byte == 13
        case .dataEnd:
            lineLength = 0
            state = .size(nil)
            return byte == 10
        case .trailer(let length):
            state = byte == 13 ? .trailerEnd(length) : .trailer(length + 1)
            return byte != 10
        case .trailerEnd(let length):
            state = length == 0 ? .finished : .trailer(0)
            return byte == 10
        case .data, .finished:
            return false
        }
    }

    private static func hexDigit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
