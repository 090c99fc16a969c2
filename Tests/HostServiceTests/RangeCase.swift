import TestSupport
import Testing

/// A request about a file, and the answer that RFC 9110 asks for. One row serves files of every size.
struct RangeCase: Sendable, CustomTestStringConvertible {
    /// What the answer is, besides the fields that every answer about a file has.
    enum Answer: Sendable {
        /// 200 with all octets.
        case whole
        /// 206 with one range, both ends included; a negative position counts from the end, -1 being the last octet.
        case part(Int, Int)
        /// 206 with several, as multipart/byteranges.
        case parts([(Int, Int)])
        /// 304
        case notModified
        /// 412
        case failed
        /// 416
        case unsatisfiable
    }

    let section: String
    let says: String
    /// Field lines as templates: see `lines(etag:length:)`.
    let fields: [String]
    let answer: Answer

    init(_ section: String, _ says: String, _ fields: String..., gives answer: Answer) {
        self.section = section
        self.says = says
        self.fields = fields
        self.answer = answer
    }

    var testDescription: String { "RFC 9110 \(section): \(says)" }

    /// The fields for a file of `length` octets: `{etag}` and `{hex}` are its tag with and without quotes, `{date}`,
    /// `{date850}` and `{asctime}` its Last-Modified in the three forms of RFC 9110 5.6.7, `{earlier}` and `{later}`
    /// the second before and after it, and `{N}`, `{N-1}`, ... its length.
    func lines(etag: String, length: Int) -> [(String, String)] {
        fields.map { field in
            var text = field
            let values = [
                ("etag", etag), ("hex", String(etag.dropFirst().dropLast())), ("HEX", etag.uppercased()),
                ("date", Self.date), ("date850", "Monday, 01-Dec-25 09:30:00 GMT"),
                ("asctime", "Mon Dec  1 09:30:00 2025"), ("earlier", "Mon, 01 Dec 2025 09:29:59 GMT"),
                ("earlier850", "Monday, 01-Dec-25 09:29:59 GMT"), ("earlierAsctime", "Mon Dec  1 09:29:59 2025"),
                ("later", "Mon, 01 Dec 2025 09:30:01 GMT"), ("N", "\(length)"), ("N-1", "\(length - 1)"),
                ("N+1", "\(length + 1)"), ("N+1000", "\(length + 1000)"), ("2N", "\(2 * length)"),
            ]
            for (name, value) in values { text = text.replacing("{\(name)}", with: value) }
            let parts = text.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), String(parts[1].drop { $0 == " " }))
        }
    }

    /// The manifest's `createdAt` as an IMF-fixdate.
    static let date = "Mon, 01 Dec 2025 09:30:00 GMT"
    static let createdAt = "2025-12-01T09:30:00Z"

    /// The files that the rows are about.
    @Sendable static func publish(_ store: ReleaseStore) throws {
        try store.publish(
            model: "M",
            version: "1.0.0",
            assets: [
                "M.aimodel": [
                    "small.bin": .pattern(1000, seed: 1),
                    "large.bin": .pattern(40_000, seed: 2),
                    "empty.bin": "",
                    "one.bin": "x",
                ]
            ],
            // So that the manifest has more than a thousand octets too.
            companions: Dictionary(uniqueKeysWithValues: (0..<20).map { ("c\($0).txt", .pattern(9, seed: 9)) }),
            createdAt: createdAt
        )
    }

    static let all = ranges + rangeSets + ifRange + ifMatch + ifNoneMatch + dates + negotiation
}

