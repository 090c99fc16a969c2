import HTTPWire
import HostTransport
import TestSupport
import Testing

/// Requests whose answer is looked for on another thread.
@Suite("Jobs: who waits, who does not, and in which order", .waits)
struct JobTests {
    @Test("RFC 9112 9.3.2: requests behind one whose job is under way wait for it; other connections do not")
    func order() throws {
        let host = try TransportHost(workers: 2)
        let connection = try host.connect()
        let other = try host.connect()
        try connection.send(
            "GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /job/one HTTP/1.1\r\nHost: a\r\n\r\n"
                + "GET /b HTTP/1.1\r\nHost: a\r\n\r\nGET /job/two HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        #expect(try connection.response().text == "first GET /a")
        #expect(host.stage.hasBegun("one"))
        // Open already, but not its turn; and what comes while the job runs is kept.
        host.stage.open("two")
        try connection.send("GET /c HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try other.get("/other").text == "first GET /other")
        #expect(!connection.hasNews(within: 0))
        host.stage.open("one")
        #expect(try connection.response().text == "job one")
        #expect(try connection.response().text == "first GET /b")
        #expect(try connection.response().text == "job two")
        #expect(try connection.response().text == "first GET /c")
        #expect(host.stage.now.answered == ["/a", "/other", "/job/one", "/b", "/job/two", "/c"])
    }

    @Test("a job whose client is gone ends for nobody, also when its place is another client's by then")
    func clientGone() throws {
        let host = try TransportHost(workers: 2)
        let first = try host.connect()
        try first.send("GET /job/lost HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(host.stage.hasBegun("lost"))
        first.reset()
        #expect(host.comesTo(connections: 0))
        let second = try host.connect()
        try second.send("GET /job/found HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(host.stage.hasBegun("found"))
        host.stage.open("lost")
        try host.connect().get("/")
        host.stage.open("found")
        #expect(try second.response().text == "job found")
        #expect(try second.get("/after").text == "first GET /after")
        #expect(!host.stage.now.answered.contains("/job/lost"))
    }

    @Test("a job that waits is not begun when its client is gone")
    func clientGoneWhileWaiting() throws {
        let host = try TransportHost()
        let running = try host.connect()
        try running.send("GET /job/running HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(host.stage.hasBegun("running"))
        let lost = try host.connect()
        try lost.deliver("GET /job/lost HTTP/1.1\r\nHost: a\r\n\r\n")
        let other = try host.connect()
        try other.get("/")
        lost.reset()
        #expect(host.comesTo(connections: 2))
        host.stage.openAll()
        #expect(try other.get("/job/after").text == "job after")
        #expect(host.stage.now.begun == ["running", "after"])
    }

    @Test("jobs whose clients are gone do not take the places of others in the queue")
    func goneClientsMakeRoom() throws {
        let host = try TransportHost { $0.waitingJobs = 2 }
        let running = try host.connect()
        try running.send("GET /job/running HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(host.stage.hasBegun("running"))
        for index in 0..<5 {
            let lost = try host.connect()
            try lost.deliver("GET /job/lost\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
            try host.connect().get("/")
            lost.reset()
            #expect(host.comesTo(connections: 1))
        }
        #expect(host.stage.now.rejections == [])
        host.stage.openAll()
        #expect(try running.response().text == "job running")
        #expect(host.stage.now.begun == ["running"])
    }

    @Test("a stop waits for a job that never ends no longer than for a client; those that wait are not begun")
    func stuckJob() throws {
        let host = try TransportHost { $0.drainTime = 300 }
        let connections = try ["stuck", "waiting"].map { name in
            let connection = try host.connect()
            try connection.deliver("GET /job/\(name) HTTP/1.1\r\nHost: a\r\n\r\n")
            try host.connect().get("/")
            return connection
        }
        #expect(host.stage.hasBegun("stuck"))
        let stopping = try host.stopInBackground()
        #expect(stopping.endsEventually)
        for connection in connections { #expect(connection.isClosedByPeer()) }
        #expect(host.stage.now.begun == ["stuck"])
    }

    @Test("when as many jobs wait as may, a further request is answered 503 at once; those that wait are served")
    func queueIsFull() throws {
        let host = try TransportHost { $0.waitingJobs = 2 }
        let running = try host.connect()
        try running.send("GET /job/running HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(host.stage.hasBegun("running"))
        let waiting = try (0..<2).map { _ in try host.connect() }
        for (index, connection) in waiting.enumerated() {
            try connection.deliver("GET /job/w\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
            // In order, so that the one too many is the last.
            try host.connect().get("/")
        }
        let refused = try host.connect()
        let answer = try refused.get("/job/refused")
        #expect(answer.status == 503)
        #expect(answer["Connection"] == "close")
        #expect(host.stage.now.rejections == [.overCapacity])
        host.stage.openAll()
        #expect(try running.response().text == "job running")
        for (index, connection) in waiting.enumerated() { #expect(try connection.response().text == "job w\(index)") }
        #expect(try running.get("/job/again").text == "job again")
        #expect(!host.stage.now.begun.contains("refused"))
    }

    @Test("an answer that asks for a second job is 503: a request waits once")
    func secondJob() throws {
        let host = try TransportHost()
        #expect(try host.connect().get("/again").status == 503)
        #expect(host.stage.now.rejections == [.overCapacity])
    }

    @Test("a hundred connections with jobs on four threads each get their own answer")
    func many() throws {
        let host = try TransportHost(loops: 2, workers: 4)
        host.stage.openAll()
        let connections = try (0..<100).map { _ in try host.connect() }
        for round in 0..<3 {
            for (index, connection) in connections.enumerated() {
                try connection.send("GET /job/\(round).\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            for (index, connection) in connections.enumerated() {
                #expect(try connection.response().text == "job \(round).\(index)")
            }
        }
    }
}
