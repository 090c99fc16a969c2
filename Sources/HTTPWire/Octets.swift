/// A set of ASCII octets as two words: a constant of the code, no table to fill at start.
struct OctetSet {
    private let low: UInt64
    private let high: UInt64

    /// The set with bit n of `low` for octet n and bit n of `high` for octet 64 + n. Octets from 0x80 are never members.
    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    func contains(_ octet: UInt8) -> Bool {
        // A shift by 64 or more yields 0, so that octets beyond a word fall out by themselves.
        (low >> UInt64(octet) | (octet < 64 ? 0 : high >> UInt64(octet &- 64))) & 1 == 1
    }

    // Letters and digits: 0x30...0x39, 0x41...0x5A, 0x61...0x7A.

    /// `tchar` of RFC 9110, section 5.6.2: ``!#$%&'*+-.^_`|~``, DIGIT, ALPHA.
    static let token = OctetSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
    /// `unreserved` and `sub-delims` of RFC 3986, sections 2.2 and 2.3, less the comma.
    static let hostName = OctetSet(low: 0x2BFF_6FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    /// `unreserved` of RFC 3986, section 2.3: ALPHA, DIGIT, `-._~`.
    static let unreserved = OctetSet(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    /// What a URI may hold beside `%`: `unreserved`, `gen-delims` less `#`, `sub-delims`.
    static let uri = OctetSet(low: 0xAFFF_FFD2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFF)
}

/// Small questions about octets, asked by every parser here.
enum Octets {
    static let tab: UInt8 = 0x09
    static let lf: UInt8 = 0x0A
    static let cr: UInt8 = 0x0D
    static let space: UInt8 = 0x20

    static func isDigit(_ octet: UInt8) -> Bool { octet &- 0x30 < 10 }

    /// OWS of RFC 9110, section 5.6.3.
    static func isWhitespace(_ octet: UInt8) -> Bool { octet == space || octet == tab }

    static func lowercased(_ octet: UInt8) -> UInt8 { octet &- 0x41 < 26 ? octet | 0x20 : octet }

    /// The value of a hexadecimal digit, or nil.
    static func hexValue(_ octet: UInt8) -> UInt8? {
        if isDigit(octet) { return octet &- 0x30 }
        let letter = octet | 0x20
        return letter >= 0x61 && letter <= 0x66 ? letter &- 0x57 : nil
    }

    /// True if `octets` are exactly `text`'s.
    static func equal(_ octets: Span<UInt8>, _ text: String) -> Bool {
        let expected = text.utf8
        guard octets.count == expected.count else { return false }
        var index = 0
        for octet in expected {
            guard octets[index] == octet else { return false }
            index &+= 1
        }
        return true
    }

    /// True if `octets` are `text`'s but for the case of ASCII letters.
    static func equalIgnoringCase(_ octets: Span<UInt8>, _ text: String) -> Bool {
        let expected = text.utf8
        guard octets.count == expected.count else { return false }
        var index = 0
        for octet in expected {
            guard lowercased(octets[index]) == lowercased(octet) else { return false }
            index &+= 1
        }
        return true
    }

    /// True if both hold the same octets.
    static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count where left[index] != right[index] { return false }
        return true
    }

    /// `range` of `octets` without OWS at either end.
    static func trimmed(_ octets: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var first = range.lowerBound
        var end = range.upperBound
        while first < end, isWhitespace(octets[first]) { first &+= 1 }
        while end > first, isWhitespace(octets[end &- 1]) { end &-= 1 }
        return first..<end
    }

    /// The first position in `range` that holds `octet`, or the range's end.
    static func position(of octet: UInt8, in octets: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, octets[index] != octet { index &+= 1 }
        return index
    }

    /// True if `range` is a token: one `tchar` at least, and nothing else.
    static func isToken(_ octets: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range where !OctetSet.token.contains(octets[index]) { return false }
        return !range.isEmpty
    }
}
