// The room for the domain as values: how models, versions, architectures, assets and files are named, what a
// manifest promises, which channel leads where, what is published at one moment, and what a given device should
// download. Every value here is made by parsing, so one that exists is one that holds.
// It must not know HTTP, files, sockets, clocks or Glibc: bytes and values in, values out, on every platform.
// FoundationEssentials is used for JSON and for nothing else.

/// The order of two texts by their UTF-8 bytes.
///
/// `String.<` and `String.==` go by canonical equivalence: "é" composed and decomposed are equal to them, and so are
/// `K` and U+212A. On disk and in a URL these are different names, so every comparison of this module goes by bytes.
func precedesByBytes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}

/// Whether two texts are the same UTF-8 bytes.
func sameBytes(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
}

extension UInt8 {
    var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }
    var isASCIILower: Bool { self >= 0x61 && self <= 0x7A }
    var isASCIIUpper: Bool { self >= 0x41 && self <= 0x5A }
    var isASCIILetter: Bool { isASCIILower || isASCIIUpper }
    var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }
}

extension String {
    /// Whether the text has 1 to `limit` bytes, the first of which satisfies `first`, and all others `others`.
    func isName(upTo limit: Int, first: (UInt8) -> Bool, others: (UInt8) -> Bool) -> Bool {
        guard let head = utf8.first, first(head), utf8.count <= limit else { return false }
        return utf8.dropFirst().allSatisfy(others)
    }
}
