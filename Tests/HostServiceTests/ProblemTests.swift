import HostService
import HostTransport
import TestSupport
import Testing

@Suite("Problems: what is refused, by GET and by HEAD", .waits, .served(CatalogFixture.publish))
struct ProblemTests {
    @Test("The answer names its cause", arguments: ProblemCase.all)
    func problem(_ row: ProblemCase) throws {
        let document = try expectProblem(row.code, Served.get(row.target), at: row.instance)
        for (name, value) in row.members { #expect(document[name] == value, "\(name)") }
        try expectSameByHead(Served.running(), row.target)
    }

    @Test("Preconditions and Range change nothing where there is nothing (RFC 9110 13.2.1)")
    func unconditional() throws {
        let fields = [("If-None-Match", "*"), ("If-Match", "\"x\""), ("Range", "bytes=0-0")]
        try expectProblem(
            "unknown-file",
            Served.request("GET", "/models/Sam3/1.4.0/x", fields),
            at: "/models/Sam3/1.4.0/x"
        )
        #expect(try Served.request("GET", "/models/Sam3/stable/x", fields).status == 307)
    }

    @Test("precondition-failed by HEAD, and range-not-satisfiable by GET")
    func conditional() throws {
        let target = "/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb"
        try expectProblem("precondition-failed", Served.get(target, ("If-Match", "\"x\"")), at: target)
        try expectSameByHead(Served.running(), target, [("If-Match", "\"x\"")])
        let answer = try Served.get(target, ("Range", "bytes=40000-"))
        let document = try expectProblem("range-not-satisfiable", answer, at: target)
        #expect(document["size"] == 40_000)
    }

    @Test("expectation-failed by GET and HEAD (RFC 9110 10.1.1)")
    func expectation() throws {
        try expectProblem("expectation-failed", Served.get("/models", ("Expect", "200-maybe")), at: "/models")
        try expectSameByHead(Served.running(), "/models", [("Expect", "200-maybe")])
    }

    @Test("method-not-allowed with Allow (RFC 9110 15.5.6)", arguments: ["POST", "PUT", "DELETE", "PATCH", "TRACE"])
    func method(_ method: String) throws {
        for target in ["/models/Sam3/1.4.0/metadata.json", "/models/Sam3/stable/x", "/nothing"] {
            let answer = try Served.request(method, target)
            try expectProblem("method-not-allowed", answer, at: target)
            #expect(answer["Allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test("not-implemented: a method that nobody knows (RFC 9110 9.1)", arguments: ["BREW", "get", "GET2"])
    func unknownMethod(_ method: String) throws {
        try expectProblem("not-implemented", Served.request(method, "/models"), at: "/models")
    }

    @Test("A body with GET is read and dropped; the next request is answered")
    func bodyWithGet() throws {
        let connection = try Served.running().connect()
        try connection.send("GET /models HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello")
        #expect(try connection.response().status == 200)
        #expect(try connection.request("GET", "/healthz").status == 200)
    }

    struct Octets: Sendable, CustomTestStringConvertible {
        let code: String
        let request: String
        var testDescription: String { "\(code): \(request.debugDescription.prefix(60))" }

        static let all = [
            Octets(code: "bad-request", request: "GET / HTTP/1.1\r\n\r\n"),
            Octets(code: "bad-request", request: "GET / HTTP/1.1\nHost: h\n\n"),
            Octets(code: "bad-request", request: "GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n"),
            Octets(code: "bad-request", request: "GET / HTTP/1.1\r\nHost : h\r\n\r\n"),
            Octets(code: "bad-request", request: "hello\r\n\r\n"),
            Octets(
                code: "uri-too-long",
                request: "GET /\(String(repeating: "a", count: 8192)) HTTP/1.1\r\nHost: h\r\n\r\n"
            ),
            Octets(
                code: "header-fields-too-large",
                request: "GET / HTTP/1.1\r\nHost: h\r\n" + String(repeating: "A: b\r\n", count: 100) + "\r\n"
            ),
            Octets(
                code: "header-fields-too-large",
                request: "GET / HTTP/1.1\r\nHost: h\r\nA: \(String(repeating: "b", count: 33_000))\r\n\r\n"
            ),
            Octets(
                code: "not-implemented",
                request: "GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
            ),
            Octets(code: "version-not-supported", request: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
            Octets(
                code: "bad-request",
                request: "GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"
            ),
        ]
    }

    @Test("Octets that are no request are answered, and the connection ends", arguments: Octets.all)
    func malformed(_ row: Octets) throws {
        let connection = try Served.running().connect()
        try connection.send(row.request)
        let answer = try connection.response()
        try expectProblem(row.code, answer, at: nil)
        #expect(answer["Connection"] == "close")
        #expect(connection.isClosedByPeer())
    }

    @Test(
        "RFC 9110 9.3.2: an answer to HEAD has no body, not even one that says why the request is refused",
        arguments: [
            ("bad-request", "A : b\r\n\r\n"),
            ("bad-request", "Host: again\r\n\r\n"),
            ("header-fields-too-large", String(repeating: "A: b\r\n", count: 100) + "\r\n"),
            ("not-implemented", "Transfer-Encoding: gzip, chunked\r\n\r\n"),
            ("bad-request", "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"),
        ]
    )
    func malformedHead(_ code: String, _ rest: String) throws {
        let connection = try Served.running().connect()
        try connection.send("HEAD / HTTP/1.1\r\nHost: h\r\n" + rest)
        let answer = try connection.response(to: "HEAD")
        #expect(answer["AIModel-Problem"] == code)
        #expect(answer["Content-Length"] != "0")
        #expect(connection.isClosedByPeer(), "nothing follows the head")
    }

    @Test("request-timeout: a head that does not end (RFC 9110 15.5.9)")
    func timeout() throws {
        let host = try RunningHost { $0.limits.headTime = 50 }
        let connection = try RawConnection.answeredOnce(by: host.address)
        try connection.send("GET / HTTP/1.1\r\nHost: h\r\n")
        let answer = try connection.response()
        try expectProblem("request-timeout", answer, at: nil)
        #expect(answer["Connection"] == "close")
    }

    @Test("RFC 9110 9.3.2: a HEAD that does not come to its end is told so without a body", arguments: ["", "\r\n"])
    func timeoutOfHEAD(_ before: String) throws {
        let host = try RunningHost { $0.limits.headTime = 50 }
        let connection = try RawConnection.answeredOnce(by: host.address)
        try connection.send(before + "HEAD / HTTP/1.1\r\nHost: h\r\n")
        #expect(try connection.response(to: "HEAD").status == 408)
        #expect(connection.isClosedByPeer(), "nothing follows the head")
    }

    @Test("over-capacity: what the system cannot do just now is neither absence nor damage")
    func overCapacity() throws {
        let host = try RunningHost()
        try host.store.publish(.standard())
        host.server.reload()
        let target = "/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb"
        // The manifest is there: what follows is about the file.
        #expect(try eventually { try host.request("GET", "/models/Sam3/1.4.0/manifest.json").status == 200 })
        let lease = try Disk.Lease(on: host.store.publicPath("Sam3", "1.4.0", "Sam3.aimodel/main.mlirb"))
        try expectProblem("over-capacity", host.request("GET", target), at: target)
        try expectSameByHead(host, target)
        let path: JSON = "Public/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb"
        #expect(try host.connectToAdmin().request("GET", "/readyz").json()["findings"]?[0]?["path"] == path)
        #expect(host.toldOperator.count == 1)
        lease.release()
        // Eventually, for a process that another test starts has a copy of the descriptor until its program begins.
        #expect(try eventually { try host.request("GET", target).status == 200 })
        #expect(try host.connectToAdmin().request("GET", "/readyz").json()["findings"] == [])
    }

    @Test("Each code's type leads to an explanation (RFC 9457 3.1.1)", arguments: problemStatuses.keys.sorted())
    func explanation(_ code: String) throws {
        let answer = try Served.get("/problems/\(code)")
        let document = try answer.json()
        #expect(answer.status == 200)
        #expect(document["type"] == .string("/problems/\(code)"))
        #expect(document["status"] == .int(Int64(try #require(problemStatuses[code]))))
        #expect(document["retryable"] == .bool(retryableProblems.contains(code)))
        #expect(document["explanation"]?.text?.isEmpty == false)
        let page = try Served.get("/problems/\(code)", ("Accept", "text/html"))
        #expect(page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page.text.contains("<h1>\(code)</h1>"))
        #expect(!page.text.contains("`"))
        #expect(page.links == ["/problems/"])
        try expectSameByHead(Served.running(), "/problems/\(code)")
    }

    @Test("/problems lists all of them")
    func explanations() throws {
        let listed = try Served.get("/problems").json()["problems"]?.elements ?? []
        #expect(
            listed.compactMap { $0["type"]?.text }.sorted() == problemStatuses.keys.map { "/problems/\($0)" }.sorted()
        )
    }

    @Test("A member that an explanation names is code")
    func codeInExplanations() throws {
        let page = try Served.get("/problems/unknown-version", ("Accept", "text/html")).text
        #expect(page.contains("<code>versions</code> and <code>latest</code> say what there is."))
    }

    @Test("resolve in the place of a version: the answer says where it stands")
    func misplacedResolve() throws {
        let answer = try Served.get("/models/Sam3/resolve?arch=h18p")
        let document = try expectProblem("unknown-channel", answer, at: "/models/Sam3/resolve")
        let detail = document["detail"]?.text ?? ""
        #expect(detail.contains("resolve stands behind a version or a channel"))
        #expect(detail.contains("/models/Sam3/latest/resolve"))
    }
}
