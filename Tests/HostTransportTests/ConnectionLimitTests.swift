import Glibc
import HostTransport
import TestSupport
import Testing

@Suite("The limit of connections", .waits)
struct ConnectionLimitTests {
    @Test("one more than may be waits in the kernel's queue, costs nothing, and is served when a place is free")
    func oneMore() throws {
        let host = try TransportHost { $0.connections = 2 }
        let first = try host.connect()
        let second = try host.connect()
        try first.get("/")
        try second.get("/")
        let third = try host.connect()
        try third.send("GET /third HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(host.stage.wait(rounds: 1))
        let before = host.stage.loopMilliseconds
        #expect(host.stage.wait(rounds: 3))
        // Three seconds in which a listener that stays readable could turn the loop without end.
        let used = host.stage.loopMilliseconds - before
        #expect(used < 300, "\(used) ms of CPU time")
        #expect(!third.hasNews(within: 0))
        #expect(host.server.openConnections == 2)
        #expect(host.stage.now.notices.first?.hasPrefix("as many connections are open") == true)
        #expect(try first.get("/").status == 200)

        second.close()
        #expect(try third.response().text == "first GET /third")
        #expect(try first.get("/").status == 200)
        #expect(host.server.openConnections == 2)
    }

    @Test("accept(2) without a descriptor left (EMFILE): those who are served go on, the others wait without cost")
    func noDescriptorLeft() async {
        // In a process of its own: the limit would be that of all tests.
        await #expect(processExitsWith: .success) {
            let host = try TransportHost { $0.connections = 1000 }
            let kept = try host.connect()
            try kept.send("GET /hold/loop HTTP/1.1\r\nHost: a\r\n\r\n")
            try #require(host.stage.hasBegun("loop"))
            // While the loop stands still, twenty connections come and the descriptors go.
            var clients = try (0..<20).map { _ in
                let client = try host.connect()
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return client
            }
            let highest = try #require(Descriptors.all().max())
            // The tests' process may have handed down descriptors with gaps between them: those are filled, for the
            // limit is on the highest number, not on how many there are.
            var filler = dup(0)
            while filler >= 0, filler < highest { filler = dup(0) }
            close(filler)
            var limit = rlimit()
            try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            limit.rlim_cur = rlim_t(highest) + 5
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            host.stage.open("loop")
            _ = try kept.response()
            try #require(host.stage.wait(rounds: 1))
            let before = host.stage.loopMilliseconds
            try #require(host.stage.wait(rounds: 2))
            #expect(host.stage.loopMilliseconds - before < 200)
            #expect(host.stage.now.notices.first?.hasPrefix("cannot accept connections: ") == true)
            #expect(try kept.get("/").status == 200)
            let served = host.server.openConnections
            #expect(served > 1 && served < 21)
            // Each that ends makes room for the next.
            while !clients.isEmpty { #expect(try clients.removeFirst().response().status == 200) }
            #expect(host.comesTo(connections: 1))
        }
    }

    @Test("many more than may be are served one after the other, by several loops")
    func manyMore() throws {
        let host = try TransportHost(loops: 2) {
            $0.connections = 3
            $0.lingerTime = 300
        }
        var connections = try (0..<20).map { index in
            let connection = try host.connect()
            try connection.send("GET /\(index) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return connection
        }
        while let connection = connections.popLast() {
            #expect(try connection.response().text == "first GET /\(connections.count)")
        }
        #expect(host.comesTo(connections: 0))
    }

    @Test("an idle loop uses next to no CPU time, with connections in every phase")
    func idleLoop() throws {
        let host = try TransportHost(Stage(contentSize: 20_000_000)) {
            $0.headTime = 60_000
            $0.lingerTime = 60_000
        }
        let idle = try host.connect()
        let inHead = try host.connect()
        let inBody = try host.connect()
        let inJob = try host.connect()
        let sending = try host.connect(receiveBuffer: 4096)
        let halfClosed = try host.connect(receiveBuffer: 4096)
        let lingering = try host.connect()
        try idle.get("/")
        try inHead.send("GET / HT")
        try inBody.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx")
        try inJob.send("GET /job/j HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try sending.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try halfClosed.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n")
        halfClosed.finishSending()
        try lingering.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\nx")
        try lingering.send([UInt8](repeating: 0x78, count: 70_000))
        #expect(host.stage.wait(rounds: 1))
        let before = host.stage.loopMilliseconds
        #expect(host.stage.wait(rounds: 2))
        let used = host.stage.loopMilliseconds - before
        #expect(used < 200, "\(used) ms of CPU time")
        #expect(host.server.openConnections == 7)
    }
}
