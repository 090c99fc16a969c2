import Testing

@testable import HostTransport

@Suite("TLSNames: which certificate serves a host name")
struct TLSNamesTests {
    private static let names = TLSNames([
        ["localhost", "models.example.com"],
        ["*.example.com", "Example.com", "*.XN--mnchen-3ya.example"],
        ["models.example.com", "*.example.com", "c.example.net"],
        [],
    ])

    @Test(
        "RFC 9525 6.3: exact names come before wildcards, which stand for one label; case does not count",
        arguments: [
            ("localhost", 0), ("LOCALHOST", 0), ("models.example.com", 0), ("Models.Example.Com", 0),
            ("a.example.com", 1), ("example.com", 1), ("a.xn--MNCHEN-3ya.example", 1), ("c.example.net", 2),
            ("a.b.example.com", nil), (".example.com", nil), ("xn--mnchen-3ya.example", nil), ("example.net", nil),
            ("*.example.com", 1), ("com", nil), ("", nil), (".", nil), ("localhost.", nil),
        ] as [(String, Int?)]
    )
    func choice(host: String, expected: Int?) {
        #expect(Self.names.index(of: host) == expected)
    }
}

@Suite("ProtocolOffers: what is spoken of what a client offers (RFC 7301)")
struct ProtocolOffersTests {
    private static func list(_ names: [String]) -> [UInt8] {
        names.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    }

    private static func choose(_ list: [UInt8]) -> String? {
        list.withUnsafeBufferPointer { list in
            ProtocolOffers.choose(from: list).map { String(decoding: list[$0], as: UTF8.self) }
        }
    }

    @Test(
        "the best that is spoken, whatever the client's order",
        arguments: [
            (["http/1.1"], "http/1.1"), (["h2", "http/1.1"], "http/1.1"), (["http/1.0", "http/1.1"], "http/1.1"),
            (["http/1.0"], "http/1.0"), (["h2"], nil), (["http/1.10"], nil), (["HTTP/1.1"], nil), ([], nil),
            (["", "http/1.0"], "http/1.0"),
        ] as [([String], String?)]
    )
    func choice(offered: [String], expected: String?) {
        #expect(Self.choose(Self.list(offered)) == expected)
    }

    @Test("a list that is cut is read to its end and no further", arguments: 0..<17)
    func cut(count: Int) {
        let whole = Self.list(["h2", "http/1.1", "h3"])
        let chosen = Self.choose(Array(whole.prefix(count)))
        #expect(chosen == (count >= 12 ? "http/1.1" : nil))
    }
}
