import Glibc
import HostTransport
import TestSupport
import Testing

/// Answers of every kind of body, to peers that take them fast, slowly, in part or not at all.
@Suite("Sending: every octet in its place, or an end that the client can see", .waits)
struct SendingTests {
    private static let megabyte = 1_000_000

    struct Row: Sendable, CustomTestStringConvertible {
        let target: String
        let count: Int
        var testDescription: String { target }
    }

    @Test(
        "a body arrives whole, whatever it is made of and however slowly it is taken",
        arguments: [
            Row(target: "/memory/0", count: 0), Row(target: "/memory/1", count: 1),
            Row(target: "/memory/6000000", count: 6 * megabyte), Row(target: "/file/0", count: 0),
            Row(target: "/file/1", count: 1), Row(target: "/file", count: 6 * megabyte),
            Row(target: "/pieces/m0", count: 0), Row(target: "/pieces/f0,m0,f0", count: 0),
            Row(target: "/pieces/m5,f0,m0,f7,m1", count: 13),
            Row(target: "/pieces/m3000000,f2000000,m900000", count: 5_900_000),
            Row(target: "/pieces/f1500000,f1500000,f1500000,f1500000", count: 6 * megabyte),
        ],
        [nil, 4096]
    )
    func whole(_ row: Row, receiveBuffer: Int?) throws {
        let host = try TransportHost(Stage(contentSize: 6 * Self.megabyte))
        let connection = try host.connect(receiveBuffer: receiveBuffer)
        for _ in 0..<2 {
            let answer = try connection.get(row.target)
            #expect(answer.body.count == row.count)
            #expect(answer.body == Array(host.stage.content[..<row.count]))
        }
        #expect(host.leavesNothing(but: 1))
    }

    @Test("hundreds of pieces arrive in order")
    func manyPieces() throws {
        let host = try TransportHost()
        let script = (1...400).map { "\($0 % 2 == 0 ? "m" : "f")\($0)" }.joined(separator: ",")
        let answer = try host.connect().get("/pieces/\(script)")
        #expect(answer.body == Array(host.stage.content[..<(400 * 401 / 2)]))
    }

    @Test(
        "the end of an answer is not kept back for more to come (MSG_MORE)",
        arguments: [
            "/", "/memory/0", "/memory/50", "/file/0", "/file/50", "/pieces/m0", "/pieces/m50", "/pieces/f50",
            "/pieces/m50,f50,m50", "/pieces/m50,f0", "/pieces/m50,m0",
        ]
    )
    func nothingKeptBack(target: String) throws {
        let host = try TransportHost()
        let connection = try host.connect()
        let other = try host.connect()
        try other.get("/")
        try connection.get("/")
        // Three attempts: behind octets that a busy kernel has not handed on yet it keeps others back for a moment
        // (tcp_autocorking), whatever it was told.
        var kept: [Int] = []
        while kept.count < 3, kept.last != 0 {
            try connection.deliver("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            // The loop has been round when another is answered: what is not out by then waits for a timer.
            try other.get("/")
            kept.append(host.heldBack)
            #expect(try connection.response().status == 200)
        }
        #expect(kept.last == 0, "kept back: \(kept)")
    }

    @Test(
        "offsets and counts do not end at 2 or 4 GiB",
        arguments: [
            (at: (1 << 31) - 500_000, count: 1_000_000), (at: (1 << 32) - 500_000, count: 1_000_000),
            (at: (5 << 30) - 6, count: 6),
        ]
    )
    func largeOffsets(at: Int, count: Int) throws {
        let host = try TransportHost()
        try TemporaryFolder.writeSparse(size: 5 << 30, tail: Array("at the end".utf8), to: host.stage.path("sparse"))
        let answer = try host.connect().get("/sparse/\(at)/\(count)")
        #expect(answer.body.count == count)
        #expect(at + count < 5 << 30 ? answer.body.allSatisfy { $0 == 0 } : answer.text == "he end")
    }

    @Test("a file that is cut while it is sent: the connection ends, and no other octet takes its place")
    func fileCut() throws {
        let size = 20 * Self.megabyte
        let host = try TransportHost(Stage(contentSize: size))
        let connection = try host.connect(receiveBuffer: 4096)
        let other = try host.connect()
        try connection.deliver("GET /file HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        try other.get("/")
        // The kernel has taken a part of it. What is there is cut in the middle of what has not been sent.
        #expect(truncate(host.stage.path, off_t(size * 3 / 4)) == 0)
        let received = try connection.readToEnd()
        let body = received.dropFirst(received.count - size * 3 / 4)
        #expect(body.elementsEqual(host.stage.content[..<(size * 3 / 4)]))
        #expect(received.starts(with: Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8)))
        #expect(!host.stage.now.answered.contains("/next"))
        #expect(try other.get("/").status == 200)
        #expect(host.leavesNothing(but: 1))
    }

    @Test(
        "a body that turns out shorter than its head has promised ends the connection after what there is",
        arguments: [
            Row(target: "/file/2000000", count: 1 << 20), Row(target: "/pieces/m10,f100000,x", count: 100_010),
            Row(target: "/pieces/x", count: 0), Row(target: "/pieces/f1000000,f1000000,m5", count: 1 << 20),
        ]
    )
    func tooShort(_ row: Row) throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.send("GET \(row.target) HTTP/1.1\r\nHost: a\r\n\r\n")
        let received = try connection.readToEnd()
        #expect(received.suffix(row.count).elementsEqual(host.stage.content[..<row.count]))
        #expect(received.dropLast(row.count).suffix(4).elementsEqual(Array("\r\n\r\n".utf8)))
        #expect(host.leavesNothing())
    }

    @Test(
        "connections that are reset in the middle of an answer leave nothing behind",
        arguments: ["/file", "/memory/6000000", "/pieces/m5,f5000000,m5"]
    )
    func resets(target: String) throws {
        let host = try TransportHost(Stage(contentSize: 6 * Self.megabyte))
        let survivor = try host.connect()
        try survivor.get("/")
        for round in 0..<100 {
            let connection = try host.connect(receiveBuffer: 4096)
            try connection.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            if round % 3 > 0 { _ = try connection.read(atLeast: 1) }
            if round % 3 > 1 { connection.finishSending() }
            connection.reset()
        }
        #expect(host.leavesNothing(but: 1))
        #expect(try survivor.get(target).status == 200)
    }

    @Test("a hundred slow downloads of one file go on side by side")
    func manyDownloads() throws {
        let host = try TransportHost(Stage(contentSize: 4 * Self.megabyte))
        let connections = try (0..<100).map { _ in try host.connect(receiveBuffer: 1 << 16) }
        for connection in connections { try connection.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n") }
        #expect(host.comesTo(connections: 100))
        #expect(try host.connect().get("/").status == 200)
        for connection in connections.reversed() {
            #expect(try connection.response().body == host.stage.content)
            connection.close()
        }
        #expect(host.leavesNothing())
    }
}
