import Glibc
import HostTransport
import TestSupport
import Testing

/// RFC 9112, section 9: how long a connection lasts, and in which order it is served.
@Suite("Persistence: many requests on one connection", .waits)
struct PersistenceTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let request: String
        let isKept: Bool
        var testDescription: String { request.replacing("\r\n", with: " | ") }
    }

    @Test(
        "RFC 9112 9.3: whether the connection is kept",
        arguments: [
            Row(request: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", isKept: true),
            Row(request: "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", isKept: true),
            Row(request: "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", isKept: false),
            Row(request: "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Close\r\n\r\n", isKept: false),
            Row(request: "GET / HTTP/1.0\r\n\r\n", isKept: false),
            Row(request: "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", isKept: true),
            Row(request: "GET /last HTTP/1.1\r\nHost: a\r\n\r\n", isKept: false),
            Row(request: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", isKept: true),
        ]
    )
    func persistence(_ row: Row) throws {
        let host = try TransportHost()
        let connection = try host.connect()
        for _ in 0..<2 {
            try connection.send(row.request)
            let answer = try connection.response()
            #expect(answer.status == 200)
            #expect((answer["Connection"] != "close") == row.isKept)
            guard row.isKept else {
                #expect(try connection.endsInOrder())
                connection.close()
                break
            }
        }
        #expect(host.comesTo(connections: row.isKept ? 1 : 0))
    }

    @Test("RFC 9112 9.3.2: 20 mixed requests in one segment are answered in order")
    func pipelining() throws {
        let host = try TransportHost()
        let content = host.stage.content
        host.stage.openAll()
        var all = ""
        var expected: [[UInt8]] = []
        for index in 0..<3 {
            let get: (String, [UInt8]) -> Void = { target, body in
                all += "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"
                expected.append(body)
            }
            get("/a\(index)", Array("first GET /a\(index)".utf8))
            get("/memory/200000", Array(content[..<200_000]))
            get("/job/j\(index)", Array("job j\(index)".utf8))
            get("/file", content)
            get("/pieces/m10,f70000,m5,f100000,m3", Array(content[..<170_018]))
            all += "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nGET /"
            expected.append(Array("first POST /b".utf8))
        }
        all += "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nA: b\r\n\r\n"
        expected.append(Array("first POST /c".utf8))
        all += "\r\nGET /z HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        expected.append(Array("first GET /z".utf8))
        try #require(expected.count == 20)

        let connection = try host.connect()
        try connection.send(all)
        for body in expected {
            let answer = try connection.response()
            #expect(answer.status == 200)
            #expect(answer.body == body)
        }
        #expect(try connection.endsInOrder())
    }

    @Test("what is pipelined behind an answer that nobody reads stays with the kernel, all but 16 KiB")
    func deepPipelining() throws {
        let host = try TransportHost(Stage(contentSize: 20_000_000))
        let holder = try host.connect()
        try holder.send("GET /hold/loop HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(host.stage.hasBegun("loop"))
        // Everything is there before the loop takes the first octet.
        let connection = try host.connect(receiveBuffer: 4096)
        let requests = String(repeating: "GET /next HTTP/1.1\r\nHost: a\r\n\r\n", count: 1500)
        try connection.deliver("GET /file HTTP/1.1\r\nHost: a\r\n\r\n" + requests)
        host.stage.open("loop")
        _ = try holder.response()
        #expect(eventually { host.stage.now.answered.contains("/file") })
        try holder.get("/")
        let unread = host.connectionDescriptors.reduce(0) { $0 + Descriptors.unread($1) }
        #expect(unread >= requests.utf8.count - (16 << 10))
        #expect(try connection.response().body.count == 20_000_000)
        for _ in 0..<1500 { #expect(try connection.response().text == "first GET /next") }
    }

    @Test("RFC 9112 2.2: it does not matter where the octets of a request are cut")
    func everyCut() throws {
        let host = try TransportHost()
        let octets = Array(
            ("POST /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n"
                + "PUT /two HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nGET "
                + "GET /three HTTP/1.1\r\nHost: a\r\n\r\n").utf8
        )
        let connection = try host.connect()
        // Another connection's answer shows that the one loop has been round, and so has read the first part alone.
        let other = try host.connect()
        for cut in 1..<octets.count {
            try connection.send(Array(octets[..<cut]))
            try other.get("/")
            try connection.send(Array(octets[cut...]))
            #expect(try connection.response().text == "first POST /one", "cut at \(cut)")
            #expect(try connection.response().text == "first PUT /two", "cut at \(cut)")
            #expect(try connection.response().text == "first GET /three", "cut at \(cut)")
        }
    }

    @Test("a request that comes octet by octet is answered")
    func octetByOctet() throws {
        let host = try TransportHost()
        let connection = try host.connect()
        let other = try host.connect()
        for octet in Array("GET /slow HTTP/1.1\r\nHost: a\r\nX-Long: \(String(repeating: "y", count: 40))\r\n\r\n".utf8)
        {
            try connection.send([octet])
            try other.get("/")
        }
        #expect(try connection.response().text == "first GET /slow")
        #expect(try connection.get("/after").text == "first GET /after")
    }

    @Test(
        "a peer that has ended its side after the request gets the whole answer",
        arguments: ["/memory/1000000", "/file", "/pieces/m10,f1000000,m5", "/job/x", "/"]
    )
    func halfClose(target: String) throws {
        let host = try TransportHost()
        host.stage.openAll()
        let connection = try host.connect(receiveBuffer: 8192)
        try connection.send("GET /before HTTP/1.1\r\nHost: a\r\n\r\nGET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        connection.finishSending()
        #expect(try connection.response().text == "first GET /before")
        let answer = try connection.response()
        #expect(answer.status == 200)
        if target.hasPrefix("/memory") || target == "/file" {
            #expect(answer.body == Array(host.stage.content[..<answer.body.count]))
        }
        #expect(try connection.endsInOrder())
        #expect(host.comesTo(connections: 0))
    }

    @Test(
        "RFC 9112 8: an end within a head, or before one, ends the connection without an answer",
        arguments: ["", "\r\n", "G", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r"]
    )
    func endWithinHead(part: String) throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.send(part)
        connection.finishSending()
        #expect(try connection.endsInOrder())
        #expect(host.comesTo(connections: 0))
    }

    @Test("a connection that sends requests without end does not keep the others waiting")
    func fairness() throws {
        let host = try TransportHost()
        let greedy = try host.connect()
        let modest = try host.connect()
        let holder = try host.connect()
        try greedy.get("/g")
        try modest.get("/m")
        try holder.send("GET /hold/loop HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(host.stage.hasBegun("loop"))
        // While the loop stands still, one sends two thousand requests, and then the other a single one.
        let requests = 2000
        try greedy.deliver(String(repeating: "GET /g HTTP/1.1\r\nHost: a\r\n\r\n", count: requests))
        try modest.deliver("GET /m HTTP/1.1\r\nHost: a\r\n\r\n")
        host.stage.open("loop")
        #expect(try modest.response().text == "first GET /m")
        for _ in 0..<requests { #expect(try greedy.response().text == "first GET /g") }
        let order = host.stage.now.answered
        let place = try #require(order.lastIndex(of: "/m"))
        #expect(place < requests / 2, "answered after \(place) others")
    }
}
