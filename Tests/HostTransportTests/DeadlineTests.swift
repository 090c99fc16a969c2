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
            let connection = try host.connectAnsweredOnce()
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
        let connection = try host.connectAnsweredOnce()
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
        let connection = try host.connectAnsweredOnce()
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
        // On a busy machine the first may be idle for too long before it asks.
        var begun: RawConnection?
        _ = try eventually {
            let connection = try host.connect()
            try? connection.send("GET /job/long HTTP/1.1\r\nHost: a\r\n\r\n")
            while !host.stage.now.begun.contains("long") { if connection.hasNews(within: 5) { return false } }
            begun = connection
            return true
        }
        let busy = try #require(begun)
        let fresh = try host.connect()
        let kept = try host.connectAnsweredOnce()
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
        let isKept = try holds(unlessLaterThan: 3_500) { pace in
            let host = try TransportHost {
                $0.headTime = 5_000
                $0.idleTime = 5_000
            }
            let connection = try host.connect()
            for _ in 0..<7 {
                try connection.get("/")
                pace.step()
                guard host.stage.wait(rounds: 1) else { return false }
            }
            return try connection.get("/").status == 200
        }
        #expect(isKept)
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
        // The one worker is free again, on a busy machine perhaps not within this job's time.
        #expect(try eventually { try host.connect().get("/job/stuck").text == "job stuck" })
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
        let isWhole = try holds(unlessLaterThan: 3_000) { pace in
            let host = try TransportHost(Stage(contentSize: 20_000_000)) { $0.stallTime = 5_000 }
            let connection = try host.connect(receiveBuffer: 4096)
            try connection.send("GET /file HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            // So little that the socket's buffer, which holds hundreds of KiB, has no room for more the whole time.
            let little = try readLittle(of: connection, host, &pace)
            guard little > 0, host.server.openConnections == 1 else { return false }
            return try little + readToEnd(of: connection, &pace) > 20_000_000
        }
        #expect(isWhole)
    }

    /// Reads once a second; nothing where the connection ends meanwhile.
    private func readLittle(of connection: RawConnection, _ host: TransportHost, _ pace: inout Pace) throws -> Int {
        var received = 0
        for _ in 0..<8 {
            let count = try connection.read(atLeast: 1).count
            pace.step()
            guard count > 0, host.stage.wait(rounds: 1) else { return 0 }
            received += count
        }
        return received
    }

    /// Reads all that comes, as fast as the machine lets it.
    private func readToEnd(of connection: RawConnection, _ pace: inout Pace) throws -> Int {
        var received = 0
        while true {
            let count = try connection.read(atLeast: 1).count
            pace.step()
            if count == 0 { return received }
            received += count
        }
    }

    @Test("a peer that is slow, then quick, then slow again is served to the end")
    func uneven() throws {
        let isWhole = try holds(unlessLaterThan: 3_000) { pace in
            let host = try TransportHost(Stage(contentSize: 30_000_000)) { $0.stallTime = 5_000 }
            let connection = try host.connect(receiveBuffer: 4096)
            try connection.send("GET /file HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            var received = try readLittle(of: connection, host, &pace)
            // The kernel's buffer grows meanwhile: from now on more is on its way than when the progress was looked at.
            while received < 15_000_000 {
                let count = try connection.read(atLeast: 1).count
                pace.step()
                guard count > 0 else { return false }
                received += count
            }
            let little = try readLittle(of: connection, host, &pace)
            guard little > 0, host.server.openConnections == 1 else { return false }
            return try received + little + readToEnd(of: connection, &pace) > 30_000_000
        }
        #expect(isWhole)
    }
}