extension RangeCase {
    /// One range (RFC 9110 14.1.1, 14.1.2, 14.2).
    static let ranges: [RangeCase] = [
        RangeCase("14", "no Range, all octets", gives: .whole),
        RangeCase("14.1.2", "the first ten octets", "Range: bytes=0-9", gives: .part(0, 9)),
        RangeCase("14.1.2", "the first octet", "Range: bytes=0-0", gives: .part(0, 0)),
        RangeCase("14.1.2", "the last octet by its position", "Range: bytes={N-1}-{N-1}", gives: .part(-1, -1)),
        RangeCase("14.1.2", "the second five hundred octets", "Range: bytes=500-999", gives: .part(500, 999)),
        RangeCase("14.1.2", "from 500 to the end", "Range: bytes=500-", gives: .part(500, -1)),
        RangeCase("14.1.2", "all octets by an open range are a part", "Range: bytes=0-", gives: .part(0, -1)),
        RangeCase("14.1.2", "all octets by both ends", "Range: bytes=0-{N-1}", gives: .part(0, -1)),
        RangeCase("14.1.2", "a last position at the end is the last octet", "Range: bytes=0-{N}", gives: .part(0, -1)),
        RangeCase("14.1.2", "a last position beyond the end", "Range: bytes=990-{N+1000}", gives: .part(990, -1)),
        RangeCase("14.1.2", "a last position of 2^64", "Range: bytes=0-18446744073709551616", gives: .part(0, -1)),
        RangeCase("14.1.2", "a last position of 2^64 - 1", "Range: bytes=9-18446744073709551615", gives: .part(9, -1)),
        RangeCase(
            "14.1.2",
            "a last position of forty digits",
            "Range: bytes=1-\(String(repeating: "9", count: 40))",
            gives: .part(1, -1)
        ),
        RangeCase("14.1.2", "leading zeros", "Range: bytes=0000-0000000000000000000000009", gives: .part(0, 9)),
        RangeCase("14.1.2", "the last ten octets", "Range: bytes=-10", gives: .part(-10, -1)),
        RangeCase("14.1.2", "the last octet by a suffix", "Range: bytes=-1", gives: .part(-1, -1)),
        RangeCase("14.1.2", "a suffix as long as the file", "Range: bytes=-{N}", gives: .part(0, -1)),
        RangeCase("14.1.2", "a suffix one longer than the file", "Range: bytes=-{N+1}", gives: .part(0, -1)),
        RangeCase("14.1.2", "a suffix twice as long as the file", "Range: bytes=-{2N}", gives: .part(0, -1)),
        RangeCase("14.1.2", "a suffix of 2^64", "Range: bytes=-18446744073709551616", gives: .part(0, -1)),
        RangeCase("14.1.2", "a suffix of 2^63", "Range: bytes=-9223372036854775808", gives: .part(0, -1)),
        RangeCase("14.1.2", "a suffix of no octets", "Range: bytes=-0", gives: .unsatisfiable),
        RangeCase("14.1.2", "from the end on", "Range: bytes={N}-", gives: .unsatisfiable),
        RangeCase("14.1.2", "beyond the end", "Range: bytes={N}-{N+1000}", gives: .unsatisfiable),
        RangeCase("14.1.2", "a first position of 2^64", "Range: bytes=18446744073709551616-", gives: .unsatisfiable),
        RangeCase(
            "14.1.2",
            "both positions 2^64 - 1",
            "Range: bytes=18446744073709551615-18446744073709551615",
            gives: .unsatisfiable
        ),
        RangeCase(
            "14.1.1",
            "a last position before the first, beyond 64 bits",
            "Range: bytes=18446744073709551617-18446744073709551616",
            gives: .whole
        ),
        RangeCase("14.1.1", "a last position before the first", "Range: bytes=500-100", gives: .whole),
        RangeCase("14.1", "the unit's case does not count", "Range: BYTES=0-9", gives: .part(0, 9)),
        RangeCase("14.2", "an unknown unit is ignored", "Range: items=0-1", gives: .whole),
        RangeCase("14.2", "no unit", "Range: 0-9", gives: .whole),
        RangeCase("14.2", "no range", "Range: bytes=", gives: .whole),
        RangeCase("14.2", "the unit alone", "Range: bytes", gives: .whole),
        RangeCase("14.2", "an empty value", "Range: ", gives: .whole),
        RangeCase("14.1.1", "letters", "Range: bytes=a-b", gives: .whole),
        RangeCase("14.1.1", "a letter as the last position", "Range: bytes=0-b", gives: .whole),
        RangeCase("14.1.1", "hexadecimal digits", "Range: bytes=0x0-0x9", gives: .whole),
        RangeCase("14.1.1", "a sign", "Range: bytes=+0-9", gives: .whole),
        RangeCase("14.1.1", "a negative suffix", "Range: bytes=--1", gives: .whole),
        RangeCase("14.1.1", "a fraction", "Range: bytes=0.0-9", gives: .whole),
        RangeCase("14.1.1", "a hyphen alone", "Range: bytes=-", gives: .whole),
        RangeCase("14.1.1", "no hyphen", "Range: bytes=0", gives: .whole),
        RangeCase("14.1.1", "two hyphens", "Range: bytes=0-9-19", gives: .whole),
        RangeCase("14.1.1", "white space around the hyphen", "Range: bytes=0 - 9", gives: .whole),
        RangeCase("14.1.1", "white space before the equals sign", "Range: bytes =0-9", gives: .whole),
        RangeCase("14.1.1", "digits that are not ASCII", "Range: bytes=０-９", gives: .whole),
        RangeCase("14.1.1", "a parameter", "Range: bytes=0-9;q=1", gives: .whole),
        RangeCase("5.5", "white space around the value", "Range: \t  bytes=0-9 \t", gives: .part(0, 9)),
        RangeCase(
            "5.3",
            "two Range lines: not a list, so ignored",
            "Range: bytes=0-9",
            "Range: bytes=0-9",
            gives: .whole
        ),
    ]

