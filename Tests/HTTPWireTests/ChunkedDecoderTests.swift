import Testing

@testable import HTTPWire

@Suite("RFC 9112 7.1: the chunked coding")
struct ChunkedDecoderTests {
    /// The body that `wire` holds and how many octets it took; nil if it is invalid or unfinished.
    private func decode(_ wire: [UInt8], cuts: [Int] = []) -> (body: String, consumed: Int, last: ChunkedDecoder.Step) {
        var decoder = ChunkedDecoder()
        var body: [UInt8] = []
        var position = 0
        var last = ChunkedDecoder.Step.needsMore
        for end in cuts + [wire.count] {
            let bytes = wire.span.extracting(0..<max(end, position))
            repeat {
                last = decoder.next(bytes, from: &position)
                if case .data(let range) = last { body += wire[range] }
            } while last.isData
        }
        return (text(body), position, last)
    }

    @Test(
        "RFC 9112 7.1: bodies",
        arguments: [
            ("0\r\n\r\n", ""), ("5\r\nabcde\r\n0\r\n\r\n", "abcde"), ("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde"),
            ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"), ("a\r\n0123456789\r\n000\r\n\r\n", "0123456789"),
            ("0005\r\nabcde\r\n0\r\n\r\n", "abcde"), ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
            ("5;a=b;c=\"d\"\r\nabcde\r\n0;last\r\n\r\n", "abcde"), ("5 ; a\r\nabcde\r\n0\r\n\r\n", "abcde"),
            ("5\r\nabcde\r\n0\r\nX-T: 1\r\n\r\n", "abcde"), ("0\r\nX:\r\nY: a\tb\u{80}\r\n\r\n", ""),
            ("0\r\nContent-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n", ""),
        ]
    )
    func bodies(wire: String, body: String) {
        let bytes = octets(wire)
        let followed = bytes + octets("GET / HTTP/1.1\r\n")
        for wire in [bytes, followed] {
            let result = decode(wire)
            #expect(result.last == .finished)
            #expect(result.body == body)
            #expect(result.consumed == bytes.count)
        }
        for cut in 0...bytes.count {
            #expect(decode(bytes, cuts: [cut]) == (body, bytes.count, .finished), "cut at \(cut)")
        }
        #expect(decode(bytes, cuts: Array(0...bytes.count)) == (body, bytes.count, .finished))
        for end in 0..<bytes.count {
            #expect(decode(Array(bytes[..<end])).last == .needsMore, "ended at \(end)")
        }
    }

    private static let zeros = String(repeating: "0", count: 32)
    private static let trailer = "X: " + String(repeating: "t", count: 8192)

    @Test(
        "RFC 9112 7.1, 7.1.1, 7.1.2: what is refused",
        arguments: [
            "zz\r\n", "0x5\r\nabcde\r\n", "-5\r\nabcde\r\n", "+5\r\n", "0_5\r\n", "\r\nabcde", " 5\r\n", "5\0\r\n",
            "5 \r\nabcde\r\n", ";a\r\n", "5\rX\n", "5\nabcde\r\n", "5\r\r\n", "5;a\rb\r\n", "5;a\nb\r\n", "5;\nabcde",
            "5;a=\0\r\n",
            "5;a\u{7F}\r\n", "5 a\r\n", "5\r\nabcdefg\r\n", "5\r\nabcde0\r\n", "5\r\nabcde\r0\r\n",
            "5\r\nabcde\n0\r\n\r\n",
            "10000000000000005\r\nabcde", "\(zeros)5\r\nabcde", "0\n\n", "0\r\n\n", "0\r\n\r\r", "0\r\nX\r\n\r\n",
            "0\r\nX Y: 1\r\n\r\n", "0\r\nX : 1\r\n\r\n", "0\r\n: 1\r\n\r\n", "0\r\n X: 1\r\n\r\n",
            "0\r\nX: 1\r\n Y\r\n\r\n",
            "0\r\nX: \0\r\n\r\n", "0\r\nX: a\nY: b\r\n\r\n", "0\r\nX: a\rY: b\r\n\r\n", "0\r\n\(trailer)\r\n\r\n",
        ]
    )
    func invalid(wire: String) {
        let bytes = octets(wire)
        #expect(decode(bytes).last == .invalid)
        let whole = decode(bytes)
        for cut in 0...bytes.count { #expect(decode(bytes, cuts: [cut]) == whole, "cut at \(cut)") }
    }

    @Test("RFC 9112 7.1: a size of 64 bits is a size, and is not waited for in memory")
    func largest() {
        var decoder = ChunkedDecoder()
        var position = 0
        let wire = octets("ffffffffffffffff\r\nabc")
        #expect(decoder.next(wire.span, from: &position) == .data(18..<21))
        #expect(decoder.next(wire.span, from: &position) == .needsMore)
        #expect(position == 21)
    }

    @Test("RFC 9112 7.1.1: extensions have a limit on each chunk")
    func extensions() {
        func wire(_ count: Int) -> [UInt8] {
            octets(
                "1;" + String(repeating: "e", count: count) + "\r\nx\r\n1;" + String(repeating: "e", count: count)
                    + "\r\n"
            )
        }
        #expect(decode(wire(1022)).last == .needsMore)
        #expect(decode(wire(1023)).last == .invalid)
    }

    @Test("RFC 9112 7.1.2: trailers have a limit in number and in octets")
    func trailers() {
        #expect(decode(octets("0\r\n" + String(repeating: "X: t\r\n", count: 100) + "\r\n")).last == .finished)
        #expect(decode(octets("0\r\n" + String(repeating: "X: t\r\n", count: 101))).last == .invalid)
        let longest = "X:" + String(repeating: "t", count: 8188) + "\r\n"
        #expect(decode(octets("0\r\n\(longest)\r\n")).last == .finished)
        #expect(decode(octets("0\r\nt\(longest)\r\n")).last == .invalid)
    }

    @Test("an ended decoder stays so and consumes nothing")
    func ended() {
        var decoder = ChunkedDecoder()
        let good = octets("0\r\n\r\n0\r\n\r\n")
        var position = 0
        #expect(decoder.next(good.span, from: &position) == .finished)
        #expect(decoder.next(good.span, from: &position) == .finished)
        #expect(position == 5)
        decoder = ChunkedDecoder()
        let bad = octets("x0\r\n\r\n")
        position = 0
        #expect(decoder.next(bad.span, from: &position) == .invalid)
        #expect(decoder.next(bad.span, from: &position) == .invalid)
        #expect(position == 0)
    }
}

extension ChunkedDecoder.Step {
    fileprivate var isData: Bool {
        if case .data = self { true } else { false }
    }
}
