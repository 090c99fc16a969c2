import Testing

@testable import HTTPWire

@Suite("RFC 3986 2.1: percent-encoding")
struct PercentDecodingTests {
    private func decode(_ segment: String) -> [UInt8]? {
        var output: [UInt8] = []
        return PercentDecoding.decode(octets(segment).span, into: &output) ? output : nil
    }

    @Test(
        "RFC 3986 2.1: decoded once; a plus sign is one",
        arguments: [
            ("", ""), ("abc", "abc"), ("a%2Fb", "a/b"), ("%41%7a", "Az"), ("a+b", "a+b"), ("a%2Bb", "a+b"),
            ("a%20b", "a b"), ("%252e", "%2e"), ("%C3%BC", "\u{C3}\u{BC}"), ("%ff", "\u{FF}"), ("%7E", "~"),
        ]
    )
    func decoded(segment: String, result: String) { #expect(decode(segment) == octets(result)) }

    @Test(
        "RFC 3986 2.1, 7.3: half an encoding, no encoding, and control octets are refused",
        arguments: [
            "%", "%4", "a%", "%zz", "%+1", "%u0041", "%4g", "%g4", "%%41", "%00", "a%00.html", "%0d%0a", "%1f", "%7f",
            "%7F", "%09", "a\u{01}", "\u{7F}",
        ]
    )
    func refused(segment: String) { #expect(decode(segment) == nil) }

    @Test("decoding appends to what is there")
    func appends() {
        var output = octets("x/")
        #expect(PercentDecoding.decode(octets("%61").span, into: &output))
        #expect(output == octets("x/a"))
    }

    @Test(
        "RFC 3986 2.3: unreserved characters and slashes stay",
        arguments: [
            ("models/a-b_c.d~e/1.0", "models/a-b_c.d~e/1.0"), ("a+b", "a%2Bb"), ("My Model", "My%20Model"),
            ("100%", "100%25"), ("a?b#c", "a%3Fb%23c"), ("mod\u{E8}le", "mod%C3%A8le"), ("a:b@c", "a%3Ab%40c"),
            ("", ""),
        ]
    )
    func encoded(path: String, result: String) { #expect(PercentDecoding.encode(path: path.utf8) == result) }

    @Test("what is encoded decodes to itself")
    func roundTrip() {
        let all = (0x20...0xFF as ClosedRange<UInt8>).filter { $0 != 0x7F }
        #expect(decode(PercentDecoding.encode(path: all)) == all)
    }
}

@Suite("Query parameters")
struct QueryParametersTests {
    @Test(
        "name=value pairs, decoded",
        arguments: [
            ("arch=h18p", "arch", "h18p"), ("a=1&arch=h18p&b=2", "arch", "h18p"), ("arch=a&arch=b", "arch", "a"),
            ("os=27.1%2B", "os", "27.1+"), ("v=1.4.0+build7", "v", "1.4.0+build7"), ("d=a%20b", "d", "a b"),
            ("arch", "arch", ""), ("arch=", "arch", ""), ("arch=a=b", "arch", "a=b"), ("%61rch=x", "arch", "x"),
            ("&&arch=x&", "arch", "x"), ("=x&arch=y", "arch", "y"), ("arch=x", "ARCH", nil), ("", "arch", nil),
            ("d=%C3%BC", "d", "\u{FC}"), ("bad=%&arch=x", "arch", "x"), ("%=1&arch=x", "arch", "x"),
        ] as [(String, String, String?)]
    )
    func values(query: String, name: String, value: String?) throws {
        #expect(try QueryParameters(octets(query).span).value(name) == value)
    }

    @Test(
        "a value that cannot be decoded is an error that names its parameter",
        arguments: ["%", "%zz", "%00", "%FF", "a%0Ab"]
    )
    func malformed(value: String) {
        let parameters = QueryParameters(octets("a=1&arch=\(value)").span)
        #expect(throws: MalformedParameter(name: "arch")) { try parameters.value("arch") }
        #expect(MalformedParameter(name: "arch").description.contains("'arch'"))
    }

    @Test("no query has no parameters")
    func none() throws { #expect(try QueryParameters().value("arch") == nil) }
}

@Suite("RFC 8259: JSON")
struct JSONValueTests {
    @Test(
        "RFC 8259 7: strings",
        arguments: [
            ("", "\"\""), ("a\"b\\c/", "\"a\\\"b\\\\c/\""), ("\u{08}\t\n\u{0C}\r", "\"\\b\\t\\n\\f\\r\""),
            ("\0\u{01}\u{0F}\u{10}\u{1F}\u{7F}", "\"\\u0000\\u0001\\u000f\\u0010\\u001f\u{7F}\""),
            ("\u{FC}\u{1F600}\u{2028}", "\"\u{FC}\u{1F600}\u{2028}\""),
        ]
    )
    func strings(value: String, json: String) { #expect(text(JSONValue.string(value).encode()) == json) }

    @Test("RFC 8259 3, 6: numbers, literals, and members in their order")
    func values() {
        let value = JSONValue.object([
            ("z", .int(.min)), ("a", .array([.int(0), .bool(true), .bool(false), .null])), ("d", .double(0.25)),
            ("e", .double(.nan)), ("f", .double(1e300)), ("o", .object([])), ("l", .array([])), ("\"", .int(.max)),
        ])
        let json =
            #"{"z":-9223372036854775808,"a":[0,true,false,null],"d":0.25,"e":null,"f":1e+300,"o":{},"l":[],"\"":9223372036854775807}"#
        #expect(text(value.encode()) == json)
    }

    @Test("short cuts")
    func shortCuts() {
        #expect(text(JSONValue.count(UInt64.max).encode()) == "9223372036854775807")
        #expect(text(JSONValue.count(5_368_709_120 as UInt64).encode()) == "5368709120")
        #expect(text(JSONValue.optional(nil).encode()) == "null")
        #expect(text(JSONValue.optional("a").encode()) == "\"a\"")
        #expect(text(JSONValue.strings(["a", "b"]).encode()) == "[\"a\",\"b\"]")
    }
}

@Suite("RFC 9457: problem details")
struct ProblemDetailsTests {
    @Test("RFC 9457 3: the document")
    func document() {
        let problem = ProblemDetails(
            .noVariantForArchitecture,
            detail: "No \"h18p\" here.",
            instance: "/models/m/1/resolve",
            members: [("architecture", .string("h18p")), ("status", .int(200)), ("portable", .null)]
        )
        let json =
            #"{"type":"/problems/no-variant-for-architecture","title":"This version has no compiled variant for this architecture","#
            + #""status":404,"detail":"No \"h18p\" here.","instance":"/models/m/1/resolve","retryable":false,"#
            + #""architecture":"h18p","portable":null}"#
        #expect(text(problem.encode()) == json)
        #expect(ProblemDetails.mediaType == "application/problem+json")
    }

    @Test("RFC 9457 3.1.5: no instance, no member")
    func noInstance() {
        #expect(!text(ProblemDetails(.badRequest, detail: "x").encode()).contains("instance"))
    }

    @Test(
        "every problem has a status of an error, a title, and a code that needs no encoding",
        arguments: ProblemCode.allCases
    )
    func codes(_ code: ProblemCode) {
        #expect((400...599).contains(code.status))
        #expect(!code.title.isEmpty)
        #expect(PercentDecoding.encode(path: code.rawValue.utf8) == code.rawValue)
        #expect(code.rawValue == code.rawValue.lowercased())
        #expect(!ReasonPhrase.text(code.status).isEmpty)
    }

    @Test("the same request may succeed later after four of them only")
    func retryable() {
        let retryable = ProblemCode.allCases.filter(\.retryable)
        #expect(retryable == [.assetDamaged, .overCapacity, .rateLimited, .requestTimeout])
    }

    @Test(
        "RFC 9457 3.1.5: the instance is ASCII that a URI may hold",
        arguments: [
            ("/models/a?b=c", "/models/a?b=c"), ("/a%20b", "/a%20b"), ("/<script>", "/%3Cscript%3E"), ("/%", "/%25"),
            ("/%4", "/%254"), ("/%zz", "/%25zz"), ("/\u{FF}\"\\\r\n", "/%FF%22%5C%0D%0A"),
            ("/{|}^`", "/%7B%7C%7D%5E%60"),
            ("", ""),
        ]
    )
    func instance(target: String, result: String) { #expect(ProblemDetails.instance(octets(target).span) == result) }

    @Test("an instance is cut between characters, never inside an encoding")
    func instanceLimit() {
        for prefix in ["", "a", "ab"] {
            let long = ProblemDetails.instance(octets(prefix + String(repeating: "%41", count: 1000)).span)
            #expect(long.utf8.count <= ProblemDetails.instanceLimit)
            #expect(long.utf8.count > ProblemDetails.instanceLimit - 3)
            #expect(long.hasSuffix("%41"))
        }
    }
}

@Suite("RFC 9110 12.5.1: Accept")
struct MediaPreferenceTests {
    @Test(
        "RFC 9110 12.5.1, 12.4.2: HTML or JSON; nil where the field does not decide",
        arguments: [
            ([], nil), (["*/*"], nil), ([""], nil), (["image/png"], nil), (["text/html"], true), (["TEXT/HTML"], true),
            (["application/json"], false), (["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"], true),
            (["application/json, text/plain, */*"], false), (["application/json, text/plain, */*;q=0.5"], false),
            (["text/html, application/json"], nil), (["*/*, text/html"], true), (["*/*;q=0, text/html;q=0"], nil),
            (["text/html;q=0.5, application/json;q=0.6"], false),
            (["text/html;q=0.501, application/json;q=0.5"], true), (["text/*"], true), (["application/*"], false),
            (["text/*;q=0.9, text/html;q=0.1, application/json;q=0.5"], false), (["*/*, text/html;q=0"], false),
            (["text/html;q=0.1, text/*;q=0.9, application/json;q=0.5"], false),
            (["*/*, application/json;q=0"], true), (["text/html;q=0, application/json;q=0"], nil),
            (["text/html;level=1;q=0.4", "application/json;q=0.3"], true),
            (["text/html ; q=0.2", "application/json"], false),
            (["text/html;q=2, application/json;q=0.1"], false), (["text/html;q=1.001, application/json;q=0.1"], false),
            (["text/html;q=, application/json;q=0.1"], false), (["text/html;q=0.1234, application/json;q=0.1"], false),
            (["text/html;Q=1.000, application/json;q=0.999"], true),
            (["text/html;q=0., application/json;q=0.001"], false),
            (["text, application/json"], false), (["*/html, application/json;q=0.1"], false),
            (["a/b;c=\"d, text/html, \\\"\", application/json"], false), (["a/b;c=\"d, text/html"], nil),
            (["text/html;a=\";q=0\", application/json;q=0.5"], true),
        ] as [([String], Bool?)]
    )
    func preference(values: [String], html: Bool?) {
        let request = Request(fields: values.map { "Accept: \($0)" })
        for fallback in [true, false] {
            let preference = MediaPreference.prefersHTML(request.head, request.bytes.span, default: fallback)
            #expect(preference == html ?? fallback)
        }
    }
}
