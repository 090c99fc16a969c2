internal import HostSystem
internal import HostTransport

/// Which Host values the admin listener takes for its own: its address, and those by which a machine calls itself.
///
/// A page of another site can make a browser resolve that site's name to this machine (DNS rebinding), but it cannot
/// make the browser send anything but that name in Host. The port is not looked at: behind a tunnel it is another.
struct AdminHost: Sendable {
    /// With port 0; nil where every address is the listener's own.
    private let own: SocketAddress?

    /// `address`: where it listens. Bound to every address, or to none, it cannot tell which numbers are its own.
    init(_ address: ListenAddress?) {
        guard case .internet(let host, _) = address, host != "0.0.0.0", host != "::" else {
            own = nil
            return
        }
        own = SocketAddress(numericHost: host, port: 0)
    }

    func isOwn(_ host: Span<UInt8>) -> Bool {
        let name = Self.name(Self.text(host))
        // Empty is what a client sends whose target has no authority; no browser does.
        if name.isEmpty || name.lowercased() == "localhost" { return true }
        guard let address = SocketAddress(numericHost: name, port: 0) else { return false }
        return own == nil || address == own || address.isLoopback
    }

    static func text(_ host: Span<UInt8>) -> String {
        var octets: [UInt8] = []
        for index in host.indices { octets.append(host[index]) }
        return String(decoding: octets, as: UTF8.self)
    }

    /// The host without its port, and without the brackets of an IPv6 address.
    private static func name(_ host: String) -> String {
        guard host.hasPrefix("[") else { return String(host.prefix { $0 != ":" }) }
        return String(host.dropFirst().prefix { $0 != "]" })
    }
}
