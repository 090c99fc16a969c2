import HostTransport
import Testing

@Suite("ListenAddress: where a server listens, as written on the command line")
struct ListenAddressTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let description: String
        let url: String
        let isLoopback: Bool
        var testDescription: String { text }

        init(_ text: String, _ description: String, _ url: String, loopback: Bool) {
            self.text = text
            self.description = description
            self.url = url
            isLoopback = loopback
        }
    }

    @Test(
        "addresses",
        arguments: [
            Row("127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:8080", loopback: true),
            Row("127.9.8.7:1", "127.9.8.7:1", "http://127.9.8.7:1", loopback: true),
            Row("0.0.0.0:0", "0.0.0.0:0", "http://0.0.0.0:0", loopback: false),
            Row("192.0.2.1:65535", "192.0.2.1:65535", "http://192.0.2.1:65535", loopback: false),
            Row("localhost:80", "127.0.0.1:80", "http://127.0.0.1:80", loopback: true),
            Row(":8080", "0.0.0.0:8080", "http://0.0.0.0:8080", loopback: false),
            Row("*:8080", "0.0.0.0:8080", "http://0.0.0.0:8080", loopback: false),
            Row("[::1]:8080", "[::1]:8080", "http://[::1]:8080", loopback: true),
            Row("[::]:80", "[::]:80", "http://[::]:80", loopback: false),
            Row("[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80", "http://[::ffff:127.0.0.1]:80", loopback: true),
            Row("[2001:db8::1]:443", "[2001:db8::1]:443", "http://[2001:db8::1]:443", loopback: false),
            Row("unix:/run/x.sock", "unix:/run/x.sock", "unix:/run/x.sock", loopback: true),
            Row("unix:relative", "unix:relative", "unix:relative", loopback: true),
        ]
    )
    func addresses(_ row: Row) throws {
        let address = try #require(ListenAddress(row.text))
        #expect(address.description == row.description)
        #expect(address.url == row.url)
        let scheme = row.url.hasPrefix("http:") ? "https:" : "unix:"
        #expect(address.url(isSecure: true) == scheme + row.url.drop { $0 != ":" }.dropFirst())
        #expect(address.isLoopback == row.isLoopback)
        #expect(ListenAddress(address.description) == address)
        #expect((address.port == nil) == row.text.hasPrefix("unix:"))
    }

    @Test(
        "what is no address",
        arguments: [
            "", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:http", "::1:8080",
            "::1",
            "[::1]", "[::1]8080", "[127.0.0.1]:80", "[::1:80", "[]:80", "256.0.0.1:80", "1.2.3:80", "example.com:80",
            "unix:", "unix:/a\u{0}b", "127.0.0.1:80 ", " 127.0.0.1:80",
            "127.0.0.1:+1", "127.0.0.1:-0", "127.0.0.1:08", "127.0.0.1:00", "[::1]:+80", ":+1",
        ]
    )
    func noAddress(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
