/// A multipart/byteranges body, taken apart strictly (RFC 9110 14.6, RFC 2046 5.1.1).
struct Multipart {
    struct Part {
        /// In order, as sent.
        let fields: [String]
        let body: ArraySlice<UInt8>
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    let boundary: String
    let parts: [Part]

    /// - Parameter lengths: the octets of each part's body; the grammar alone does not say where one ends that holds
    ///   anything at all.
    init(_ body: [UInt8], contentType: String, lengths: [Int]) throws {
        let prefix = "multipart/byteranges; boundary="
        guard contentType.hasPrefix(prefix) else { throw Malformed(description: "Content-Type: \(contentType)") }
        boundary = String(contentType.dropFirst(prefix.count))
        let characters = boundary.utf8.allSatisfy {
            ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || (0x30...0x39).contains($0)
        }
        guard (1...70).contains(boundary.utf8.count), characters else {
            throw Malformed(description: "a boundary that needs quotes: \(boundary)")
        }

        var rest = body[...]
        var parts: [Part] = []
        for (index, length) in lengths.enumerated() {
            try Self.take((index == 0 ? "" : "\r\n") + "--\(boundary)\r\n", from: &rest)
            var fields: [String] = []
            while let line = try Self.line(&rest) { fields.append(line) }
            guard rest.count >= length else { throw Malformed(description: "part \(index) ends early") }
            parts.append(Part(fields: fields, body: rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        try Self.take("\r\n--\(boundary)--\r\n", from: &rest)
        guard rest.isEmpty else { throw Malformed(description: "\(rest.count) octets after the end") }
        self.parts = parts
    }

    private static func take(_ text: String, from rest: inout ArraySlice<UInt8>) throws {
        guard rest.starts(with: text.utf8) else {
            throw Malformed(
                description: "not \(text.debugDescription): \(String(decoding: rest.prefix(80), as: UTF8.self))"
            )
        }
        rest = rest.dropFirst(text.utf8.count)
    }

    /// The line that `rest` begins with; nil for the empty one.
    private static func line(_ rest: inout ArraySlice<UInt8>) throws -> String? {
        guard let end = rest.firstIndex(of: 13), rest.index(after: end) < rest.endIndex, rest[end + 1] == 10 else {
            throw Malformed(description: "a head without an end")
        }
        defer { rest = rest[(end + 2)...] }
        return end == rest.startIndex ? nil : String(decoding: rest[..<end], as: UTF8.self)
    }
}
