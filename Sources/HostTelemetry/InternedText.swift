/// A short text of a client's, such as its User-Agent: one object for all requests that carry the same octets.
package final class InternedText: Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

/// The texts that one loop has seen lately. Used on that loop's thread only.
struct TextTable: ~Copyable {
    /// Octets of a text that are kept.
    static let maximumOctets = 256

    private struct Entry {
        let octets: [UInt8]
        let text: InternedText
    }

    private let limit: Int
    private let hash = SipHash()
    private var entries: [UInt64: Entry] = [:]
    /// The one asked for last: most requests in a row come from clients of a kind.
    private var last: Entry?

    /// Holds at most `limit` texts.
    init(limit: Int) {
        self.limit = limit
        entries.reserveCapacity(limit)
    }

    var count: Int { entries.count }

    /// The one object for these octets; it is made when they are new. A text that is there costs no allocation.
    mutating func intern(_ octets: Span<UInt8>) -> InternedText {
        let octets = octets.extracting(first: Swift.min(octets.count, Self.maximumOctets))
        if let last, octets.equals(last.octets) { return last.text }
        let key = hash(octets)
        if let entry = entries[key], octets.equals(entry.octets) {
            last = entry
            return entry.text
        }
        // A client that sends a new text with each request costs these tables' memory and no more. Those in use come
        // back at their next request.
        if entries.count >= limit { entries.removeAll(keepingCapacity: true) }
        let copy = octets.copied()
        let text = InternedText(StoredText.clean(copy))
        let entry = Entry(octets: copy, text: text)
        entries[key] = entry
        last = entry
        return text
    }
}

/// Texts as they are stored: valid UTF-8, no control characters, of bounded length.
enum StoredText {
    /// A text of at most `limit` octets; what is no UTF-8 and what is a control character becomes U+FFFD.
    ///
    /// A NUL would end the text for half of SQLite's functions, and an escape sequence would steer the terminal of
    /// whoever reads the ledger there.
    static func clean(_ octets: [UInt8], limit: Int = TextTable.maximumOctets) -> String {
        var octets = octets[...]
        if octets.count > limit { octets = octets.prefix(limit) }
        // A character that the cut went through is left out.
        var last = octets.endIndex
        var steps = 0
        while last > octets.startIndex, steps < 4 {
            last -= 1
            steps += 1
            if octets[last] & 0xC0 != 0x80 { break }
        }
        if last < octets.endIndex {
            let needed = octets[last] >= 0xF0 ? 4 : octets[last] >= 0xE0 ? 3 : octets[last] >= 0xC0 ? 2 : 1
            if needed > octets.endIndex - last { octets = octets[..<last] }
        }
        let text = String(decoding: octets, as: UTF8.self)
        if text.unicodeScalars.allSatisfy({ !isControl($0) }) { return text }
        var cleaned = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { cleaned.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
        return String(cleaned)
    }

    static func clean(_ text: String, limit: Int = TextTable.maximumOctets) -> String {
        let isPlain = text.utf8.count <= limit && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        return isPlain ? text : clean(Array(text.utf8), limit: limit)
    }

    static func clean(_ text: String?) -> String? { text.map { clean($0) } }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}

extension Span<UInt8> {
    fileprivate func equals(_ other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }

    fileprivate func copied() -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(count)
        for index in 0..<count { copy.append(self[index]) }
        return copy
    }
}
