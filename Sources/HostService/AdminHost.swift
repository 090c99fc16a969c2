internal import HostSystem
internal import HostTransport

/// Which Host values the admin listener takes for its own: its address, and those by which a machine calls itself.
///
/// A page of another site can make a browser resolve that site's name to this machine (DNS rebinding), but it cannot
/// make the browser send anything but that name in Host. The port is not looked at: behind a tunnel it is another.
struct AdminHost: Sendable {
    private enum Own {
        /// No browser reaches a unix socket, so there is nobody to be kept out by a name.
        case everyName
        /// Bound to every address it cannot tell which numbers are its own.
        case everyAddress
        /// With port 0.
        case address(SocketAddress)
    }

    private let own: Own

    /// `address`: where it listens; nil for a listener that does not exist.
    init(_ address: ListenAddress?) {
        switch address {
        case .unix: own = .everyName
        case .internet("0.0.0.0", _), .internet("::", _), nil: own = .everyAddress
        case .internet(let host, _):
            own = SocketAddress(numericHost: host, port: 0).map { .address($0) } ?? .everyAddress
        }
    }

    func isOwn(_ host: Span<UInt8>) -> Bool {
        if case .everyName = own { return true }
        let name = Self.name(Self.text(host))
        // Empty is what a client sends whose target has no authority; no browser does.
        if name.isEmpty || name.lowercased() == "localhost" { return true }
        guard let address = SocketAddress(numericHost: name, port: 0) else { return false }
        if case .address(let own) = own { return address == own || address.isLoopback }
        return true
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
