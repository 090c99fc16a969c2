import Testing

@testable import ModelDelivery

@Suite("RFC 9112: the head of an answer, and how its body ends")
struct AnswerParserTests {
    private func parse(_ text: String, method: String = "GET") -> AnswerParser.Answer? {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { buffer in
            guard let end = AnswerParser.endOfHead(buffer) else { return nil }
            return try? AnswerParser.parse(UnsafeRawBufferPointer(rebasing: buffer[..<end]), method: method)
        }
    }

    @Test(
        "Framing: section 6.3, in its order",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n", AnswerParser.Framing.length(12)),
            ("HTTP/1.1 200 OK\r\nContent-Length: 12, 12\r\n\r\n", .length(12)),
            ("HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Length: 12\r\n\r\n", .length(12)),
            ("HTTP/1.1 200\r\nContent-Length: 18446744073709551615\r\n\r\n", .length(.max)),
            ("HTTP/1.1 200 \r\nTransfer-Encoding: Chunked\r\n\r\n", .chunked),
            ("HTTP/1.0 200 OK\r\n\r\n", .close),
            ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", .none),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", .none),
            ("HTTP/1.1 100 Continue\r\n\r\n", .none),
        ]
    )
    func framing(_ text: String, _ expected: AnswerParser.Framing) {
        #expect(parse(text)?.framing == expected)
    }

    @Test("HEAD has no body, whatever its length says")
    func head() {
        #expect(
            parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", method: "HEAD")?.framing == AnswerParser.Framing.none
        )
    }

    @Test(
        "What breaks the grammar is no answer",
        arguments: [
            "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000\r\n\r\n", "http/1.1 200 OK\r\n\r\n",
            "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1 099 No\r\n\r\n", "ICY 200 OK\r\n\r\n", "\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n", "HTTP/1.1 200 OK\r\n: b\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
        ]
    )
    func refused(_ text: String) {
        #expect(parse(text) == nil)
    }

    @Test(
        "A connection is used again where both sides keep it",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: Close\r\n\r\n", false),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false),
            ("HTTP/1.1 200 OK\r\n\r\n", false),
        ]
    )
    func keeps(_ text: String, _ expected: Bool) {
        #expect(parse(text)?.keepsConnection == expected)
    }

    @Test("Fields: names as they came, values without the space around them, found in any case")
    func fields() throws {
        let head = try #require(parse("HTTP/1.1 206 X\r\nETag:\t \"a b\" \t\r\nVary: A\r\nvary: B\r\nEmpty:\r\n\r\n"))
            .head
        #expect(head.status == 206)
        #expect(head["etag"] == "\"a b\"" && head["vary"] == "A, B" && head["empty"] == "" && head["none"] == nil)
    }

    @Test("The end of a head is found wherever the pieces are cut")
    func endOfHead() {
        let bytes = Array("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody".utf8)
        bytes.withUnsafeBytes { buffer in
            for cut in 0...buffer.count {
                let found = AnswerParser.endOfHead(UnsafeRawBufferPointer(rebasing: buffer[..<cut]))
                #expect(found == (cut >= 25 ? 25 : nil))
                #expect(AnswerParser.endOfHead(buffer, from: min(cut, 24)) == 25)
            }
        }
    }

    // MARK: Chunks

    /// What comes out, fed in pieces of `size`; nil where it is refused or not finished.
    private func decode(_ text: String, piecesOf size: Int) -> (body: String, used: Int)? {
        let bytes = Array(text.utf8)
        var decoder = ChunkedBody()
        var body: [UInt8] = []
        var used = 0
        for start in stride(from: 0, to: bytes.count, by: size) where !decoder.isFinished {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            let taken = piece.withUnsafeBytes { buffer -> Int? in
                try? decoder.take(buffer) { body += $0 }
            }
            guard let taken else { return nil }
            used += taken
        }
        return decoder.isFinished ? (String(decoding: body, as: UTF8.self), used) : nil
    }

    @Test(
        "Section 7.1: chunks, extensions and trailers, in pieces of every size",
        arguments: [
            ("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde"),
            ("0\r\n\r\n", ""),
            ("00A;name=value\r\n0123456789\r\n000\r\n\r\n", "0123456789"),
            ("1\r\na\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\n", "a"),
        ]
    )
    func chunks(_ text: String, _ body: String) {
        for size in 1...text.utf8.count + 3 {
            let decoded = decode(text + "next", piecesOf: size)
            #expect(decoded?.body == body && decoded?.used == text.utf8.count)
        }
    }

    @Test(
        "What breaks the grammar of chunks is no body",
        arguments: [
            "\r\nabc", "g\r\n", "-1\r\n", "3\nabc", "3\r\nabcd\r\n", "3\r\nabc\n0\r\n\r\n", "10000000000000000\r\n",
            "3 3\n\r\n",
            "0\r\nTrailer\nx\r\n\r\n", "3\r\nabc\r\n" + String(repeating: "0", count: 9000),
        ]
    )
    func brokenChunks(_ text: String) {
        for size in [1, 7, text.utf8.count] { #expect(decode(text, piecesOf: size) == nil) }
    }
}
