import HTTPWire
import Testing

/// One request, and what is to become of it. The table of all of them is also cut at every octet.
struct RequestCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let wire: String
    let outcome: RequestParser.Progress

    init(_ rule: String, _ wire: String, _ outcome: RequestParser.Progress) {
        self.rule = rule
        self.wire = wire
        self.outcome = outcome
    }

    var testDescription: String { rule }
}

private let host = "Host: example.org\r\n"

private func bad(_ cause: BadRequest) -> RequestParser.Progress { .refused(.badRequest(cause)) }

private func line(_ requestLine: String) -> String { "\(requestLine)\r\n\(host)\r\n" }
private func get(_ fields: String) -> String { "GET /p HTTP/1.1\r\n\(host)\(fields)\r\n\r\n" }
private func post(_ fields: String) -> String { "POST /p HTTP/1.1\r\n\(host)\(fields)\r\n\r\n" }

enum RequestCases {
    static let all: [RequestCase] =
        requestLines + versions + targets + hosts + fieldLines + contentLengths + transferEncodings + lineEnds

    static let requestLines: [RequestCase] = [
        RequestCase("RFC 9112 3: a request line", line("GET /p HTTP/1.1"), .complete),
        RequestCase("RFC 9110 9.1: a method is any token", line("M-SEARCH /p HTTP/1.1"), .complete),
        RequestCase("RFC 9110 9.1: methods are case-sensitive", line("get /p HTTP/1.1"), .complete),
        RequestCase("RFC 9112 3: no method", line(" /p HTTP/1.1"), bad(.invalidRequestLine)),
        RequestCase("RFC 9112 3: a method that is no token", line("G(T /p HTTP/1.1"), bad(.invalidRequestLine)),
        RequestCase("RFC 9112 3: NUL in the method", line("G\0T /p HTTP/1.1"), bad(.invalidRequestLine)),
        RequestCase("RFC 9112 3: only a method", line("GET"), bad(.invalidRequestLine)),
        RequestCase("RFC 9112 3: no version, as in HTTP/0.9", line("GET /p"), bad(.invalidRequestLine)),
        RequestCase("RFC 9112 3: a fourth word", line("GET /p HTTP/1.1 x"), bad(.invalidRequestLine)),
        RequestCase("RFC 9112 3: two spaces after the method", line("GET  /p HTTP/1.1"), bad(.invalidRequestLine)),
        RequestCase("RFC 9112 3: two spaces after the target", line("GET /p  HTTP/1.1"), bad(.invalidRequestLine)),
        RequestCase("RFC 9112 3: a space at the end", line("GET /p HTTP/1.1 "), bad(.invalidRequestLine)),
        RequestCase("RFC 9112 3.2: a space in the target", line("GET /p a HTTP/1.1"), bad(.invalidRequestLine)),
        RequestCase("RFC 9112 3: tabs for spaces", line("GET\t/p\tHTTP/1.1"), bad(.invalidRequestLine)),
        RequestCase("RFC 9112 3: a vertical tab", line("GET\u{0B}/p HTTP/1.1"), bad(.invalidRequestLine)),
        RequestCase("TLS on a plain port: its first octet", "\u{16}\u{03}\u{01}", bad(.invalidRequestLine)),
        RequestCase("RFC 9112 2.2: an empty line before", "\r\n" + line("GET /p HTTP/1.1"), .complete),
        RequestCase("RFC 9112 2.2: four of them", "\r\n\r\n\r\n\r\n" + line("GET /p HTTP/1.1"), .complete),
        RequestCase("RFC 9112 2.2: five are too many", "\r\n\r\n\r\n\r\n\r\nGET", bad(.tooManyEmptyLines)),
        RequestCase("RFC 9112 2.2: a lone LF before", "\n" + line("GET /p HTTP/1.1"), bad(.bareLF)),
        RequestCase("half a request waits for the rest", "GET /p HTTP/1.1\r\nHost: a\r\n", .needsMore),
        RequestCase("nothing waits", "", .needsMore),
    ]

