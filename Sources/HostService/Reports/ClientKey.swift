/// One client, as far as an address tells: an IPv4 address, or the /64 of an IPv6 address, which is what one customer of
/// a network has at least (RFC 6177) and may change within at will (RFC 8981). Kept in memory only.
struct ClientKey: Hashable, Sendable {
    private let network: UInt64
    private let isIPv4: Bool

    /// - Parameter octets: of an address in network order; nil is returned for what is neither IPv4 nor IPv6, as of the
    ///   peer at a unix socket.
    init?(_ octets: Span<UInt8>) {
        switch octets.count {
        case 4:
            self.init(octets, 0..<4, isIPv4: true)
        case 16:
            // RFC 4291 2.5.5.2: where one socket serves both, IPv4 addresses are all within one /64.
            let isMapped =
                (0..<10).allSatisfy { octets[$0] == 0 } && octets[10] == 0xFF && octets[11] == 0xFF
            self.init(octets, isMapped ? 12..<16 : 0..<8, isIPv4: isMapped)
        default:
            return nil
        }
    }

    private init(_ octets: Span<UInt8>, _ range: Range<Int>, isIPv4: Bool) {
        network = Self.number(octets, range)
        self.isIPv4 = isIPv4
    }

    private static func number(_ octets: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        range.reduce(0) { $0 << 8 | UInt64(octets[$1]) }
    }
}
