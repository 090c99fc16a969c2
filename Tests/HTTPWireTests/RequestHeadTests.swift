import Testing

@testable import HTTPWire

@Suite("What a request head says")
struct RequestHeadTests {
    @Test(
        "RFC 9112 3.2: path, query and authority of each form",
        arguments: [
            ("GET /p/q?a=b?c", TargetForm.origin, "/p/q", "a=b?c", nil),
            ("GET /", .origin, "/", nil, nil),
            ("GET /?", .origin, "/", "", nil),
            ("GET //p", .origin, "//p", nil, nil),
            ("GET http://a:80/p?q", .absolute, "/p", "q", "a:80"),
            ("GET https://[::1]", .absolute, "", nil, "[::1]"),
            ("GET HTTP://a?q", .absolute, "", "q", "a"),
            ("OPTIONS *", .asterisk, "", nil, nil),
            ("CONNECT a:443", .authority, "", nil, "a:443"),
        ] as [(String, TargetForm, String, String?, String?)]
    )
    func targets(line: String, form: TargetForm, path: String, query: String?, authority: String?) {
        let request = Request("\(line) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(request.progress == .complete)
        #expect(request.head.form == form)
        #expect(text(request.bytes, request.head.path) == path)
        #expect(text(request.bytes, request.head.query) == query)
        #expect(text(request.bytes, request.head.authority) == authority)
        // RFC 9112, section 3.2.2: the target's authority hides the Host field.
        #expect(text(request.bytes, request.head.host) == authority ?? "h")
    }

    @Test(
        "RFC 9110 9.1: methods",
        arguments: [
            ("GET", Method.get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("DELETE", .delete),
            ("PATCH", .patch), ("OPTIONS", .options), ("TRACE", .trace), ("get", .other), ("GETS", .other),
            ("Head", .other), ("PROPFIND", .other), ("PIT", .other), ("PATHS", .other),
        ]
    )
    func methods(token: String, method: Method) {
        #expect(Request("\(token) / HTTP/1.1\r\nHost: a\r\n\r\n").head.method == method)
        if method != .other { #expect(method.name == token) }
    }

    @Test("RFC 9110 5.1: field names in any case", arguments: FieldName.allCases.filter { $0 != .other })
    func names(_ name: FieldName) {
        for spelling in [name.name, name.name.lowercased(), name.name.uppercased()] {
            #expect(FieldName(octets: octets(spelling).span) == name)
        }
        #expect(FieldName(octets: octets(name.name + "x").span) == .other)
        #expect(FieldName(octets: octets("!" + name.name.dropFirst()).span) == .other)
    }

    @Test("RFC 9110 5.3: values without the white space around them, lines in their order")
    func values() {
        let request = Request(
            fields: ["If-None-Match:\t \"a\" \t", "Range:bytes=0-1", "IF-NONE-MATCH: \"b c\"", "X: y", "If-Range:"]
        )
        #expect(request.value(.ifNoneMatch) == "\"a\"")
        #expect(request.head.count(of: .ifNoneMatch) == 2)
        #expect(request.value(.range) == "bytes=0-1")
        #expect(request.value(.ifRange)?.isEmpty == true)
        #expect(request.head.contains(.ifRange))
        #expect(!request.head.contains(.ifMatch) && request.head.first(.ifMatch) == nil)
        #expect(request.head.count(of: .ifMatch) == 0)
        #expect(request.head.fieldCount == 6)
        var values: [String] = []
        request.head.forEach(.ifNoneMatch) { values.append(text(request.bytes[$0])) }
        #expect(values == ["\"a\"", "\"b c\""])
    }

    @Test(
        "RFC 9112 9.3: persistence",
        arguments: [
            ("HTTP/1.1", [], true),
            ("HTTP/1.1", ["Connection: close"], false),
            ("HTTP/1.1", ["Connection: CLOSE"], false),
            ("HTTP/1.1", ["Connection: foo, close , bar"], false),
            ("HTTP/1.1", ["Connection: foo", "Connection: close"], false),
            ("HTTP/1.1", ["Connection: keep-alive, close"], false),
            ("HTTP/1.1", ["Connection: closed"], true),
            ("HTTP/1.1", ["Connection:"], true),
            ("HTTP/1.2", [], true),
            ("HTTP/1.0", [], false),
            ("HTTP/1.0", ["Connection: Keep-Alive"], true),
            ("HTTP/1.0", ["Connection: keep-alive", "Connection: close"], false),
            ("HTTP/1.0", ["Keep-Alive: timeout=5"], false),
        ] as [(String, [String], Bool)]
    )
    func persistence(version: String, fields: [String], persistent: Bool) {
        #expect(Request(fields: fields, version: version).head.persistent == persistent)
    }

    @Test(
        "RFC 9112 6.3: where the body ends",
        arguments: [
            ([], BodyFraming.none),
            (["Content-Length: 0"], .length(0)),
            (["Content-Length: 0005"], .length(5)),
            (["Content-Length: 5", "Content-Length: 5"], .length(5)),
            (["Content-Length: 18446744073709551615"], .length(.max)),
            (["Transfer-Encoding: Chunked"], .chunked),
        ] as [([String], BodyFraming)]
    )
    func framing(fields: [String], framing: BodyFraming) {
        #expect(Request(fields: fields, method: "POST").head.framing == framing)
        #expect(Request(fields: fields, method: "GET").head.framing == framing)
    }

    @Test(
        "RFC 9110 10.1.1: expectations",
        arguments: [
            ("HTTP/1.1", ["Expect: 100-Continue", "Content-Length: 5"], HTTPWire.Expectation.continue),
            ("HTTP/1.1", ["Expect: 100-continue", "Transfer-Encoding: chunked"], .continue),
            ("HTTP/1.1", ["Expect: 100-continue"], .none),
            ("HTTP/1.1", ["Expect: 100-continue", "Content-Length: 0"], .none),
            ("HTTP/1.1", ["Expect: a-pony"], .unsupported),
            ("HTTP/1.1", ["Expect: 100-continue, a-pony", "Content-Length: 5"], .unsupported),
            ("HTTP/1.1", ["Expect: a-pony", "Expect: 100-continue", "Content-Length: 5"], .unsupported),
            ("HTTP/1.1", ["Expect:"], .none),
            ("HTTP/1.0", ["Expect: 100-continue", "Content-Length: 5"], .none),
            ("HTTP/1.0", ["Expect: a-pony"], .none),
        ] as [(String, [String], HTTPWire.Expectation)]
    )
    func expectations(version: String, fields: [String], expectation: HTTPWire.Expectation) {
        #expect(Request(fields: fields, method: "POST", version: version).head.expectation == expectation)
    }

    @Test(
        "RFC 9110 6.2: a higher minor version counts as 1",
        arguments: [("1.0", 0), ("1.1", 1), ("1.9", 1)] as [(String, UInt8)]
    )
    func minor(version: String, minor: UInt8) {
        #expect(Request(fields: [], version: "HTTP/\(version)").head.minorVersion == minor)
    }
}