    static let versions: [RequestCase] = [
        RequestCase("RFC 9112 2.3: HTTP/1.0", line("GET /p HTTP/1.0"), .complete),
        RequestCase("RFC 9110 6.2: a higher minor version", line("GET /p HTTP/1.9"), .complete),
        RequestCase("RFC 9110 15.6.6: HTTP/2.0", line("GET /p HTTP/2.0"), .refused(.versionNotSupported)),
        RequestCase("RFC 9110 15.6.6: HTTP/0.9", line("GET /p HTTP/0.9"), .refused(.versionNotSupported)),
        RequestCase("RFC 9113 3.4: the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\n", .refused(.versionNotSupported)),
        RequestCase("RFC 9112 2.3: case-sensitive", line("GET /p http/1.1"), bad(.invalidVersion)),
        RequestCase("RFC 9112 2.3: a comma for the dot", line("GET /p HTTP/1,1"), bad(.invalidVersion)),
        RequestCase("RFC 9112 2.3: no minor version", line("GET /p HTTP/1."), bad(.invalidVersion)),
        RequestCase("RFC 9112 2.3: no major version", line("GET /p HTTP/.1"), bad(.invalidVersion)),
        RequestCase("RFC 9112 2.3: two digits of minor version", line("GET /p HTTP/1.10"), bad(.invalidVersion)),
        RequestCase("RFC 9112 2.3: two digits of major version", line("GET /p HTTP/01.1"), bad(.invalidVersion)),
        RequestCase("RFC 9112 2.3: beyond 32 bits", line("GET /p HTTP/4294967297.1"), bad(.invalidVersion)),
        RequestCase("RFC 9112 2.3: another protocol", line("GET /p HTTPS/1.1"), bad(.invalidVersion)),
        RequestCase("RFC 9112 2.3: a sign", line("GET /p HTTP/-1.1"), bad(.invalidVersion)),
        RequestCase("RFC 9112 2.3: NUL at its end", line("GET /p HTTP/1.1\0"), bad(.invalidRequestLine)),
    ]

