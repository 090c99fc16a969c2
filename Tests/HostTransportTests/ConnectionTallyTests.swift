import Glibc
import HostSystem
import HostTransport
import Synchronization
import TestSupport
import Testing

/// A way in which a connection ends, with what has to be set for it.
struct ConnectionEnd: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Requests, or a part of one, that are sent at the beginning.
    let sent: String
    var configure: @Sendable (inout TransportLimits) -> Void = { _ in }
    /// What the peer does when the server counts the connection as it should; gets the connection and its host.
    var then: @Sendable (RawConnection, TransportHost) throws -> Void = { connection, _ in connection.reset() }
    /// How it counts until then.
    var isActive = true

    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx"
    private static let file = "GET /file HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let job = "GET /job/j HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func leave(_ connection: RawConnection, _ host: TransportHost) { connection.close() }
    private static func wait(_ connection: RawConnection, _ host: TransportHost) {}

    /// Every phase with a reset, then whatever else ends one.
    static let all: [ConnectionEnd] = [
        ConnectionEnd(testDescription: "reset before a request", sent: "", isActive: false),
        ConnectionEnd(testDescription: "reset between requests", sent: get, isActive: false),
        ConnectionEnd(testDescription: "reset within a head", sent: get + "GET / HT"),
        ConnectionEnd(testDescription: "reset within a body", sent: post),
        ConnectionEnd(testDescription: "reset while a job looks", sent: job),
        ConnectionEnd(testDescription: "reset while an answer is sent", sent: file),
        ConnectionEnd(testDescription: "reset after the last answer", sent: "hello\r\n\r\n"),
        ConnectionEnd(testDescription: "closed before a request", sent: "", then: leave, isActive: false),
        ConnectionEnd(testDescription: "closed within a head", sent: "GET / HT", then: leave),
        ConnectionEnd(testDescription: "closed within a body", sent: post, then: leave),
        ConnectionEnd(testDescription: "closed while an answer is sent", sent: file, then: leave),
        ConnectionEnd(testDescription: "closed after the last answer", sent: "hello\r\n\r\n", then: leave),
        ConnectionEnd(
            testDescription: "idle for too long",
            sent: get,
            configure: { $0.idleTime = 1_500 },
            then: wait,
            isActive: false
        ),
        ConnectionEnd(
            testDescription: "never a request",
            sent: "",
            configure: { $0.headTime = 1_500 },
            then: wait,
            isActive: false
        ),
        ConnectionEnd(
            testDescription: "too long for a head, and for an end",
            sent: "GET / HT",
            configure: {
                $0.headTime = 300
                $0.lingerTime = 1_500
            },
            then: wait
        ),
        ConnectionEnd(testDescription: "a stalled answer", sent: file, configure: { $0.stallTime = 1_500 }, then: wait),
        ConnectionEnd(
            testDescription: "a job that takes too long",
            sent: job,
            configure: {
                $0.jobTime = 1_500
                $0.lingerTime = 300
            },
            then: { _, host in
                #expect(eventually { host.stage.now.rejections == [.overCapacity] })
                host.stage.open("j")
            }
        ),
        ConnectionEnd(
            testDescription: "more octets after the last answer than are taken",
            sent: "hello\r\n\r\n",
            configure: { $0.lingerOctets = 10 },
            then: { connection, _ in try connection.send("hello, hello") }
        ),
        ConnectionEnd(
            testDescription: "a file that is too short",
            sent: "GET /pieces/f1,x HTTP/1.1\r\nHost: a\r\n\r\n",
            then: wait
        ),
        ConnectionEnd(
            testDescription: "a stop between requests",
            sent: get,
            then: { _, host in host.server.stop() },
            isActive: false
        ),
        ConnectionEnd(
            testDescription: "a stop while an answer is sent, which then stalls",
            sent: file,
            configure: { $0.drainTime = 300 },
            then: { _, host in host.server.stop() }
        ),
        ConnectionEnd(
            testDescription: "a stop within a head",
            sent: "GET / HT",
            configure: {
                $0.drainHeadTime = 300
                $0.drainTime = 2_000
            },
            then: { _, host in host.server.stop() }
        ),
    ]
}

@Suite("Counts of connections: right in every phase, and after every way in which one can end")
struct ConnectionTallyTests {
    private func counts(_ host: TransportHost, _ handler: Int = 0) -> [UInt64] {
        let figures = host.server.figures(ofHandler: handler)
        return [figures.accepted, figures.active, figures.idle]
    }

