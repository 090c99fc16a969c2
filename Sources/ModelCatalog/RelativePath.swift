/// The path of a file below an asset or a release, safe to open beneath a folder.
///
/// No empty, `.` or `..` segment (hence no leading, trailing or doubled `/`), no control character (C0, DEL, C1),
/// 1 to 255 bytes a segment, 4,096 in all. The bytes stay as they are: "é" composed and decomposed are two paths.
package struct RelativePath: Hashable, Comparable, CustomStringConvertible, Sendable {
    package let text: String

    package static let maximumBytes = 4096
    package static let maximumSegmentBytes = 255

    /// - Returns: nil where `text` is not safe.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        // By bytes: a "/" followed by a combining mark is one Character that is not "/", and still a separator on disk.
        let parts = text[...].utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.allSatisfy(Self.isSafe(utf8:)) else { return nil }
        self.text = text
    }

    /// The names between the slashes, outermost first; never empty.
    package var segments: [Substring] {
        text[...].utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }

    /// The outermost name.
    package var top: Substring { Substring(text[...].utf8.prefix { $0 != UInt8(ascii: "/") }) }

    package var description: String { text }

    static func isSafe(segment: String) -> Bool {
        !segment.utf8.contains(UInt8(ascii: "/")) && isSafe(utf8: segment[...].utf8)
    }

    private static func isSafe(utf8 segment: Substring.UTF8View) -> Bool {
        guard !segment.isEmpty, segment.count <= maximumSegmentBytes else { return false }
        if segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) { return false }
        var previous: UInt8 = 0
        for byte in segment {
            // C1 controls (U+0080 to U+009F) are C2 80 to C2 9F in UTF-8.
            if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return false }
            previous = byte
        }
        return true
    }

    package static func == (left: RelativePath, right: RelativePath) -> Bool { sameBytes(left.text, right.text) }

    package static func < (left: RelativePath, right: RelativePath) -> Bool { precedesByBytes(left.text, right.text) }

    // Equal bytes are equal strings, so the string's own hash serves.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
