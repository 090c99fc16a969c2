import HostTransport
import TestSupport
import Testing

@Suite("The end of an answer, as its handler is told", .waits)
struct ReceiptTests {
    @Test(
        "whole answers: their content, heads not counted, one after the other",
        arguments: [
            ["/memory/0"], ["/memory/1"], ["/memory/300000"], ["/file"], ["/file/0"], ["/pieces/m10,f20,m5"],
            ["/memory/10", "/file/5000", "/memory/0", "/pieces/f100,m3"],
        ]
    )
    func whole(_ targets: [String]) throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        var told: [String] = []
        for target in targets {
            let answer = try connection.response()
            told.append("\(target) \(answer.body.count)")
        }
        #expect(eventually { host.stage.now.finished == told })
    }

    @Test("an answer that nobody asks a receipt of is not told")
    func none() throws {
        let host = try TransportHost()
        let connection = try host.connect()
        #expect(try connection.get("/other").status == 200)
        #expect(try connection.get("/memory/7").status == 200)
        #expect(eventually { host.stage.now.finished == ["/memory/7 7"] })
    }

    private static let size = 700_000

    /// A client that has asked for an answer and reads nothing of it; all of it is in the kernel's hands.
    private func unreadAnswer(
        _ host: TransportHost,
        _ fields: String = "",
        endingItsSide: Bool = false
    ) throws -> RawConnection {
        let connection = try host.connect(receiveBuffer: 4096)
        try connection.send("GET /pieces/m\(Self.size) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        if endingItsSide { connection.finishSending() }
        try #require(eventually { host.stage.now.handedOver.count == 1 })
        return connection
    }

    @Test("what the kernel has taken is not received yet: an answer is told when its peer has acknowledged it")
    func acknowledged() throws {
        let host = try TransportHost()
        let connection = try unreadAnswer(host)
        #expect(host.stage.wait(rounds: 3))
        #expect(host.stage.now.finished.isEmpty)
        #expect(try connection.response().body.count == Self.size)
        #expect(eventually { host.stage.now.finished == ["/pieces/m\(Self.size) \(Self.size)"] })
    }

    @Test("a peer that goes with the whole answer in the kernel's hands has not received it", arguments: [true, false])
    func unread(_ byReset: Bool) throws {
        let host = try TransportHost()
        let connection = try unreadAnswer(host)
        if byReset { connection.reset() } else { connection.close() }
        #expect(eventually { host.stage.now.finished.count == 1 })
        let told = try #require(host.stage.now.finished.first?.split(separator: " ").last.flatMap { Int($0) })
        #expect(told < Self.size)
        #expect(host.stage.now.unacknowledged == [Self.size - told])
    }

    @Test("a peer that ends its side before the answer comes still takes all of it")
    func halfClosed() throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.send("GET /memory/\(Self.size) HTTP/1.1\r\nHost: a\r\n\r\n")
        connection.finishSending()
        #expect(try connection.response().body.count == Self.size)
        #expect(eventually { host.stage.now.finished == ["/memory/\(Self.size) \(Self.size)"] })
    }

    @Test(
        "a peer that has ended its side, and goes on: it takes all of the answer later on, or goes without it",
        arguments: ["", "Connection: close\r\n"]
    )
    func halfClosedUnread(_ fields: String) throws {
        let host = try TransportHost()
        let patient = try unreadAnswer(host, fields, endingItsSide: true)
        #expect(host.stage.wait(rounds: 3))
        #expect(host.stage.now.finished.isEmpty)
        #expect(try patient.response().body.count == Self.size)
        #expect(eventually { host.stage.now.finished == ["/pieces/m\(Self.size) \(Self.size)"] })

        let other = try TransportHost()
        try unreadAnswer(other, fields, endingItsSide: true).reset()
        #expect(eventually { other.stage.now.finished.count == 1 })
        let told = try #require(other.stage.now.finished.first?.split(separator: " ").last.flatMap { Int($0) })
        #expect(told < Self.size)
    }

    @Test("HTTP/1.0 and Connection: close: the end of our side, which counts as an octet, is none of the answer")
    func closing() throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.send("GET /memory/\(Self.size) HTTP/1.0\r\n\r\n")
        #expect(try connection.response().body.count == Self.size)
        connection.close()
        #expect(eventually { host.stage.now.finished == ["/memory/\(Self.size) \(Self.size)"] })
    }

    @Test("a peer that goes: what it has acknowledged, told once", arguments: [true, false])
    func cut(_ byReset: Bool) throws {
        let host = try TransportHost()
        let size = 64 << 20
        try TemporaryFolder.writeSparse(size: UInt64(size), tail: [1], to: host.stage.path("sparse"))
        let connection = try host.connect(receiveBuffer: 8192)
        try connection.send("GET /sparse/0/\(size) HTTP/1.1\r\nHost: a\r\n\r\n")
        let got = try connection.read(atLeast: 100_000).count
        if byReset { connection.reset() } else { connection.close() }
        #expect(eventually { host.stage.now.finished.count == 1 })
        let told = try #require(host.stage.now.finished.first?.split(separator: " ").last.flatMap { Int($0) })
        // The peer's kernel acknowledges what its program has not read yet, and not at once what it has: a buffer's
        // worth (twice what was asked for, socket(7)) may be on either side. The head is not content.
        #expect(told >= got - 2 * 8192 - 1000)
        #expect(told < size)
    }
}

