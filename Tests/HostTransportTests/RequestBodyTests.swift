import HTTPWire
import HostTransport
import TestSupport
import Testing

/// RFC 9112, section 6 and 7: no resource here takes a body, so it is read and dropped, or the connection ends.
@Suite("Request bodies are dropped, and never taken for a request", .waits)
struct RequestBodyTests {
    struct Body: Sendable, CustomTestStringConvertible {
        let name: String
        let field: String
        let octets: String
        var testDescription: String { name }
    }

    private static func chunked(_ count: Int, of size: Int) -> String {
        let chunk = "\(String(size, radix: 16))\r\n\(String(repeating: "x", count: size))\r\n"
        return String(repeating: chunk, count: count) + "0\r\n\r\n"
    }

    @Test(
        "RFC 9112 6.3: the next request begins where the body ends",
        arguments: [
            Body(name: "no octet", field: "Content-Length: 0", octets: ""),
            Body(name: "what looks like a request", field: "Content-Length: 19", octets: "GET /x HTTP/1.1\r\n\r\n"),
            Body(name: "64 KiB", field: "Content-Length: 65536", octets: String(repeating: "x", count: 65536)),
            Body(name: "no chunk", field: "Transfer-Encoding: chunked", octets: "0\r\n\r\n"),
            Body(name: "chunks", field: "Transfer-Encoding: chunked", octets: chunked(50, of: 1000)),
            Body(
                name: "trailers",
                field: "Transfer-Encoding: chunked",
                octets: "1;a=b\r\nx\r\n0\r\nA: b\r\nC: d\r\n\r\n"
            ),
        ]
    )
    func dropped(_ body: Body) throws {
        let host = try TransportHost()
        let connection = try host.connect()
        for _ in 0..<3 {
            try connection.send("POST /body HTTP/1.1\r\nHost: a\r\n\(body.field)\r\n\r\n\(body.octets)")
            #expect(try connection.response().text == "first POST /body")
            #expect(try connection.get("/next").text == "first GET /next")
        }
    }

    @Test(
        "RFC 9112 9.6: the answer to a body that is too long is not lost to a reset while the client still sends",
        arguments: [
            Body(
                name: "Content-Length",
                field: "Content-Length: 1000000",
                octets: String(repeating: "x", count: 1_000_000)
            ),
            Body(name: "chunked", field: "Transfer-Encoding: chunked", octets: chunked(100, of: 10_000)),
            // The client believes in its 100 but sends without waiting for it.
            Body(
                name: "100-continue",
                field: "Expect: 100-continue\r\nContent-Length: 900000",
                octets: String(repeating: "x", count: 900_000)
            ),
        ]
    )
    func tooLong(_ body: Body) throws {
        let host = try TransportHost { $0.lingerTime = 20_000 }
        let other = try host.connect()
        let connection = try host.connect()
        try connection.send("POST /body HTTP/1.1\r\nHost: a\r\n\(body.field)\r\n\r\n")
        // Only when the loop has been round does the body follow.
        try other.get("/")
        try connection.send(body.octets)
        let answer = try connection.response()
        #expect(answer.text == "first POST /body")
        #expect(answer["Connection"] == "close")
        connection.finishSending()
        #expect(try connection.endsInOrder())
        #expect(try other.get("/").status == 200)
        #expect(host.comesTo(connections: 1))
    }

    @Test("no more than the linger's octets are taken from a client that does not stop")
    func lingerEnds() throws {
        let host = try TransportHost {
            $0.lingerTime = 60_000
            $0.lingerOctets = 100_000
        }
        let connection = try host.connect()
        try connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000000\r\n\r\n")
        let piece = [UInt8](repeating: 0x78, count: 100_000)
        #expect(throws: RawConnection.Failure.self) { for _ in 0..<1000 { try connection.send(piece) } }
        #expect(host.comesTo(connections: 0))
    }

    @Test("a client that neither reads nor ends is waited for only so long after the last answer")
    func lingerTime() throws {
        let host = try TransportHost { $0.lingerTime = 2_000 }
        let connection = try host.connect()
        // All at once, and more than is received at once: octets that came after the end would take the answer away.
        let part = String(repeating: "x", count: 20_000)
        try connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000000\r\n\r\n" + part)
        #expect(host.comesTo(connections: 0))
        #expect(try connection.response().text == "first POST /")
    }

