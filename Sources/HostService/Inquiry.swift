internal import HTTPWire

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
