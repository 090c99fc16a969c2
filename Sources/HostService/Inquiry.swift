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

/// A request that is not on the steady path, as values that may go to another thread.
struct Inquiry: Sendable {
    let path: RequestPath
    let query: QueryParameters
    /// The query as sent, without its question mark.
    let rawQuery: String?
    /// Whether a listing should be a page for people.
    let prefersHTML: Bool
    /// What the device calls itself: the AIModel-Device field, else the `device` parameter.
    let device: String?
    /// The `device` parameter, where it counts and is no text.
    let malformedDevice: MalformedParameter?
    /// Octets of a text that a device says of itself; the rest is cut off.
    private static let textLimit = 256

    /// The path as sent, for a problem's `instance`.
    var instance: String { ProblemDetails.instance(path.raw.span) }

    init(_ head: RequestHead, _ bytes: Span<UInt8>) throws(RequestPath.Failure) {
        path = try RequestPath(bytes.extracting(head.path))
        if let range = head.query {
            query = QueryParameters(bytes.extracting(range))
            rawQuery = Self.text(bytes.extracting(range), limit: .max)
        } else {
            query = QueryParameters()
            rawQuery = nil
        }
        prefersHTML = MediaPreference.prefersHTML(head, bytes, default: path.isFolder)
        if let range = head.first(.aiModelDevice), !range.isEmpty {
            device = Self.text(bytes.extracting(range), limit: Self.textLimit)
            malformedDevice = nil
            return
        }
        do throws(MalformedParameter) {
            device = try query.value("device").map { Self.cut($0) }
            malformedDevice = nil
        } catch {
            device = nil
            malformedDevice = error
        }
    }

    /// A text that a device says of itself, cut at 256 octets.
    static func cut(_ text: String) -> String {
        Self.text(text.utf8Span.span, limit: textLimit)
    }

    /// Octets as text, cut at `limit` octets without breaking a character.
    private static func text(_ octets: Span<UInt8>, limit: Int) -> String {
        var end = min(octets.count, limit)
        while end > 0, end < octets.count, octets[end] & 0xc0 == 0x80 { end -= 1 }
        var copy: [UInt8] = []
        copy.reserveCapacity(end)
        for index in 0..<end { copy.append(octets[index]) }
        return String(decoding: copy, as: UTF8.self)
    }
}