    @Test("RFC 9112 9.6: the last answer is not lost although requests follow it that are not answered")
    func requestsAfterTheLast() throws {
        let host = try TransportHost()
        let other = try host.connect()
        let connection = try host.connect()
        let ignored = String(repeating: "GET /ignored HTTP/1.1\r\nHost: a\r\n\r\n", count: 100)
        try connection.send(
            "GET /memory/300000 HTTP/1.1\r\nHost: a\r\n\r\nGET /last HTTP/1.1\r\nHost: a\r\n\r\n" + ignored
        )
        try other.get("/")
        // More comes when the server has shut its side: octets that nobody reads would make its close a reset.
        try connection.send(ignored)
        try other.get("/")
        try connection.send(ignored)
        #expect(try connection.response().body == Array(host.stage.content[..<300_000]))
        let last = try connection.response()
        #expect(last.text == "last")
        #expect(last["Connection"] == "close")
        connection.finishSending()
        #expect(try connection.endsInOrder())
        #expect(!host.stage.now.answered.contains("/ignored"))
    }

    @Test(
        "RFC 9112 7.1: a broken chunked coding is refused and the connection ends, whatever follows",
        arguments: [
            "x\r\n", "-1\r\nx\r\n", "3\r\nabcd\r\n", "1\nx\r\n0\r\n\r\n", "fffffffffffffffff\r\n", "0\r\n : b\r\n\r\n",
        ]
    )
    func brokenChunks(octets: String) throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + octets)
        try connection.send("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try connection.response()
        #expect(answer.status == 400)
        #expect(answer["Connection"] == "close")
        connection.finishSending()
        #expect(try connection.endsInOrder())
        #expect(host.stage.now.answered == [])
        #expect(host.stage.now.rejections == [.malformedBody])
    }

    @Test(
        "RFC 9112 8: a body that ends early is refused, for a client that still listens",
        arguments: ["Content-Length: 5\r\n\r\nabcd", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"]
    )
    func incomplete(rest: String) throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.send("POST / HTTP/1.1\r\nHost: a\r\n" + rest)
        connection.finishSending()
        #expect(try connection.response().status == 400)
        #expect(try connection.endsInOrder())
        #expect(host.stage.now.rejections == [.malformedBody])
    }

    @Test("RFC 9110 10.1.1: 100-continue is answered at once with the final answer, and the connection ends")
    func expectation() throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.send("POST /e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        let answer = try connection.response()
        #expect(answer.text == "first POST /e")
        #expect(answer["Connection"] == "close")
        connection.finishSending()
        #expect(try connection.endsInOrder())
    }

    @Test("RFC 9110 10.1.1: where the body has come already no 100 is due, and the connection is kept")
    func expectationWithBody() throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.send("POST /e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nabcde")
        #expect(try connection.response().text == "first POST /e")
        #expect(try connection.get("/next").text == "first GET /next")
    }

    @Test(
        "a job's answer to a request with a body leaves the next request where it is",
        arguments: [
            "Content-Length: 5\r\n\r\nabcde", "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
        ]
    )
    func jobWithBody(rest: String) throws {
        let host = try TransportHost()
        host.stage.openAll()
        let connection = try host.connect()
        try connection.send("POST /job/j HTTP/1.1\r\nHost: a\r\n\(rest)GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.response().text == "job j")
        #expect(try connection.response().text == "first GET /next")
    }

    @Test(
        "a head that is refused is answered, and the connection ends",
        arguments: [
            "GET /\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\nHost: a\r\n\r\n", "\r\n\r\n\r\n\r\n\r\n\r\n",
            "\u{16}\u{3}\u{1}\u{2}", "GET /" + String(repeating: "a", count: 9000) + " HTTP/1.1\r\n",
        ]
    )
    func refusedHead(head: String) throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.get("/before")
        try connection.send(head)
        let answer = try connection.response()
        #expect(answer.status == 400)
        #expect(answer["Connection"] == "close")
        connection.finishSending()
        #expect(try connection.endsInOrder())
        #expect(host.stage.now.answered == ["/before"])
    }
}
