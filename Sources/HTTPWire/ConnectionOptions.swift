/// Collects the options of Connection (RFC 9110, section 7.6.1) that decide about persistence.
struct ConnectionReader {
    private var hasClose = false
    private var hasKeepAlive = false

    /// Reads one line's value. Options are case-insensitive; those not known here concern nobody here.
    mutating func take(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        var elements = ListElements(value)
        while let element = elements.next(bytes) {
            let option = bytes.extracting(element)
            if Octets.equalIgnoringCase(option, "close") { hasClose = true }
            if Octets.equalIgnoringCase(option, "keep-alive") { hasKeepAlive = true }
        }
    }

    /// RFC 9112, section 9.3: `close` wins; 1.1 persists by itself, 1.0 when asked to.
    func isPersistent(minorVersion: UInt8) -> Bool {
        !hasClose && (minorVersion > 0 || hasKeepAlive)
    }
}
