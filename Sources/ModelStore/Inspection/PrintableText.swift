/// Names as they may be shown: what a build left may hold octets that are no text, move a terminal's cursor, or make
/// text run the other way.
enum PrintableText {
    /// UTF-8 as it is, but for octets that are none (`\xFF`) and characters that do not print (`\u{1B}`).
    static func of(_ octets: some Collection<UInt8>) -> String {
        var text = ""
        var rest = Array(octets)[...]
        while let first = rest.first {
            let length = sequenceLength(of: first)
            if let piece = String(validating: rest.prefix(length), as: UTF8.self),
                let scalar = piece.unicodeScalars.first
            {
                text += prints(scalar) ? piece : "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
                rest = rest.dropFirst(length)
            } else {
                text += "\\x" + (first < 16 ? "0" : "") + String(first, radix: 16, uppercase: true)
                rest = rest.dropFirst()
            }
        }
        return text
    }

    static func of(_ text: String) -> String { of(text.utf8) }

    /// RFC 3629, section 3; 1 for an octet that begins nothing.
    private static func sequenceLength(of first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    private static func prints(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
