import ModelCatalog
import Testing

@testable import ModelDelivery

@Suite("RFC 9110: what an answer with a file, or with the rest of one, is good for")
struct RangeAnswerTests {
    private static let hex = String(repeating: "ab", count: 32)
    private static let tag = "\"\(hex)\""

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let offset: UInt64
        let status: Int
        let fields: [(name: String, value: String)]
        /// nil: it is refused.
        let verdict: RangeAnswer.Verdict?

        init(
            _ description: String,
            _ verdict: RangeAnswer.Verdict?,
            offset: UInt64,
            status: Int,
            _ fields: [(name: String, value: String)]
        ) {
            testDescription = description
            self.offset = offset
            self.status = status
            self.fields = fields
            self.verdict = verdict
        }
    }

    static let cases: [Case] = [
        Case("the whole", .startOver, offset: 0, status: 200, [("ETag", tag), ("Content-Length", "1000")]),
        Case("the whole, weakly tagged by a cache", .startOver, offset: 0, status: 200, [("ETag", "W/" + tag)]),
        Case("the whole without a tag, nothing at stake", .startOver, offset: 0, status: 200, []),
        Case("the whole without a tag, with bytes at stake", nil, offset: 5, status: 200, [("Content-Length", "1000")]),
        Case("the whole in answer to a range", .startOver, offset: 5, status: 200, [("etag", tag)]),
        Case("another file's tag", nil, offset: 0, status: 200, [("ETag", "\"other\"")]),
        Case("another length", nil, offset: 0, status: 200, [("ETag", tag), ("Content-Length", "999")]),
        Case("a length that is none", nil, offset: 0, status: 200, [("ETag", tag), ("Content-Length", "many")]),
        Case("a content coding", nil, offset: 0, status: 200, [("ETag", tag), ("Content-Encoding", "gzip")]),
        Case(
            "identity is none",
            .startOver,
            offset: 0,
            status: 200,
            [("ETag", tag), ("Content-Encoding", "Identity")]
        ),
        Case(
            "the rest",
            .append(500),
            offset: 500,
            status: 206,
            [("ETag", tag), ("Content-Range", "bytes 500-999/1000"), ("Content-Length", "500")]
        ),
        Case("a part of the rest", .append(1), offset: 500, status: 206, part("bytes 500-500/1000")),
        Case("the unit in capitals", .append(500), offset: 500, status: 206, part("Bytes 500-999/1000")),
        Case("a part that nobody asked for", nil, offset: 0, status: 206, part("bytes 0-999/1000")),
        Case("a part that begins before", nil, offset: 500, status: 206, part("bytes 499-999/1000")),
        Case("a part that begins behind", nil, offset: 500, status: 206, part("bytes 501-999/1000")),
        Case("a part that ends behind the end", nil, offset: 500, status: 206, part("bytes 500-1000/1000")),
        Case("a part that ends before it begins", nil, offset: 500, status: 206, part("bytes 500-499/1000")),
        Case("a part of a longer file", nil, offset: 500, status: 206, part("bytes 500-999/1001")),
        Case("a part of a file of unknown length", nil, offset: 500, status: 206, part("bytes 500-999/*")),
        Case("a part with a sign", nil, offset: 500, status: 206, part("bytes +500-999/1000")),
        Case("a part beyond all counting", nil, offset: 500, status: 206, part("bytes 500-18446744073709551616/1000")),
        Case("a part in other units", nil, offset: 500, status: 206, part("items 500-999/1000")),
        Case("a part that does not say which", nil, offset: 500, status: 206, [("ETag", tag)]),
        Case(
            "several parts",
            nil,
            offset: 500,
            status: 206,
            [("ETag", tag), ("Content-Type", "multipart/byteranges")]
        ),
        Case("a part without a tag", nil, offset: 500, status: 206, [("Content-Range", "bytes 500-999/1000")]),
        Case(
            "a part with a weak tag: RFC 9110, 8.8.1, that does not tell bytes apart",
            nil,
            offset: 500,
            status: 206,
            [("ETag", "W/" + tag), ("Content-Range", "bytes 500-999/1000")]
        ),
        Case(
            "a part of another file",
            nil,
            offset: 500,
            status: 206,
            [("ETag", "\"other\""), ("Content-Range", "bytes 500-999/1000")]
        ),
        Case(
            "a part whose length is not its range's",
            nil,
            offset: 500,
            status: 206,
            [("ETag", tag), ("Content-Range", "bytes 500-999/1000"), ("Content-Length", "499")]
        ),
        Case("no content", nil, offset: 0, status: 204, [("ETag", tag)]),
        Case("not modified", nil, offset: 0, status: 304, [("ETag", tag)]),
    ]

    private static func part(_ range: String) -> [(name: String, value: String)] {
        [("ETag", tag), ("Content-Range", range)]
    }

    @Test("Judged by the head alone", arguments: cases)
    func judge(_ answer: Case) throws {
        let digest = try #require(ContentDigest(hex: Self.hex))
        let verdict = RangeAnswer(size: 1000, digest: digest)
            .judge(AnswerHead(status: answer.status, fields: answer.fields), offset: answer.offset)
        if let expected = answer.verdict {
            #expect(verdict == expected)
        } else {
            guard case .refuse = verdict else { return #expect(Bool(false), "\(verdict)") }
        }
    }
}
