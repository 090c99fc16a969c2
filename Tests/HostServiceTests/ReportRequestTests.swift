import TestSupport
import Testing

@Suite("POST /reports as HTTP: methods, types, lengths, framing")
struct ReportRequestTests {
    private let test: ReportHost

    init() throws { test = try ReportHost(publish: { try $0.publish(.standard()) }) }

    private static let json = [("Content-Type", "application/json")]

    @Test("Other methods are not allowed there, and POST nowhere else (RFC 9110 15.5.6)")
    func methods() throws {
        let connection = try test.connect()
        for method in ["GET", "PUT", "DELETE", "PATCH", "TRACE"] {
            let answer = try connection.request(method, "/reports")
            try expectProblem("method-not-allowed", answer, at: "/reports")
            #expect(answer["Allow"] == "POST, OPTIONS", "\(method)")
        }
        let head = try connection.request("HEAD", "/reports?x")
        #expect(head.status == 405 && head["Allow"] == "POST, OPTIONS" && head.body.isEmpty)
        try expectProblem("not-implemented", connection.request("BREW", "/reports"), at: "/reports")
        for target in ["/", "/models", "/reports/", "/reports/x", "/Reports", "/report", "//reports", "/reportsx"] {
            let answer = try connection.post(Array(report().utf8), Self.json, to: target)
            try expectProblem("method-not-allowed", answer, at: target)
            #expect(answer["Allow"] == "GET, HEAD, OPTIONS", "\(target)")
        }
        #expect(try test.rows().isEmpty)
    }

    @Test(
        "The path may be encoded, the query is passed over",
        arguments: ["/reports?a=%", "/%72eport%73", "http://h/reports"]
    )
    func paths(_ target: String) throws {
        #expect(try test.connect().post(Array(report().utf8), Self.json, to: target).status == 202)
    }

    @Test("A page of any origin may send reports (Fetch, CORS preflight)")
    func preflight() throws {
        let fields = [
            ("Origin", "https://app.example"), ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "content-type"),
        ]
        let answer = try test.connect().request("OPTIONS", "/reports", fields)
        #expect(answer.status == 204)
        #expect(answer["Allow"] == "POST, OPTIONS")
        #expect(answer["Access-Control-Allow-Methods"] == "POST, OPTIONS")
        #expect(answer["Access-Control-Allow-Headers"]?.contains("Content-Type") == true)
        #expect(answer["Access-Control-Allow-Origin"] == "*")
        let elsewhere = try test.connect().request("OPTIONS", "/models", fields)
        #expect(elsewhere["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS")
    }

    @Test(
        "Types that are JSON (RFC 9110 8.3.1)",
        arguments: [
            "application/json", "Application/JSON", "application/json;charset=utf-8", "application/json ; a=\"b;c\"",
        ]
    )
    func types(_ type: String) throws {
        #expect(try test.connect().post(Array(report().utf8), [("Content-Type", type)]).status == 202)
    }

    @Test(
        "Types that are not",
        arguments: [
            [], [""], ["text/plain"], ["application/json5"], ["application/problem+json"], ["application/jso"],
            ["application/json, text/plain"], ["application/json", "application/json"],
            ["application/x-www-form-urlencoded"], ["application\u{0F}json"],
        ] as [[String]]
    )
    func otherTypes(_ types: [String]) throws {
        let answer = try test.connect().post(Array(report().utf8), types.map { ("Content-Type", $0) })
        if types == ["application\u{0F}json"] {
            // A control octet is no field value at all.
            #expect(answer.status == 400)
            return
        }
        try expectProblem("unsupported-media-type", answer, at: "/reports")
        #expect(answer["Accept-Post"] == "application/json")
        #expect(try test.rows().isEmpty)
    }

    @Test("64 KiB are taken, one octet more is not, by length and by chunks")
    func lengths() throws {
        let text = report()
        let whole = Array(text.utf8) + [UInt8](repeating: 0x20, count: 64 << 10 - text.utf8.count)
        #expect(try test.connect().post(whole, Self.json).status == 202)
        let long = try test.connect().post(whole + [0x20], Self.json)
        try expectProblem("payload-too-large", long, at: "/reports")
        #expect(long["Connection"] == "close")

        let connection = try test.connect()
        try connection.send("POST /reports HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n")
        try connection.send("Transfer-Encoding: chunked\r\n\r\n")
        try connection.send(
            "5\r\n\(text.prefix(5))\r\n\(String(text.utf8.count - 5, radix: 16))\r\n\(text.dropFirst(5))\r\n"
        )
        try connection.send("0\r\n\r\n")
        #expect(try connection.response(to: "POST").status == 202)
        try connection.send("POST /reports HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n")
        try connection.send("Transfer-Encoding: chunked\r\n\r\n10001\r\n")
        try connection.send([UInt8](repeating: 0x20, count: 0x10001) + Array("\r\n0\r\n\r\n".utf8))
        try expectProblem("payload-too-large", connection.response(to: "POST"), at: "/reports")
        #expect(try test.rows(awaiting: 2).count == 2)
    }

    @Test("The connection goes on after a report, taken or refused, with what was sent behind it")
    func persistent() throws {
        let connection = try test.connect()
        for (body, type, status) in [
            (report(), "application/json", 202), ("{", "application/json", 400), (report(), "text/plain", 415),
        ] {
            let post =
                "POST /reports HTTP/1.1\r\nHost: h\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)"
            try connection.send("\(post)\r\n\r\n\(body)GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try connection.response(to: "POST").status == status)
            #expect(try connection.response().status == 200)
        }
    }

    @Test("Who waits for 100 (Continue) gets it where the body is wanted (RFC 9110 10.1.1)")
    func expectation() throws {
        let connection = try test.connect()
        let text = report()
        try connection.send(
            "POST /reports HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
                + "Content-Length: \(text.utf8.count)\r\n\r\n"
        )
        #expect(try connection.response(to: "POST").status == 100)
        try connection.send(text)
        #expect(try connection.response(to: "POST").status == 202)
    }

    @Test(
        "Who waits for 100 (Continue) with what would be refused is refused at once",
        arguments: [("text/plain", 10, 415), ("application/json", 65_537, 413)]
    )
    func expectationInVain(_ type: String, _ length: Int, _ status: Int) throws {
        let connection = try test.connect()
        try connection.send(
            "POST /reports HTTP/1.1\r\nHost: h\r\nContent-Type: \(type)\r\nExpect: 100-continue\r\n"
                + "Content-Length: \(length)\r\n\r\n"
        )
        #expect(try connection.response(to: "POST").status == status)
    }

    @Test("An expectation that nobody knows is refused as it is everywhere")
    func unknownExpectation() throws {
        let answer = try test.connect().post(Array(report().utf8), Self.json + [("Expect", "200-maybe")])
        try expectProblem("expectation-failed", answer, at: "/reports")
    }
}
