import Testing

@testable import HTTPWire

@Suite("RFC 9112: request heads")
struct RequestParserTests {
    @Test("a request is taken or refused as its rule says", arguments: RequestCases.all)
    func outcome(_ row: RequestCase) {
        var head = RequestHead()
        #expect(parse(octets(row.wire), into: &head) == row.outcome)
    }

    @Test("the outcome does not depend on where the octets are cut", arguments: RequestCases.all)
    func cuts(_ row: RequestCase) {
        let bytes = octets(row.wire)
        let whole = reading(bytes, cuts: [])
        for cut in 0...bytes.count {
            #expect(reading(bytes, cuts: [cut]) == whole, "cut at \(cut)")
        }
        #expect(reading(bytes, cuts: Array(0...bytes.count)) == whole, "octet by octet")
    }

    /// Parses growing prefixes of `bytes` that end at `cuts`, then all of it.
    private func reading(_ bytes: [UInt8], cuts: [Int]) -> Reading {
        var parser = RequestParser()
        var head = RequestHead()
        for end in cuts + [bytes.count] {
            let progress = parser.parse(bytes.span.extracting(0..<end), into: &head)
            if progress != .needsMore { return Reading(progress: progress, summary: summary(head, bytes)) }
        }
        return Reading(progress: .needsMore, summary: "")
    }

    @Test("the parser is ready for the next request after each one; what is behind a head is left alone")
    func pipeline() {
        let wire = octets("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n\r\nHEAD /2?q HTTP/1.0\r\n\r\nPOST /3")
        var parser = RequestParser()
        var head = RequestHead()
        #expect(parser.parse(wire.span, into: &head) == .complete)
        #expect(summary(head, wire) == "get origin /1 - - 1.1 28 persistent none none 1 host=a")
        let second = Array(wire[head.length...])
        #expect(!parser.hasStarted)
        #expect(parser.parse(second.span, into: &head) == .complete)
        #expect(summary(head, second) == "head origin /2 q - 1.0 24 close none none 0")
        let third = Array(second[head.length...])
        #expect(parser.parse(third.span, into: &head) == .needsMore)
        #expect(parser.hasStarted)
    }

    @Test("a request has started at the first octet that is not of an empty line")
    func started() {
        var parser = RequestParser()
        var head = RequestHead()
        let empty = octets("\r\n\r")
        for count in 0...3 {
            #expect(parser.parse(empty.span.extracting(0..<count), into: &head) == .needsMore)
            #expect(!parser.hasStarted)
        }
        parser.reset()
        let request = octets("\r\nG")
        #expect(parser.parse(request.span, into: &head) == .needsMore)
        #expect(parser.hasStarted)
        parser.reset()
        #expect(!parser.hasStarted)
    }

    @Test("a refusal stays until the parser is reset, and no field of the request before shows through")
    func refusalStays() {
        var parser = RequestParser()
        var head = RequestHead()
        let good = octets("GET / HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\n\r\n")
        let bad = octets("GET / HTTP/1.1\nHost: a\r\n\r\n")
        #expect(parser.parse(good.span, into: &head) == .complete)
        #expect(parser.parse(bad.span, into: &head) == .refused(.badRequest(.bareLF)))
        #expect(!head.contains(.range) && head.first(.range) == nil && head.fieldCount == 0)
        #expect(parser.parse(good.span, into: &head) == .refused(.badRequest(.bareLF)))
        parser.reset()
        #expect(parser.parse(good.span, into: &head) == .complete)
    }

    @Test("a refused head keeps its method, so that the answer to a HEAD has no body")
    func refusedMethod() {
        let request = Request("HEAD / HTTP/1.1\r\nBad Name: 1\r\n\r\n")
        #expect(request.progress == .refused(.badRequest(.invalidFieldName)))
        #expect(request.head.method == .head)
    }

    @Test(
        "RFC 9110 9.3.2: so does one that was refused while it came, behind empty lines (RFC 9112 2.2) as well",
        arguments: ["", "\r\n", "\r\n\r\n"]
    )
    func refusedMethodEarly(emptyLines: String) {
        #expect(Request("\(emptyLines)HEAD / HTTP/1.1\nHost: a\r\n\r\n").head.method == .head)
        #expect(Request("\(emptyLines)HEAD / HTTP/1.1\r\nHost: a\u{1}\r\n\r\n").head.method == .head)
        #expect(Request("\(emptyLines)HEADS / HTTP/1.1\nHost: a\r\n\r\n").head.method != .head)
        #expect(Request("\(emptyLines)GET /HEAD / HTTP/1.1\nHost: a\r\n\r\n").head.method != .head)
    }
}