    static let targets: [RequestCase] = [
        RequestCase("RFC 9112 3.2.1: origin-form with a query", line("GET /p?a=b?c HTTP/1.1"), .complete),
        RequestCase("RFC 9112 3.2.2: absolute-form", line("GET http://example.org/p HTTP/1.1"), .complete),
        RequestCase("RFC 3986 3.1: schemes in any case", line("GET HTTP://example.org/p HTTP/1.1"), .complete),
        RequestCase("RFC 9112 3.2.2: https", line("GET https://example.org:8443/p HTTP/1.1"), .complete),
        RequestCase("RFC 9112 3.2.2: no path", line("GET http://example.org HTTP/1.1"), .complete),
        RequestCase("RFC 9112 3.2.2: a query, no path", line("GET http://example.org?q HTTP/1.1"), .complete),
        RequestCase("RFC 9110 4.2.1: no host", line("GET http:///p HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 9110 4.2.4: user information", line("GET http://u:p@a/p HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 9112 3.2: another scheme", line("GET gopher://a/p HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 9112 3.2: no slashes", line("GET http:example.org HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 9112 3.2: a scheme alone", line("GET http: HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 9112 3.2.3: authority-form is CONNECT's", line("GET a:80 HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 9112 3.2.3: CONNECT", line("CONNECT example.org:443 HTTP/1.1"), .complete),
        RequestCase("RFC 9112 3.2.3: CONNECT, no port", line("CONNECT a HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 9112 3.2.3: CONNECT, empty port", line("CONNECT a: HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 9112 3.2.3: CONNECT with a path", line("CONNECT /p HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 9112 3.2.4: the asterisk", line("OPTIONS * HTTP/1.1"), .complete),
        RequestCase("RFC 9112 3.2.4: the asterisk with GET", line("GET * HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 9112 3.2.4: two asterisks", line("OPTIONS ** HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 9112 3.2: no slash at the start", line("GET p HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 9110 7.1: a fragment", line("GET /p#f HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 3986 2: beyond ASCII", line("GET /\u{C3}\u{BC} HTTP/1.1"), bad(.invalidTarget)),
        RequestCase("RFC 3986 2: DEL", line("GET /p\u{7F} HTTP/1.1"), bad(.invalidRequestLine)),
        RequestCase("RFC 3986 2: NUL", line("GET /p\0x HTTP/1.1"), bad(.invalidRequestLine)),
        RequestCase("RFC 3986 2: SOH", line("GET /p\u{01} HTTP/1.1"), bad(.invalidRequestLine)),
        RequestCase("RFC 9112 2.2: a bare CR in the target", line("GET /p\rx HTTP/1.1"), bad(.bareCR)),
    ]

    static let hosts: [RequestCase] =
        [
            RequestCase("RFC 9112 3.2: none in 1.1", "GET /p HTTP/1.1\r\n\r\n", bad(.missingHost)),
            RequestCase("RFC 9112 3.2: none in 1.0", "GET /p HTTP/1.0\r\n\r\n", .complete),
            RequestCase("RFC 9112 3.2: none, absolute-form", "GET http://a/ HTTP/1.1\r\n\r\n", bad(.missingHost)),
            RequestCase("RFC 9112 3.2: the same twice", get("Host: example.org"), bad(.duplicateHost)),
            RequestCase("RFC 9112 3.2: two", get("hOST: evil.example"), bad(.duplicateHost)),
            RequestCase("RFC 9112 3.2: two in 1.0", "GET / HTTP/1.0\r\n\(host)\(host)\r\n", bad(.duplicateHost)),
            RequestCase("RFC 9112 3.2: invalid in 1.0", "GET / HTTP/1.0\r\nHost: a b\r\n\r\n", bad(.invalidHost)),
            RequestCase("RFC 9112 3.2.2: not the target's", "GET http://a/ HTTP/1.1\r\n\(host)\r\n", .complete),
        ]
        + [
            "", "example.org:8080", "example.org:", "a%2Db!$&'()*+;=c_~", "192.0.2.1:80", "[2001:db8::1]:80", "[::]",
            "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]", "[::ffff:192.0.2.1]",
            "[1:2:3:4:5:6:192.0.2.1]", "[v1.a:b]",
        ].map { RequestCase("RFC 9110 7.2: Host '\($0)'", "GET / HTTP/1.1\r\nHost: \($0)\r\n\r\n", .complete) }
        + [
            "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4::5:6:7:8]", "[1::2::3]", "[:::1]", "[1:2:3:4:5:6:7:]",
            "[:1:2:3:4:5:6:7]", "[1:]", "[:]", "[12345::]", "[::192.0.2.256]", "[::192.0.2]", "[::192.0.2.01]",
            "[192.0.2.1::]", "[1:2:3:4:5:6:7:192.0.2.1]", "[fe80::1%eth0]", "[]", "[::1", "[::1]a", "[v1]", "[v.a]",
            "[v1.]", ":80", "a b", "a/b", "u@a", "a, b", "a,b", "a\"b", "a?b", "a#b", "<a>", "http://a/", "a:b",
            "a:1:2",
            "a\u{FF}", "a%2", "a%zz",
        ].map { RequestCase("RFC 9112 3.2: Host '\($0)'", "GET / HTTP/1.1\r\nHost: \($0)\r\n\r\n", bad(.invalidHost)) }
        + ["a\u{01}", "a\0b"].map {
            RequestCase(
                "RFC 9110 5.5: a control octet in Host",
                "GET / HTTP/1.1\r\nHost: \($0)\r\n\r\n",
                bad(.invalidFieldValue)
            )
        }

    static let fieldLines: [RequestCase] =
        [
            RequestCase("RFC 9112 5: an empty value", get("X-A:"), .complete),
            RequestCase("RFC 9112 5: white space for a value", get("X-A:  \t "), .complete),
            RequestCase("RFC 9110 5.5: obs-text", get("X-A: \u{FF}\u{FE}"), .complete),
            RequestCase("RFC 9110 5.5: HTAB inside a value", get("X-A: a\tb"), .complete),
            RequestCase("RFC 9110 5.6.2: all of tchar", get("!#$%&'*+-.^_`|~09azAZ: v"), .complete),
            RequestCase("RFC 9112 5.1: a space before the colon", get("X-A : b"), bad(.whitespaceBeforeColon)),
            RequestCase("RFC 9112 5.1: a tab before the colon", get("X-A\t: b"), bad(.whitespaceBeforeColon)),
            RequestCase("RFC 9112 5.1: so in Host", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", bad(.whitespaceBeforeColon)),
            RequestCase(
                "RFC 9112 5.1: so in framing",
                post("Transfer-Encoding : chunked"),
                bad(.whitespaceBeforeColon)
            ),
            RequestCase("RFC 9112 5.2: a fold with a space", get("X-A: b\r\n c"), bad(.obsFold)),
            RequestCase("RFC 9112 5.2: a fold with a tab", get("X-A: b\r\n\tc"), bad(.obsFold)),
            RequestCase("RFC 9112 2.2: the first field indented", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", bad(.obsFold)),
            RequestCase("RFC 9112 5.2: a folded Host", "GET / HTTP/1.1\r\nHost:\r\n a\r\n\r\n", bad(.obsFold)),
            RequestCase("RFC 9112 5.2: folded framing", post("Transfer-Encoding:\r\n chunked"), bad(.obsFold)),
            RequestCase("RFC 9112 5.2: a line of white space", get("X-A: b\r\n "), bad(.obsFold)),
        ]
        + [
            "X-A", "X A", ": b", "X[]: 1", "X(a): 1", "X A: 1", "X/A: 1", "X@: 1", "X\"A: 1", "X\u{80}: 1",
            "X\u{01}: 1",
            "X\u{7F}: 1", "X\0A: 1",
        ].map { RequestCase("RFC 9110 5.1: \($0.debugDescription)", get($0), bad(.invalidFieldName)) }
        + ["a\0b", "a\u{07}b", "a\u{7F}b", "\u{1B}"].map {
            RequestCase("RFC 9110 5.5: \($0.debugDescription)", get("X-A: \($0)"), bad(.invalidFieldValue))
        }

    static let contentLengths: [RequestCase] =
        [
            RequestCase("RFC 9110 8.6: a length", post("Content-Length: 5"), .complete),
            RequestCase("RFC 9110 8.6: leading zeros", post("Content-Length: 0005"), .complete),
            RequestCase("RFC 9110 8.6: 2^64 - 1", post("Content-Length: 18446744073709551615"), .complete),
            RequestCase("RFC 9112 6.3: the same twice", post("Content-Length: 5\r\nContent-Length: 5"), .complete),
            RequestCase("RFC 9112 6.3: a list of the same", post("Content-Length: 5, 5"), .complete),
            RequestCase("RFC 9112 6.3: two", post("Content-Length: 0\r\nContent-Length: 5"), bad(.conflictingFraming)),
            RequestCase("RFC 9112 6.3: a list of two", post("Content-Length: 5, 6"), bad(.conflictingFraming)),
            RequestCase("RFC 9110 5.5: a control octet", post("Content-Length: 5\u{0B}"), bad(.invalidFieldValue)),
        ]
        + [
            "-1", "+5", "0x5", "abc", "", "5.0", "1 1", "1_0", "5x", "18446744073709551616",
            "1000000000000000000000000000000", "\u{EF}\u{BC}\u{95}", "5,", ",5", "5;5",
        ].map {
            RequestCase(
                "RFC 9112 6.3: Content-Length '\($0)'",
                post("Content-Length: \($0)"),
                bad(.invalidContentLength)
            )
        }

    static let transferEncodings: [RequestCase] =
        [
            RequestCase("RFC 9112 6.1: chunked", post("Transfer-Encoding: chunked"), .complete),
            RequestCase("RFC 9112 7: codings in any case", post("tRaNsFeR-eNcOdInG: CHUNKED"), .complete),
            RequestCase(
                "RFC 9112 6.3: after Content-Length",
                post("Content-Length: 6\r\nTransfer-Encoding: chunked"),
                bad(.conflictingFraming)
            ),
            RequestCase(
                "RFC 9112 6.3: before Content-Length",
                post("Transfer-Encoding: chunked\r\nContent-Length: 6"),
                bad(.conflictingFraming)
            ),
            RequestCase(
                "RFC 9112 6.1: in HTTP/1.0",
                "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
                bad(.transferEncodingInHTTP10)
            ),
            RequestCase("RFC 9112 2.2: a bare CR", post("Transfer-Encoding: chunked\rx"), bad(.bareCR)),
        ]
        + ["gzip, chunked", "gzip\r\nTransfer-Encoding: chunked", "x; a=b ; c = \"d, \\\"e\" , chunked"].map {
            RequestCase("RFC 9112 6.1: '\($0)'", post("Transfer-Encoding: \($0)"), .refused(.notImplemented))
        }
        + [
            "", "identity", "gzip", "chunked, identity", "chunked, chunked", "xchunked", "chunked;a=b", "\"chunked\"",
            ", chunked", "chunked,", ", chunked, x", "chun ked", "chunked\u{FF}", "x;a, chunked", "x;a=\"b, chunked",
            "chunked\r\nTransfer-Encoding: identity", "chunked\r\nTransfer-Encoding: chunked",
            "chunked\r\nTransfer-Encoding:",
        ].map {
            RequestCase("RFC 9112 6.3: '\($0)'", post("Transfer-Encoding: \($0)"), bad(.invalidTransferEncoding))
        }
        + ["\u{0B}chunked", "chunked\0"].map {
            RequestCase("RFC 9110 5.5: a control octet", post("Transfer-Encoding: \($0)"), bad(.invalidFieldValue))
        }

    static let lineEnds: [RequestCase] = [
        RequestCase("RFC 9112 2.2: LF everywhere", "GET / HTTP/1.1\nHost: a\n\n", bad(.bareLF)),
        RequestCase("RFC 9112 2.2: LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n", bad(.bareLF)),
        RequestCase("RFC 9112 2.2: LF after a field", "GET / HTTP/1.1\r\nHost: a\n\r\n", bad(.bareLF)),
        RequestCase("RFC 9112 2.2: LF for the empty line", "GET / HTTP/1.1\r\nHost: a\r\n\n", bad(.bareLF)),
        RequestCase("RFC 9112 2.2: LF CR", "GET / HTTP/1.1\n\rHost: a\n\r\n\r", bad(.bareLF)),
        RequestCase("RFC 9112 2.2: CR everywhere", "GET / HTTP/1.1\rHost: a\r\r", bad(.bareCR)),
        RequestCase("RFC 9112 2.2: CR CR LF", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n", bad(.bareCR)),
        RequestCase("RFC 9112 2.2: CR inside a value", get("X-A: a\rb"), bad(.bareCR)),
        RequestCase("RFC 9112 2.2: CR inside a name", get("X\rA: b"), bad(.bareCR)),
        RequestCase("RFC 9112 2.2: a field hidden by LF", post("X: b\nTransfer-Encoding: chunked"), bad(.bareLF)),
    ]
}