@Suite("Content of requests, where a handler takes it", .waits)
struct RequestContentTests {
    private static let post = "POST /content HTTP/1.1\r\nHost: a\r\n"

    @Test(
        "RFC 9112 6.3, 7.1: the octets without their framing",
        arguments: [
            ("Content-Length: 5\r\n\r\nhello", "5: hello"), ("Content-Length: 0\r\n\r\n", "0: "),
            (
                "Content-Length: 100\r\n\r\n" + String(repeating: "x", count: 100),
                "100: " + String(repeating: "x", count: 100)
            ),
            ("Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\nA: b\r\n\r\n", "5: hello"),
            ("Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "0: "),
        ]
    )
    func content(_ rest: String, _ text: String) throws {
        let host = try TransportHost()
        let connection = try host.connect()
        // Twice: the second request stands where the first has really ended.
        for _ in 0..<2 {
            try connection.send(Self.post + rest)
            #expect(try connection.response(to: "POST").text == text)
        }
    }

    @Test("split at every octet")
    func split() throws {
        let host = try TransportHost()
        let connection = try host.connect()
        let request = Array((Self.post + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n").utf8)
        for cut in 1..<request.count {
            try connection.send(Array(request[..<cut]))
            #expect(!connection.hasNews(within: 0))
            try connection.send(Array(request[cut...]))
            #expect(try connection.response(to: "POST").text == "5: hello")
        }
    }

    @Test(
        "more than the handler takes does not reach it",
        arguments: [
            "Content-Length: 101\r\n\r\n" + String(repeating: "x", count: 101),
            "Content-Length: 1000000000\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n65\r\n\(String(repeating: "x", count: 101))\r\n0\r\n\r\n",
        ]
    )
    func tooLong(_ rest: String) throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.send(Self.post + rest)
        #expect(try connection.response(to: "POST").text == "too long: ")
    }

    @Test("RFC 9110 10.1.1: a client that expects 100 Continue gets it, once, before it sends content")
    func expectContinue() throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.send(Self.post + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        #expect(try connection.response(to: "POST").status == 100)
        try connection.send("hello")
        #expect(try connection.response(to: "POST").text == "5: hello")
        // Content that came along needs no word.
        try connection.send(Self.post + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello")
        #expect(try connection.response(to: "POST").text == "5: hello")
    }
}
