/// Percent-encoding (RFC 3986, section 2.1), undone strictly and once.
package enum PercentDecoding {
    /// Appends the decoded segment to `output`.
    ///
    /// False when a `%` is not followed by two hexadecimal digits, or a decoded octet is a control octet (00-1F,
    /// 7F); `output` then holds a part of the segment.
    package static func decode(_ segment: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        var index = 0
        while index < segment.count {
            var octet = segment[index]
            index &+= 1
            if octet == UInt8(ascii: "%") {
                guard segment.count &- index >= 2,
                    let high = Octets.hexValue(segment[index]),
                    let low = Octets.hexValue(segment[index &+ 1])
                else { return false }
                octet = high << 4 | low
                index &+= 2
            }
            guard octet >= 0x20, octet != 0x7F else { return false }
            output.append(octet)
        }
        return true
    }

    /// A path for a URL: unreserved characters and `/` stay, every other octet becomes `%HH`.
    ///
    /// `+` is among the others: some clients take it for a space, and nobody takes `%2B` for one.
    package static func encode(path: some Sequence<UInt8>) -> String {
        var text = ""
        for octet in path {
            if OctetSet.unreserved.contains(octet) || octet == UInt8(ascii: "/") {
                text.unicodeScalars.append(Unicode.Scalar(octet))
            } else {
                appendEncoded(octet, to: &text)
            }
        }
        return text
    }

    /// Appends `%HH`, in upper case as RFC 3986, section 2.1 asks.
    static func appendEncoded(_ octet: UInt8, to text: inout String) {
        text.unicodeScalars.append("%")
        for digit in [octet >> 4, octet & 15] {
            text.unicodeScalars.append(Unicode.Scalar(digit < 10 ? 0x30 + digit : 0x37 + digit))
        }
    }
}
