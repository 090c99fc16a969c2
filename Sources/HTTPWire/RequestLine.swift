/// `request-line = method SP request-target SP HTTP-version` (RFC 9112, section 3), with single spaces.
extension RequestHead {
    /// Reads the request line at `line`; nil if it is good.
    mutating func readRequestLine(_ bytes: Span<UInt8>, _ line: Range<Int>, limits: RequestLimits) -> Refusal? {
        let methodEnd = Octets.position(of: Octets.space, in: bytes, line)
        guard methodEnd < line.upperBound, Octets.isToken(bytes, line.lowerBound..<methodEnd) else {
            return .badRequest(.invalidRequestLine)
        }
        method = Method(token: bytes.extracting(line.lowerBound..<methodEnd))

        let targetStart = methodEnd &+ 1
        let targetEnd = Octets.position(of: Octets.space, in: bytes, targetStart..<line.upperBound)
        if targetEnd &- targetStart > limits.target { return .uriTooLong }
        // Lenient splitting on any white space (section 3, last paragraph) is what request smuggling lives on.
        guard targetEnd > targetStart, targetEnd < line.upperBound else { return .badRequest(.invalidRequestLine) }

        // The version comes before the target's form: `PRI * HTTP/2.0` is to hear about versions.
        if let refusal = readVersion(bytes, (targetEnd &+ 1)..<line.upperBound) { return refusal }
        return readTarget(bytes, targetStart..<targetEnd) ? nil : .badRequest(.invalidTarget)
    }

    /// `HTTP-version = "HTTP" "/" DIGIT "." DIGIT`, case-sensitive (RFC 9112, section 2.3).
    private mutating func readVersion(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Refusal? {
        let version = bytes.extracting(range)
        if Octets.position(of: Octets.space, in: version, 0..<version.count) < version.count {
            return .badRequest(.invalidRequestLine)
        }
        guard version.count == 8, Octets.equal(version.extracting(0..<5), "HTTP/"),
            Octets.isDigit(version[5]), version[6] == UInt8(ascii: "."), Octets.isDigit(version[7])
        else { return .badRequest(.invalidVersion) }
        guard version[5] == UInt8(ascii: "1") else { return .versionNotSupported }
        minorVersion = version[7] == UInt8(ascii: "0") ? 0 : 1
        return nil
    }

    /// Reads the target in whichever form the method allows (RFC 9112, section 3.2).
    private mutating func readTarget(_ bytes: Span<UInt8>, _ target: Range<Int>) -> Bool {
        for index in target {
            let octet = bytes[index]
            // A URI is printable ASCII, and what a client asks for has no fragment (RFC 9110, section 7.1).
            guard octet > Octets.space, octet < 0x7F, octet != UInt8(ascii: "#") else { return false }
        }
        if method == .connect {
            form = .authority
            authority = target
            path = target.upperBound..<target.upperBound
            return Authority.isValid(bytes, target, portRequired: true)
        }
        if bytes[target.lowerBound] == UInt8(ascii: "/") {
            form = .origin
            splitPath(bytes, target)
            return true
        }
        if target.count == 1, bytes[target.lowerBound] == UInt8(ascii: "*") {
            form = .asterisk
            path = target.upperBound..<target.upperBound
            return method == .options
        }
        return readAbsolute(bytes, target)
    }

    /// `http://authority/path?query`. A server must take this form from anybody (RFC 9112, section 3.2.2).
    private mutating func readAbsolute(_ bytes: Span<UInt8>, _ target: Range<Int>) -> Bool {
        let colon = Octets.position(of: UInt8(ascii: ":"), in: bytes, target)
        let scheme = bytes.extracting(target.lowerBound..<colon)
        let start = colon &+ 3
        guard Octets.equalIgnoringCase(scheme, "http") || Octets.equalIgnoringCase(scheme, "https"),
            start <= target.upperBound, Octets.equal(bytes.extracting(colon..<start), "://")
        else { return false }
        var end = start
        while end < target.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end &+= 1 }
        form = .absolute
        authority = start..<end
        splitPath(bytes, end..<target.upperBound)
        // User information is no part of a host and so refused, as RFC 9110, section 4.2.4 recommends.
        return Authority.isValid(bytes, start..<end, portRequired: false)
    }

    private mutating func splitPath(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let mark = Octets.position(of: UInt8(ascii: "?"), in: bytes, range)
        path = range.lowerBound..<mark
        query = mark < range.upperBound ? (mark &+ 1)..<range.upperBound : nil
    }
}
