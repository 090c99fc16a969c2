/// The UUID that a client made for one download (`AIModel-Download`), as RFC 9562 writes it.
package struct DownloadIdentifier: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    /// - Returns: nil where `text` is not of the form `8-4-4-4-12` hexadecimal digits; their case does not count.
    package init?(_ text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for index in 0..<36 {
            let octet = text[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard octet == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch octet {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = octet - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = octet - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = octet - UInt8(ascii: "A") + 10
            default: return nil
            }
            if digits < 16 { words.0 = words.0 << 4 | UInt64(digit) } else { words.1 = words.1 << 4 | UInt64(digit) }
            digits += 1
        }
        (high, low) = words
    }
}
