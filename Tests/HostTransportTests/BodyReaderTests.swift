import HTTPWire
import Testing

@testable import HostTransport

@Suite("BodyReader: where a body that is dropped ends")
struct BodyReaderTests {
    enum Outcome: Equatable, Sendable {
        /// The octets of head and body together.
        case finished(Int)
        case needsMore, invalid, tooLong

        init(_ step: BodyReader.Step) {
            self =
                switch step {
                case .finished(let length): .finished(length)
                case .needsMore: .needsMore
                case .invalid: .invalid
                case .tooLong: .tooLong
                }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let framing: BodyFraming
        let octets: String
        let outcome: Outcome
        var testDescription: String { "\(framing): \(octets.replacing("\r\n", with: "|"))" }

        init(_ framing: BodyFraming, _ octets: String, _ outcome: Outcome) {
            self.framing = framing
            self.octets = octets
            self.outcome = outcome
        }
    }

    private static let head = "HEAD\r\n\r\n"
    private static let limit: UInt64 = 20

    @Test(
        "RFC 9112 6.3, with a limit of 20 octets",
        arguments: [
            Row(.none, "GET", .finished(8)),
            Row(.length(0), "", .finished(8)),
            Row(.length(3), "abcGET", .finished(11)),
            Row(.length(3), "ab", .needsMore),
            Row(.length(20), String(repeating: "x", count: 20), .finished(28)),
            Row(.length(21), "", .tooLong),
            Row(.length(.max), "abc", .tooLong),
            Row(.chunked, "0\r\n\r\nGET", .finished(13)),
            Row(.chunked, "3\r\nabc\r\n0\r\n\r\n", .finished(21)),
            Row(.chunked, "3\r\nabc\r\n0\r\n\r", .needsMore),
            Row(.chunked, "3\r\nabc\r\n0\r\nA: b\r\n\r\nGET", .finished(27)),
            Row(.chunked, "", .needsMore),
            Row(.chunked, "ffffff\r\nabc", .needsMore),
            // The coding counts as well as what it carries: a body of empty extensions would have no end.
            Row(.chunked, "1;aaaaaaaaaaaaaaaaaaa", .tooLong),
            Row(.chunked, "ffffff\r\n" + String(repeating: "x", count: 13), .tooLong),
            Row(.chunked, "g\r\n", .invalid),
            Row(.chunked, "3\r\nabcd\r\n", .invalid),
        ]
    )
    func table(_ row: Row) {
        let octets = Array((Self.head + row.octets).utf8)
        var reader = BodyReader(headLength: Self.head.utf8.count, framing: row.framing)
        #expect(Outcome(reader.advance(octets.span, limit: Self.limit)) == row.outcome)

        // Octet by octet it comes to the same, and to `needsMore` on the way.
        reader = BodyReader(headLength: Self.head.utf8.count, framing: row.framing)
        var count = Self.head.utf8.count
        var last = Outcome(reader.advance(octets.span.extracting(0..<count), limit: Self.limit))
        while last == .needsMore, count < octets.count {
            count += 1
            last = Outcome(reader.advance(octets.span.extracting(0..<count), limit: Self.limit))
        }
        #expect(last == row.outcome)
    }
}