@Suite("RFC 9112 3, RFC 6585 5: limits")
struct RequestLimitTests {
    private static let host = "\r\nHost: a\r\n\r\n"

    @Test("RFC 9112 3: a target up to the limit is read, one octet more is 414")
    func target() {
        let longest = "/" + String(repeating: "a", count: 8191)
        #expect(Request("GET \(longest) HTTP/1.1\(Self.host)").progress == .complete)
        #expect(Request("GET \(longest)a HTTP/1.1\(Self.host)").progress == .refused(.uriTooLong))
    }

    @Test("RFC 9112 3: a request line without an end waits up to the limit, then is 414 at once")
    func endlessRequestLine() {
        #expect(Request("GET /" + String(repeating: "a", count: 8487)).progress == .needsMore)
        #expect(Request("GET /" + String(repeating: "a", count: 8488)).progress == .refused(.uriTooLong))
        #expect(Request(String(repeating: "G", count: 20000)).progress == .refused(.uriTooLong))
    }

    @Test("RFC 9110 9.1: a method of any length that fits is only unknown")
    func longMethod() {
        let request = Request("\(String(repeating: "G", count: 200)) / HTTP/1.1\(Self.host)")
        #expect(request.progress == .complete)
        #expect(request.head.method == .other)
    }

    @Test("RFC 6585 5: a head up to the limit is read, one octet more is 431, with or without its end")
    func head() {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
        let filler = String(repeating: "v", count: 32768 - start.utf8.count - 4)
        let request = Request(start + filler + "\r\n\r\n")
        #expect(request.progress == .complete)
        #expect(request.head.length == 32768)
        #expect(Request(start + filler + "v\r\n\r\n").progress == .refused(.headerFieldsTooLarge))
        #expect(Request(start + filler + "\r\n\r").progress == .needsMore)
        #expect(Request(start + filler + "vvvvv").progress == .refused(.headerFieldsTooLarge))
    }

    @Test("RFC 6585 5: a hundred fields are read, one more is 431 before the head ends")
    func fields() {
        let fields = String(repeating: "X: v\r\n", count: 99)
        let request = Request("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        #expect(request.progress == .complete)
        #expect(request.head.fieldCount == 100)
        #expect(Request("GET / HTTP/1.1\r\nHost: a\r\n\(fields)X: v\r\n").progress == .refused(.headerFieldsTooLarge))
    }

    @Test("limits can be lowered, and are brought into range")
    func configured() {
        let limits = RequestLimits(target: 4, head: 60, fields: 2, emptyLinesBefore: 0)
        #expect(Request("GET /abc HTTP/1.1\(Self.host)", limits: limits).progress == .complete)
        #expect(Request("GET /abcd HTTP/1.1\(Self.host)", limits: limits).progress == .refused(.uriTooLong))
        #expect(Request("\r\n", limits: limits).progress == .refused(.badRequest(.tooManyEmptyLines)))
        let three = "GET / HTTP/1.1\r\nHost: a\r\nA: b\r\nA: b\r\n"
        #expect(Request(three, limits: limits).progress == .refused(.headerFieldsTooLarge))
        let low = RequestLimits(target: -1, head: -1, fields: 1000, emptyLinesBefore: -1)
        #expect(low == RequestLimits(target: 0, head: 0, fields: 100, emptyLinesBefore: 0))
    }

    private static let long = String(repeating: "v", count: 400)

    @Test(
        "the outcome at a limit does not depend on where the octets are cut",
        arguments: [
            "GET /abcd HTTP/1.1\(host)", "GET /\(long)\n", "GET / HTTP/1.1\r\nX: \(long)\n\n",
            "GET / HTTP/1.1\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\n\r\n", "GET / HTTP/1.1\r\nX: \(long)\0",
        ]
    )
    func cutsAtLimits(wire: String) {
        let limits = RequestLimits(target: 4, head: 400, fields: 3, emptyLinesBefore: 1)
        let bytes = octets(wire)
        var head = RequestHead()
        let whole = parse(bytes, limits: limits, into: &head)
        var parser = RequestParser(limits: limits)
        var stepped = RequestParser.Progress.needsMore
        for end in 0...bytes.count where stepped == .needsMore {
            stepped = parser.parse(bytes.span.extracting(0..<end), into: &head)
        }
        #expect(stepped == whole)
        #expect(whole != .needsMore && whole != .complete)
    }
}