    @Test("idle: nothing of a request has arrived; active: everything else")
    func phases() throws {
        let host = try TransportHost(Stage(contentSize: 20_000_000)) { $0.headTime = 600_000 }
        let connection = try host.connect(receiveBuffer: 4096)
        #expect(eventually { counts(host) == [1, 0, 1] })
        try connection.send("G")
        #expect(eventually { counts(host) == [1, 1, 0] })
        try connection.send("ET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try connection.response()
        #expect(eventually { counts(host) == [1, 0, 1] })
        try connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx")
        #expect(eventually { counts(host) == [1, 1, 0] })
        try connection.send("x")
        _ = try connection.response()
        #expect(eventually { counts(host) == [1, 0, 1] })
        // Two requests in one go, the second of which has to wait.
        try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /job/j HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try connection.response()
        #expect(host.stage.hasBegun("j"))
        #expect(counts(host) == [1, 1, 0])
        host.stage.open("j")
        _ = try connection.response()
        #expect(eventually { counts(host) == [1, 0, 1] })
        try connection.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(eventually { counts(host) == [1, 1, 0] && host.server.figures(ofHandler: 0).sending == 1 })
        #expect(try connection.response().body.count == 20_000_000)
        #expect(eventually { counts(host) == [1, 0, 1] && host.server.figures(ofHandler: 0).sending == 0 })
        // Answered and told to end: as long as it does not, it is not idle.
        try connection.send("GET /last HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.response().text == "last")
        #expect(eventually { counts(host) == [1, 1, 0] })
        connection.close()
        #expect(eventually { counts(host) == [1, 0, 0] })
    }

    @Test("a loop sees its own request as active")
    func withinAnAnswer() throws {
        let host = try TransportHost()
        let connection = try host.connect()
        try connection.send("GET /hold/h HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(host.stage.hasBegun("h"))
        #expect(counts(host) == [1, 1, 0])
    }

    @Test("whatever ends a connection, it is counted no more", arguments: ConnectionEnd.all)
    func ends(_ end: ConnectionEnd) throws {
        let host = try TransportHost(Stage(contentSize: 20_000_000), configure: end.configure)
        let connection = try host.connect(receiveBuffer: 4096)
        try connection.send(end.sent)
        if !end.isActive, !end.sent.isEmpty { _ = try connection.response() }
        // A deadline, or a file that ends, may be faster than this test looks.
        #expect(
            eventually {
                counts(host) == (end.isActive ? [1, 1, 0] : [1, 0, 1]) || counts(host) == [1, 0, 0]
            }
        )
        try end.then(connection, host)
        #expect(eventually { counts(host) == [1, 0, 0] })
        #expect(host.server.figures(ofHandler: 0).sending == 0)
        #expect(host.server.openConnections == 0)
    }

    @Test("connections that were not accepted are not counted")
    func beyondTheLimit() throws {
        let host = try TransportHost { $0.connections = 2 }
        let accepted = try (0..<2).map { _ in try host.connect() }
        for connection in accepted { try connection.get("/") }
        let waiting = try host.connect()
        try waiting.send("GET /third HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(host.stage.wait(rounds: 1))
        #expect(counts(host) == [2, 0, 2])
        accepted[0].close()
        #expect(try waiting.response().status == 200)
        #expect(eventually { counts(host) == [3, 0, 2] })
    }

    @Test("each handler's listeners are counted for themselves, all loops together")
    func listeners() throws {
        let loopback = ListenAddress.internet(host: "127.0.0.1", port: 0)
        let host = try TransportHost(listeners: [loopback, loopback], loops: 2)
        let first = try (0..<20).map { _ in try host.connect(to: 0) }
        let second = try host.connect(to: 1)
        for connection in first { try connection.get("/") }
        try second.send("GET")
        #expect(eventually { counts(host, 0) == [20, 0, 20] && counts(host, 1) == [1, 1, 0] })
        #expect(counts(host, 2) == [0, 0, 0])
        host.server.stop()
        // What was counted stays told.
        #expect(counts(host, 0) == [20, 0, 0] && counts(host, 1) == [1, 0, 0])
    }

    @Test(
        "octets sent are those that the peer gets, heads included",
        arguments: ["/memory/0", "/memory/300000", "/file", "/file/0", "/pieces/m10,f20,m5", "/job/open", "/other"]
    )
    func octets(_ target: String) throws {
        let host = try TransportHost()
        host.stage.openAll()
        for method in ["GET", "HEAD"] {
            let before = host.server.figures(ofHandler: 0).sent
            let connection = try host.connect()
            try connection.send("\(method) \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let got = try connection.readToEnd().count
            #expect(got > 0)
            #expect(eventually { host.server.figures(ofHandler: 0).sent == before + UInt64(got) })
        }
    }

    @Test("whoever reads while connections come and go sees numbers of one moment: none is negative")
    func concurrently() throws {
        let host = try TransportHost(loops: 2) { $0.lingerTime = 300 }
        let isOver = Atomic<Bool>(false)
        let most = Atomic<UInt64>(0)
        let looks = Atomic<Int>(0)
        // A negative number would be one of the greatest.
        let reader = try OSThread(name: "reader") {
            while !isOver.load(ordering: .relaxed) {
                let figures = host.server.figures(ofHandler: 0)
                most.store(
                    max(most.load(ordering: .relaxed), figures.active, figures.idle, figures.sending),
                    ordering: .relaxed
                )
                looks.add(1, ordering: .relaxed)
            }
        }
        for round in 0..<300 {
            let connection = try host.connect()
            try connection.get("/")
            if round.isMultiple(of: 2) { connection.reset() } else { connection.close() }
        }
        isOver.store(true, ordering: .relaxed)
        reader.join()
        #expect(looks.load(ordering: .relaxed) > 0)
        #expect(most.load(ordering: .relaxed) <= 300)
        #expect(eventually { counts(host) == [300, 0, 0] })
    }
}
