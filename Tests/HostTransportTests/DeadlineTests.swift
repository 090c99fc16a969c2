import HTTPWire
import HostTransport
import TestSupport
import Testing

/// Who is waited for, and for how long. The wheel looks once a second, so limits of a few hundred milliseconds mean
/// a second or two; nothing here depends on how long it takes, only on what happens in the end.
@Suite("Deadlines: slow is served, silent is not", .waits)
struct DeadlineTests {
    @Test("RFC 9110 15.5.9: a head that does not come to its end is answered 408")
    func headDeadline() throws {
        let host = try TransportHost { $0.headTime = 2_000 }
        let parts = [
            "G", "GET / HTTP/1.1\r\nHost: a\r\n",
            // Behind a whole request the head's deadline holds as well, not that of an idle connection.
            "GET /whole HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n",
        ]
        let connections = try parts.map { part in
            let connection = try host.connect()
            try connection.send(part)
            return connection
        }
        #expect(try connections[2].response().text == "first GET /whole")
        for (part, connection) in zip(parts, connections) {
            let answer = try connection.response()
            #expect(answer.status == 408, "\(part)")
            #expect(answer["Connection"] == "close")
            connection.finishSending()
            #expect(connection.isClosedByPeer())
        }
        #expect(host.stage.now.rejections == [.timedOut, .timedOut, .timedOut])
        #expect(host.comesTo(connections: 0))
    }

    @Test("a head that comes octet by octet does not move its deadline")
    func trickle() throws {
        let host = try TransportHost { $0.headTime = 2_000 }
        let connection = try host.connect()
        try connection.send("GET / HTTP/1.1\r\nX: ")
        var sent = 0
        while sent < 1000, !connection.hasNews(within: 20) {
            try connection.send("y")
            sent += 1
        }
        #expect(sent < 1000)
        #expect(try connection.response().status == 408)
    }

    @Test("a body that does not come to its end is answered 408")
    func bodyDeadline() throws {
        let host = try TransportHost { $0.headTime = 2_000 }
        let connection = try host.connect()
        try connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
        #expect(try connection.response().status == 408)
        #expect(host.stage.now.rejections == [.timedOut])
    }

    @Test("idle connections end without an answer; one whose job is under way does not")
    func idleDeadline() throws {
        let host = try TransportHost {
            $0.headTime = 2_000
            $0.idleTime = 2_000
        }
        let fresh = try host.connect()
        let kept = try host.connect()
        let busy = try host.connect()
        try kept.get("/")
        try busy.send("GET /job/long HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(fresh.isClosedByPeer())
        #expect(kept.isClosedByPeer())
        #expect(host.comesTo(connections: 1))
        host.stage.open("long")
        #expect(try busy.response().text == "job long")
        #expect(busy.isClosedByPeer())
        #expect(host.stage.now.rejections == [])
    }

    @Test("a connection that is used is not idle, however long it lasts")
    func usedConnection() throws {
        let host = try TransportHost {
            $0.headTime = 5_000
            $0.idleTime = 5_000
        }
        let connection = try host.connect()
        for _ in 0..<7 {
            #expect(try connection.get("/").status == 200)
            #expect(host.stage.wait(rounds: 1))
        }
        #expect(try connection.get("/").status == 200)
    }

    @Test("a job that does not end in time is answered 503, and what it finds later goes nowhere")
    func jobDeadline() throws {
        let host = try TransportHost { $0.jobTime = 2_000 }
        let connection = try host.connect()
        try connection.send("GET /job/stuck HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.response().status == 503)
        host.stage.open("stuck")
        connection.finishSending()
        #expect(connection.isClosedByPeer())
        #expect(host.stage.now.rejections == [.overCapacity])
        #expect(host.stage.now.answered == [])
        #expect(try host.connect().get("/job/stuck").text == "job stuck")
    }

    @Test("a peer that takes nothing of its answer is cut")
    func stall() throws {
        let host = try TransportHost(Stage(contentSize: 20_000_000)) { $0.stallTime = 300 }
        let other = try host.connect()
        let stalled = try ["/memory/20000000", "/file", "/pieces/f20000000"].map { target in
            let connection = try host.connect(receiveBuffer: 4096)
            try connection.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            return connection
        }
        #expect(eventually { host.stage.now.answered.count == 3 })
        try other.get("/")
        #expect(host.leavesNothing(but: 1))
        for connection in stalled { #expect(try connection.readToEnd().count < 20_000_000) }
        #expect(try other.get("/").status == 200)
    }

    @Test("a peer that takes little is served to the end: what it acknowledges counts, not what the socket takes")
    func slowPeer() throws {
        let host = try TransportHost(Stage(contentSize: 20_000_000)) { $0.stallTime = 5_000 }
        let connection = try host.connect(receiveBuffer: 4096)
        try connection.send("GET /file HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        var received = 0
        // So little that the socket's buffer, which holds hundreds of KiB, has no room for more the whole time.
        for _ in 0..<8 {
            received += try connection.read(atLeast: 1).count
            #expect(host.stage.wait(rounds: 1))
        }
        #expect(host.server.openConnections == 1)
        received += try connection.readToEnd().count
        #expect(received > 20_000_000)
    }

    @Test("a peer that is slow, then quick, then slow again is served to the end")
    func uneven() throws {
        let host = try TransportHost(Stage(contentSize: 30_000_000)) { $0.stallTime = 5_000 }
        let connection = try host.connect(receiveBuffer: 4096)
        try connection.send("GET /file HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        var received = 0
        func readLittle() throws {
            for _ in 0..<8 {
                received += try connection.read(atLeast: 1).count
                #expect(host.stage.wait(rounds: 1))
            }
        }
        try readLittle()
        // The kernel's buffer grows meanwhile: from now on more is on its way than when the progress was looked at.
        received += try connection.read(atLeast: 15_000_000).count
        try readLittle()
        #expect(host.server.openConnections == 1)
        received += try connection.readToEnd().count
        #expect(received > 30_000_000)
    }
}
