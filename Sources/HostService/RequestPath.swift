internal import HTTPWire

/// A request's path, split into segments and decoded once (RFC 3986 2.4).
struct RequestPath: Sendable {
    enum Failure: Error, Equatable {
        /// A percent sign without two hexadecimal digits, or an encoded control octet.
        case malformed
        /// A segment that no published name can have: empty, `.` or `..`, an encoded slash, or not UTF-8.
        case unpublishable
    }

    /// Decoded; none is empty.
    let segments: [String]
    /// The path ends in a slash: a folder is meant.
    let isFolder: Bool
    /// As sent.
    let raw: [UInt8]
    /// Where each segment begins in `raw`.
    private let starts: [Int]

    init(_ raw: Span<UInt8>) throws(Failure) {
        var copy: [UInt8] = []
        copy.reserveCapacity(raw.count)
        for index in raw.indices { copy.append(raw[index]) }
        self.raw = copy

        var segments: [String] = []
        var starts: [Int] = []
        var decoded: [UInt8] = []
        var isFolder = false
        var position = raw.isEmpty ? 0 : 1
        while position < raw.count {
            var end = position
            while end < raw.count, raw[end] != UInt8(ascii: "/") { end += 1 }
            decoded.removeAll(keepingCapacity: true)
            guard PercentDecoding.decode(raw.extracting(position..<end), into: &decoded) else { throw .malformed }
            guard !decoded.isEmpty, !decoded.contains(UInt8(ascii: "/")), decoded != [46], decoded != [46, 46],
                let text = String(validating: decoded, as: UTF8.self)
            else { throw .unpublishable }
            segments.append(text)
            starts.append(position)
            if end == raw.count - 1 { isFolder = true }
            position = end + 1
        }
        self.segments = segments
        self.starts = starts
        self.isFolder = isFolder
    }

    /// What was sent after the segment at `index`, its slash included; empty after the last.
    func rawTail(after index: Int) -> String {
        guard index + 1 < starts.count else { return isFolder ? "/" : "" }
        return String(decoding: raw[(starts[index + 1] - 1)...], as: UTF8.self)
    }
}
