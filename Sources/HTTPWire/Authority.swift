/// `uri-host [ ":" port ]` of the Host field and of targets (RFC 9110, section 7.2; RFC 3986, section 3.2).
enum Authority {
    /// True if `range` is a host that is not empty, with a port if one is required. User information is not allowed.
    static func isValid(_ octets: Span<UInt8>, _ range: Range<Int>, portRequired: Bool) -> Bool {
        guard !range.isEmpty else { return false }
        let hostEnd: Int
        if octets[range.lowerBound] == UInt8(ascii: "[") {
            let bracket = Octets.position(of: UInt8(ascii: "]"), in: octets, range)
            guard bracket < range.upperBound else { return false }
            let literal = (range.lowerBound &+ 1)..<bracket
            guard isIPv6(octets, literal) || isIPvFuture(octets, literal) else { return false }
            hostEnd = bracket &+ 1
        } else {
            hostEnd = Octets.position(of: UInt8(ascii: ":"), in: octets, range)
            guard isRegisteredName(octets, range.lowerBound..<hostEnd) else { return false }
        }
        guard hostEnd < range.upperBound else { return !portRequired }
        // port = *DIGIT: `host:` is a port left out.
        guard octets[hostEnd] == UInt8(ascii: ":") else { return false }
        for index in (hostEnd &+ 1)..<range.upperBound where !Octets.isDigit(octets[index]) { return false }
        return !portRequired || hostEnd &+ 1 < range.upperBound
    }

    /// `reg-name` and dotted IPv4, which is one. No comma: it is a list's, and two hosts in one field are an attack.
    private static func isRegisteredName(_ octets: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        while index < range.upperBound {
            if octets[index] == UInt8(ascii: "%") {
                guard range.upperBound &- index > 2, Octets.hexValue(octets[index &+ 1]) != nil,
                    Octets.hexValue(octets[index &+ 2]) != nil
                else { return false }
                index &+= 3
            } else {
                guard OctetSet.hostName.contains(octets[index]) else { return false }
                index &+= 1
            }
        }
        return !range.isEmpty
    }

    /// `IPv6address`: eight groups of hexadecimal digits, one run of them as `::`, the last two perhaps dotted.
    private static func isIPv6(_ octets: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var groups = 0
        var hasGap = false
        var index = range.lowerBound
        while index < range.upperBound {
            if octets[index] == UInt8(ascii: ":") {
                // Between groups one colon, which the group's end took; here stands the second one of `::`.
                let isSecond = index > range.lowerBound
                let next = isSecond ? index : index &+ 1
                guard !hasGap, next < range.upperBound, octets[next] == UInt8(ascii: ":") else { return false }
                hasGap = true
                index = next &+ 1
                continue
            }
            var end = index
            while end < range.upperBound, end &- index < 4, Octets.hexValue(octets[end]) != nil { end &+= 1 }
            if end < range.upperBound, octets[end] == UInt8(ascii: ".") {
                guard isIPv4(octets, index..<range.upperBound) else { return false }
                groups &+= 2
                break
            }
            guard end > index else { return false }
            groups &+= 1
            index = end
            guard index < range.upperBound else { break }
            guard octets[index] == UInt8(ascii: ":"), index &+ 1 < range.upperBound else { return false }
            index &+= 1
        }
        return hasGap ? groups < 8 : groups == 8
    }

    /// `IPv4address`: four numbers from 0 to 255, without leading zeros.
    private static func isIPv4(_ octets: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var numbers = 0
        var index = range.lowerBound
        while true {
            var value = 0
            let start = index
            while index < range.upperBound, Octets.isDigit(octets[index]), index &- start < 3 {
                value = value &* 10 &+ Int(octets[index] &- 0x30)
                index &+= 1
            }
            guard index > start, value < 256, index &- start == 1 || octets[start] != UInt8(ascii: "0") else {
                return false
            }
            numbers &+= 1
            guard index < range.upperBound else { return numbers == 4 }
            guard numbers < 4, octets[index] == UInt8(ascii: ".") else { return false }
            index &+= 1
        }
    }

    /// `IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`.
    private static func isIPvFuture(_ octets: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count > 3, octets[range.lowerBound] | 0x20 == UInt8(ascii: "v") else { return false }
        let dot = Octets.position(of: UInt8(ascii: "."), in: octets, range)
        guard dot > range.lowerBound &+ 1, dot &+ 1 < range.upperBound else { return false }
        for index in (range.lowerBound &+ 1)..<dot where Octets.hexValue(octets[index]) == nil { return false }
        for index in (dot &+ 1)..<range.upperBound {
            guard OctetSet.hostName.contains(octets[index]) || octets[index] == UInt8(ascii: ":") else { return false }
        }
        return true
    }
}
