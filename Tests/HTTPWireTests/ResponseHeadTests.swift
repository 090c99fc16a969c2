import Testing

@testable import HTTPWire

@Suite("RFC 9112 4: response heads")
struct ResponseHeadTests {
    @Test("RFC 9112 4, 5: a head, octet for octet")
    func head() throws {
        var head = ResponseHead()
        head.begin(status: 206)
        head.field("Content-Type", "text/plain")
        head.field("ETag", octets("\"e\"").span)
        head.field("X", Array(octets("abc")[1...]))
        head.field("Content-Length", 18_446_744_073_709_551_615 as UInt64)
        head.field("Age", 0 as UInt64)
        head.field("Date", HTTPDate(seconds: 784_111_777))
        head.contentRange(try #require(ByteRange(first: 0, last: 9, within: 1000)), length: 1000)
        head.contentRange(unsatisfied: 0)
        head.raw(octets("A: b\r\n"))
        head.raw(octets("C: d\r\n").span)
        head.end()
        #expect(
            text(head.bytes) == """
                HTTP/1.1 206 Partial Content\r
                Content-Type: text/plain\r
                ETag: "e"\r
                X: bc\r
                Content-Length: 18446744073709551615\r
                Age: 0\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                Content-Range: bytes 0-9/1000\r
                Content-Range: bytes */0\r
                A: b\r
                C: d\r
                \r\n
                """
        )
    }

    @Test("RFC 9110 5.5: no value can begin another line")
    func injection() {
        var head = ResponseHead()
        head.begin(status: 307)
        head.field("Location", "/a\r\nSet-Cookie: x\0\u{7F}\t.")
        head.field("X", octets("\r\n\r\n\u{80}").span)
        head.field("Y", octets("\n"))
        head.end()
        let lines =
            octets(
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: /a  Set-Cookie: x  \t.\r\nX:     \u{80}\r\nY:  \r\n\r\n"
            )
        #expect(head.bytes == lines)
    }

    @Test(
        "RFC 9112 4: the status line; a space stands even before no phrase",
        arguments: [
            (100, "HTTP/1.1 100 Continue\r\n"), (200, "HTTP/1.1 200 OK\r\n"), (304, "HTTP/1.1 304 Not Modified\r\n"),
            (421, "HTTP/1.1 421 Misdirected Request\r\n"), (599, "HTTP/1.1 599 \r\n"),
        ]
    )
    func statusLine(status: Int, line: String) {
        var head = ResponseHead()
        head.begin(status: status)
        #expect(text(head.bytes) == line)
    }

    @Test("the array is used again: no growth, and nothing left of the head before")
    func reuse() {
        var head = ResponseHead(capacity: 256)
        let capacity = head.bytes.capacity
        for _ in 0..<3 {
            head.begin(status: 200)
            head.field("Content-Length", 5 as UInt64)
            head.end()
            #expect(text(head.bytes) == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            #expect(head.bytes.capacity == capacity)
        }
    }
}

@Suite("Sets of octets")
struct OctetSetTests {
    private static let alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    @Test("each set holds its characters and no other octet")
    func members() {
        let sets: [(OctetSet, String)] = [
            (.token, Self.alphanumeric + "!#$%&'*+-.^_`|~"), (.unreserved, Self.alphanumeric + "-._~"),
            (.hostName, Self.alphanumeric + "-._~!$&'()*+;="),
            (.uri, Self.alphanumeric + "-._~:/?[]@!$&'()*+,;="),
        ]
        for (set, members) in sets {
            for octet in 0...255 as ClosedRange<UInt8> {
                #expect(set.contains(octet) == members.utf8.contains(octet), "\(members) \(octet)")
            }
        }
    }
}