    /// Several ranges (RFC 9110 14.2, 14.6, 15.3.7.2).
    static let rangeSets: [RangeCase] = [
        RangeCase("15.3.7.2", "two ranges", "Range: bytes=0-9,20-29", gives: .parts([(0, 9), (20, 29)])),
        RangeCase("5.6.1", "white space in the list", "Range: bytes=0-9 ,\t 20-29", gives: .parts([(0, 9), (20, 29)])),
        RangeCase("15.3.7.2", "the order asked for", "Range: bytes=20-29,0-9", gives: .parts([(20, 29), (0, 9)])),
        RangeCase("14.1.2", "the first and the last octet", "Range: bytes=0-0,-1", gives: .parts([(0, 0), (-1, -1)])),
        RangeCase(
            "14.1.2",
            "every kind of range",
            "Range: bytes=1-2,{N-1}-,-3,500-509",
            gives: .parts([(1, 2), (500, 509), (-3, -1)])
        ),
        RangeCase("15.3.7.2", "overlapping ranges are merged", "Range: bytes=0-19,10-29", gives: .part(0, 29)),
        RangeCase("15.3.7.2", "neighbours are merged", "Range: bytes=0-9,10-19", gives: .part(0, 19)),
        RangeCase("15.3.7.2", "the same range twice", "Range: bytes=0-9,0-9", gives: .part(0, 9)),
        RangeCase("15.3.7.2", "a range inside another", "Range: bytes=0-99,10-19", gives: .part(0, 99)),
        RangeCase("15.3.7.2", "an open range over all others", "Range: bytes=20-29,0-,-5", gives: .part(0, -1)),
        RangeCase(
            "15.3.7.2",
            "two that overlap, and one apart",
            "Range: bytes=500-509,10-29,0-19",
            gives: .parts([(0, 29), (500, 509)])
        ),
        RangeCase("14.1.2", "what is beyond the end is left out", "Range: bytes=0-9,{N}-", gives: .part(0, 9)),
        RangeCase(
            "14.1.2",
            "an empty suffix is left out",
            "Range: bytes=0-9,-0,20-29",
            gives: .parts([(0, 9), (20, 29)])
        ),
        RangeCase("15.5.17", "all beyond the end", "Range: bytes={N}-,{N+1}-{N+1000}", gives: .unsatisfiable),
        RangeCase("15.5.17", "beyond the end, and no octets", "Range: bytes={N}-,-0", gives: .unsatisfiable),
        RangeCase("14.2", "one invalid range spoils all", "Range: bytes=0-9,a-b", gives: .whole),
        RangeCase("14.2", "one inverted range spoils all", "Range: bytes=0-9,20-10", gives: .whole),
        RangeCase("14.2", "a second unit in the list", "Range: bytes=0-9,items=0-1", gives: .whole),
        RangeCase("5.6.1", "an empty element at the end", "Range: bytes=0-9,", gives: .part(0, 9)),
        RangeCase("5.6.1", "an empty element at the start", "Range: bytes=,0-9", gives: .part(0, 9)),
        RangeCase("5.6.1", "empty elements alone are no range", "Range: bytes=, ,,", gives: .whole),
        RangeCase(
            "14.2",
            "sixteen ranges",
            "Range: bytes=" + (0..<16).map { "\($0 * 20)-\($0 * 20 + 4)" }.joined(separator: ","),
            gives: .parts((0..<16).map { ($0 * 20, $0 * 20 + 4) })
        ),
        RangeCase(
            "14.2",
            "seventeen ranges are more than a download needs",
            "Range: bytes=" + (0..<17).map { "\($0 * 20)-\($0 * 20 + 4)" }.joined(separator: ","),
            gives: .whole
        ),
        RangeCase(
            "17.15",
            "500 small ranges never cost more than the file",
            "Range: bytes=" + (0..<500).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ","),
            gives: .whole
        ),
        RangeCase(
            "17.15",
            "a thousand overlapping open ranges",
            "Range: bytes=" + Array(repeating: "0-", count: 1000).joined(separator: ","),
            gives: .whole
        ),
    ]
}
