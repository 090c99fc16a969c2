import Glibc
import HostSystem
import TestSupport
import Testing

@testable import HostTransport

@Suite("Draining: what a stop ends, and what it lets finish", .waits)
struct DrainTests {
    @Test("idle connections end, new ones are refused, and stop returns", arguments: [1, 2])
    func idle(loops: Int) throws {
        let host = try TransportHost(loops: loops)
        let connections = try (0..<10).map { _ in try host.connect() }
        for connection in connections { try connection.get("/") }
        let fresh = try host.connect()
        #expect(host.comesTo(connections: 11))
        host.server.stop()
        for connection in connections { #expect(try connection.endsInOrder()) }
        #expect(fresh.isClosedByPeer())
        #expect(throws: RawConnection.Failure.self) { try host.connect() }
        #expect(host.leavesNothing())
        // Once more does no harm.
        host.server.stop()
    }

    @Test(
        "answers under way are finished while new connections are refused",
        arguments: ["/file", "/memory/20000000", "/pieces/m9,f19999990,m1"]
    )
    func underWay(target: String) throws {
        let host = try TransportHost(Stage(contentSize: 20_000_000))
        let download = try host.connect(receiveBuffer: 4096)
        try download.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(eventually { host.stage.now.answered == [target] })
        let idle = try host.connect()
        try idle.get("/")
        let stopping = try host.stopInBackground()
        #expect(idle.isClosedByPeer())
        #expect(eventually { (try? host.connect()) == nil })
        #expect(!stopping.hasEnded)
        #expect(try download.response().body == host.stage.content)
        download.finishSending()
        #expect(try download.endsInOrder())
        #expect(stopping.endsEventually)
        // What stood behind it is the next server's business.
        #expect(host.stage.now.answered == [target, "/"])
        #expect(host.leavesNothing())
    }

    @Test("a job under way and a request half received are answered, with Connection: close")
    func requestsUnderWay() throws {
        let host = try TransportHost { $0.drainHeadTime = 60_000 }
        let job = try host.connect()
        let half = try host.connect()
        let other = try host.connect()
        try job.send("GET /job/j HTTP/1.1\r\nHost: a\r\n\r\n")
        try half.send("GET /half HTTP/1.1\r\n")
        #expect(host.stage.hasBegun("j"))
        try other.get("/")
        let stopping = try host.stopInBackground()
        #expect(other.isClosedByPeer())
        try half.send("Host: a\r\n\r\n")
        let answer = try half.response()
        #expect(answer.text == "first GET /half")
        #expect(answer["Connection"] == "close")
        #expect(!stopping.hasEnded)
        host.stage.open("j")
        #expect(try job.response().text == "job j")
        for connection in [job, half] {
            #expect(try connection.endsInOrder())
            connection.close()
        }
        #expect(stopping.endsEventually)
    }

    @Test("a head that does not come to its end holds a stop for about a second, not for its whole deadline")
    func unfinishedHead() throws {
        let host = try TransportHost {
            $0.headTime = 600_000
            $0.lingerTime = 600_000
            $0.drainTime = 600_000
        }
        let half = try host.connect()
        let other = try host.connect()
        try half.send("GET / HT")
        try other.get("/")
        let stopping = try host.stopInBackground()
        let answer = try half.response()
        #expect(answer.status == 408)
        #expect(answer["Connection"] == "close")
        // It does not even end when it has been told.
        #expect(stopping.endsEventually)
    }

    @Test("when the drain time is over, what still stalls is cut")
    func timeout() throws {
        let host = try TransportHost(Stage(contentSize: 20_000_000)) {
            $0.drainTime = 300
            // Or else the head's own time may be over first, when the loop's second comes late, and it is answered.
            $0.drainHeadTime = 600_000
        }
        let connections = try (0..<5).map { _ in try host.connect(receiveBuffer: 4096) }
        for connection in connections { try connection.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n") }
        let half = try host.connect()
        try half.send("GET / HT")
        #expect(eventually { host.stage.now.answered.count == 5 })
        let stopping = try host.stopInBackground()
        #expect(stopping.endsEventually)
        for connection in connections { #expect(try connection.readToEnd().count < 20_000_000) }
        #expect(half.isClosedByPeer())
        #expect(host.leavesNothing())
    }

    @Test(
        "a request that has arrived when the stop comes is answered, on an old connection and on one not accepted yet"
    )
    func requestAtTheSameMoment() throws {
        // A loop of the test's own, so that the stop can be put in front of the requests.
        ControlSignal.ignoreBrokenPipes()
        let stage = try Stage()
        let (listeners, addresses) = try Server.bind(
            [ListenerRequest(.internet(host: "127.0.0.1", port: 0), handler: 0)],
            loops: 1
        )
        let handOver = Monitor(listeners[0])
        let mailbox = try LoopMailbox()
        let thread = try OSThread(name: "loop") {
            let shared = SharedState(workers: WorkerPool(limit: 1), connectionLimit: 1000, onNotice: { _ in })
            let loop = try? EventLoop(
                limits: TransportLimits(),
                listeners: handOver.update { listeners in
                    defer { listeners = [] }
                    return listeners
                },
                shared: shared,
                mailbox: mailbox,
                clock: LoopClock(),
                handlers: [ScriptedHandler(name: "first", stage: stage)]
            )
            try? loop?.run()
        }
        let kept = try RawConnection(to: addresses[0])
        try kept.get("/before")
        let idle = try RawConnection(to: addresses[0])
        try idle.get("/before")
        let holder = try RawConnection(to: addresses[0])
        try holder.send("GET /hold/loop HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(stage.hasBegun("loop"))
        mailbox.post(.drain)
        try kept.deliver("GET /kept HTTP/1.1\r\nHost: a\r\n\r\n")
        let waiting = try (0..<100).map { index in
            let connection = try RawConnection(to: addresses[0])
            try connection.deliver("GET /waiting HTTP/1.1\r\nHost: a\r\n\r\n")
            return connection
        }
        stage.open("loop")

        for (connection, text) in [(kept, "first GET /kept")] + waiting.map({ ($0, "first GET /waiting") }) {
            let answer = try connection.response()
            #expect(answer.text == text)
            #expect(answer["Connection"] == "close")
            #expect(try connection.endsInOrder())
            connection.close()
        }
        #expect(idle.isClosedByPeer())
        thread.join()
    }
}
