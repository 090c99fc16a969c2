internal import CHostLinux
internal import Glibc

/// Who is at the other end of a connection: the octets of an address, without the port.
package struct PeerAddress: Sendable {
    private var storage: InlineArray<16, UInt8>
    private let count: Int

    /// Nobody in particular, as at the other end of a unix socket: no octets.
    package init() {
        storage = InlineArray(repeating: 0)
        count = 0
    }

    init(_ address: sockaddr_storage) {
        var octets = InlineArray<16, UInt8>(repeating: 0)
        // Where the address stands: after family and port, and after IPv6's flow label.
        let place: (offset: Int, count: Int)
        switch CInt(address.ss_family) {
        case AF_INET: place = (4, 4)
        case AF_INET6: place = (8, 16)
        default: place = (0, 0)
        }
        withUnsafeBytes(of: address) { bytes in
            for index in 0..<place.count { octets[index] = bytes[place.offset + index] }
        }
        storage = octets
        count = place.count
    }

    /// 4 octets of IPv4, 16 of IPv6, or none, in network order.
    package func withOctets<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(storage.span.extracting(0..<count))
    }
}
