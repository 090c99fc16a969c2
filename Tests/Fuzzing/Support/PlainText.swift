/// The slow and plain ways in which the models here read text.
extension [UInt8] {
    /// The parts between separators, empty ones too.
    func parts(_ separator: UInt8) -> [[UInt8]] {
        split(separator: separator, omittingEmptySubsequences: false).map(Array.init)
    }

    /// Without spaces and tabs at either end.
    var trimmed: [UInt8] {
        var octets = self
        while let last = octets.last, last == 0x20 || last == 0x09 { octets.removeLast() }
        while let first = octets.first, first == 0x20 || first == 0x09 { octets.removeFirst() }
        return octets
    }

    /// With ASCII letters in lower case.
    var lowered: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }

    var areDigits: Bool { allSatisfy { (0x30...0x39).contains($0) } }

    /// A number of any length without its leading zeros: longer is more, and of two as long the bytes tell.
    var significant: [UInt8] { Array(drop { $0 == 0x30 }) }

    /// The number that the digits write, nil beyond 64 bits or where there are none.
    var decimal: UInt64? { areDigits ? UInt64(String(decoding: self, as: UTF8.self)) : nil }

    func isNumber(below other: [UInt8]) -> Bool {
        let (left, right) = (significant, other.significant)
        return left.count != right.count ? left.count < right.count : left.lexicographicallyPrecedes(right)
    }
}

func octets(_ text: String) -> [UInt8] { Array(text.utf8) }
