import HostTransport
import TestSupport
import Testing

/// RFC 9112, section 9.6: a server that closes while octets are on their way to it answers them with a reset, and a reset
/// destroys what the client has not received yet. The tail of an answer stands in the kernel's buffer for as long as a
/// slow client takes.
@Suite("The last answer of a connection arrives whole, whatever the client sends meanwhile", .waits)
struct LastAnswerTests {
    private static let size = 700_000

    /// A client that has asked for an answer, reads nothing of it, and all of it is in the kernel's hands.
    private func unreadAnswer(_ host: TransportHost, _ request: String) throws -> RawConnection {
        let connection = try host.connect(receiveBuffer: 4096)
        try connection.send(request)
        try #require(eventually { host.stage.now.handedOver == ["/pieces/m\(Self.size)"] })
        return connection
    }

    @Test(
        "RFC 9112 9.6: octets that come after the last request do not cost the client its answer",
        arguments: [
            "GET /pieces/m\(size) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            "GET /pieces/m\(size) HTTP/1.0\r\n\r\n",
        ],
        ["\r\n", "GET /late HTTP/1.1\r\nHost: a\r\n\r\n"]
    )
    func lateOctets(request: String, late: String) throws {
        let host = try TransportHost()
        let connection = try unreadAnswer(host, request)
        try connection.send(late)
        #expect(try connection.response().body == Array(host.stage.content[..<Self.size]))
        #expect(try connection.endsInOrder())
        connection.close()
        #expect(host.comesTo(connections: 0))
    }

    @Test("octets that come together with the client's end do not cost it its answer either")
    func lateOctetsAndEnd() throws {
        let host = try TransportHost()
        let other = try host.connect()
        let connection = try unreadAnswer(host, "GET /pieces/m\(Self.size) HTTP/1.0\r\n\r\n")
        try other.send("GET /hold/loop HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(host.stage.hasBegun("loop"))
        // Both are there when the loop looks next: octets that it must read although both sides have ended.
        try connection.send("\r\n")
        connection.finishSending()
        host.stage.open("loop")
        #expect(try connection.response().body == Array(host.stage.content[..<Self.size]))
        #expect(try connection.endsInOrder())
    }

    @Test("the time that a peer is given to end begins when it has everything: a slow one is not cut short")
    func slowTail() throws {
        let isWhole = try holds(unlessLaterThan: 2_500) { pace in
            let host = try TransportHost { $0.lingerTime = 4_000 }
            let connection = try unreadAnswer(host, "GET /pieces/m\(Self.size) HTTP/1.0\r\n\r\n")
            var received: [UInt8] = []
            for _ in 0..<9 {
                received += try connection.read(atLeast: 1)
                pace.step()
                guard host.stage.wait(rounds: 1) else { return false }
            }
            guard host.server.openConnections == 1 else { return false }
            try connection.send("\r\n")
            received += try connection.readToEnd()
            guard received.count > Self.size, received.suffix(Self.size) == host.stage.content[..<Self.size] else {
                return false
            }
            // And then it is given no more than that time.
            return host.comesTo(connections: 0)
        }
        #expect(isWhole)
    }

    @Test("a stop does not cost a kept client the tail of its answer when its next request comes too late")
    func stopped() throws {
        let host = try TransportHost()
        let connection = try unreadAnswer(host, "GET /pieces/m\(Self.size) HTTP/1.1\r\nHost: a\r\n\r\n")
        let idle = try host.connect()
        try idle.get("/")
        let stopping = try host.stopInBackground()
        // Ended after the other one, which has the earlier place.
        #expect(idle.isClosedByPeer())
        try connection.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.response().body == Array(host.stage.content[..<Self.size]))
        #expect(try connection.endsInOrder())
        connection.close()
        #expect(stopping.endsEventually)
    }
}
