/// Which certificate serves which host name (RFC 6066 3; matched as RFC 9525 6.3 says).
///
/// A wildcard stands for one whole label, the leftmost. Names of other scripts come as they stand in certificates:
/// in their ASCII form.
struct TLSNames: Sendable {
    private var exact: [String: Int] = [:]
    /// By what follows the `*.`.
    private var wildcards: [String: Int] = [:]

    /// `names`: those of each certificate; where two have one, the first serves it.
    init(_ names: [[String]]) {
        for (index, names) in names.enumerated() {
            for name in names.map({ $0.lowercased() }) {
                if name.hasPrefix("*.") {
                    wildcards[String(name.dropFirst(2))] = wildcards[String(name.dropFirst(2))] ?? index
                } else {
                    exact[name] = exact[name] ?? index
                }
            }
        }
    }

    /// The place of the certificate for `host`, nil if there is none.
    func index(of host: String) -> Int? {
        let host = host.lowercased()
        if let index = exact[host] { return index }
        guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return nil }
        return wildcards[String(host[host.index(after: dot)...])]
    }
}
