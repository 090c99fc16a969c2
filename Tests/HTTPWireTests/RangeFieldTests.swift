import Testing

@testable import HTTPWire

/// A selection as text: "whole", "416" or its ranges.
private func select(_ value: String, of length: UInt64) -> String {
    switch RangeField.select(octets(value).span, length: length) {
    case .whole: "whole"
    case .unsatisfiable: "416"
    case .single(let range): "\(range.first)-\(range.last)"
    case .several(let list): (0..<list.count).map { "\(list[$0].first)-\(list[$0].last)" }.joined(separator: ",")
    }
}

@Suite("RFC 9110 14: Range")
struct RangeFieldTests {
    private static let nines = String(repeating: "9", count: 30)

    @Test(
        "RFC 9110 14.1.2: one range of 1000 octets",
        arguments: [
            ("bytes=0-0", "0-0"), ("bytes=0-9", "0-9"), ("bytes=500-999", "500-999"), ("bytes=0-", "0-999"),
            ("bytes=500-", "500-999"), ("bytes=-1", "999-999"), ("bytes=-500", "500-999"), ("bytes=-1000", "0-999"),
            ("bytes=0-999", "0-999"), ("bytes=999-999", "999-999"), ("bytes=999-", "999-999"),
            ("bytes=0000-00009", "0-9"),
        ]
    )
    func single(value: String, selection: String) { #expect(select(value, of: 1000) == selection) }

    @Test(
        "RFC 9110 14.1.2: a suffix longer than the file is the whole file, a last position behind it its end",
        arguments: [
            ("bytes=-1001", "0-999"), ("bytes=-2000", "0-999"), ("bytes=0-1000", "0-999"),
            ("bytes=999-5000", "999-999"),
            ("bytes=100-10000", "100-999"),
        ]
    )
    func clamped(value: String, selection: String) { #expect(select(value, of: 1000) == selection) }

    @Test(
        "RFC 9110 14.1.2: numerals of any length, without overflow",
        arguments: [
            ("bytes=0-9223372036854775807", "0-999"), ("bytes=0-18446744073709551615", "0-999"),
            ("bytes=0-18446744073709551616", "0-999"), ("bytes=1-\(nines)", "1-999"), ("bytes=-\(nines)", "0-999"),
            ("bytes=-18446744073709551616", "0-999"), ("bytes=4294967296-4294967305", "416"),
            ("bytes=18446744073709551616-18446744073709551625", "416"), ("bytes=\(nines)-", "416"),
            ("bytes=\(nines)-\(nines)", "416"), ("bytes=\(nines)-1", "whole"), ("bytes=\(nines)9-\(nines)8", "whole"),
            ("bytes=000\(nines)-\(nines)", "416"),
        ]
    )
    func numerals(value: String, selection: String) { #expect(select(value, of: 1000) == selection) }

    @Test("RFC 9110 14.1.2: the largest length there is")
    func largest() {
        #expect(select("bytes=-1", of: .max) == "18446744073709551614-18446744073709551614")
        #expect(select("bytes=0-", of: .max) == "0-18446744073709551614")
        #expect(select("bytes=18446744073709551615-", of: .max) == "416")
    }

    @Test(
        "RFC 9110 15.5.17: nothing of it is there",
        arguments: [
            "bytes=1000-", "bytes=1000-1000", "bytes=2000-3000", "bytes=-0", "bytes=1000-,2000-,-0", "bytes=-000",
        ]
    )
    func unsatisfiable(value: String) { #expect(select(value, of: 1000) == "416") }

    @Test(
        "RFC 9110 14.1.2: an empty file has no octet to give, but all of it to send",
        arguments: [
            ("bytes=0-0", "416"), ("bytes=0-", "416"), ("bytes=-0", "416"), ("bytes=-1", "whole"),
            ("bytes=-5", "whole"),
            ("bytes=0-,-5", "whole"),
        ]
    )
    func empty(value: String, selection: String) { #expect(select(value, of: 0) == selection) }

    @Test(
        "RFC 9110 14.2: an unknown unit is ignored",
        arguments: ["items=0-9", "none=0-9", "bytesx=0-9", "byte=0-9", "=0-9", "", "bytes", "bytes 0-9", "bytes =0-9"]
    )
    func unit(value: String) { #expect(select(value, of: 1000) == "whole") }

    @Test("RFC 9110 14.1: units are case-insensitive", arguments: ["BYTES=0-9", "Bytes=0-9", "bYtEs=0-9"])
    func unitCase(value: String) { #expect(select(value, of: 1000) == "0-9") }

    @Test(
        "RFC 9110 14.2: an invalid field is ignored as a whole",
        arguments: [
            "bytes=", "bytes= ", "bytes=,", "bytes=-", "bytes=abc", "bytes=0", "bytes=9-0", "bytes=0-9-10",
            "bytes=+0-9",
            "bytes=0-+9", "bytes=0x0-0x9", "bytes=0 - 9", "bytes=0- 9", "bytes=--5", "bytes=0.0-9.0", "bytes=0-9;20-29",
            "bytes=0-9x", "bytes=0-1_0", "bytes=\u{EF}\u{BC}\u{90}-9", "bytes=0-9,abc", "bytes=9-0,20-29",
            "bytes=0-9 20-29", "bytes=1000-,x", "bytes=0-9, 20-29, -", "bytes=0-9\u{0B}",
        ]
    )
    func invalid(value: String) { #expect(select(value, of: 1000) == "whole") }

    @Test(
        "RFC 9110 14.1.1, 5.6.1: several ranges, white space and empty elements; the order of the request",
        arguments: [
            ("bytes=0-9,20-29", "0-9,20-29"), ("bytes=0-9 ,\t20-29", "0-9,20-29"), ("bytes= 0-9", "0-9"),
            ("bytes=,0-9,,20-29,", "0-9,20-29"), ("bytes=20-29,0-9", "20-29,0-9"), ("bytes=0-0,-1", "0-0,999-999"),
            ("bytes=0-9,1000-", "0-9"), ("bytes=1000-,0-9,-0,20-", "0-9,20-999"),
        ]
    )
    func several(value: String, selection: String) { #expect(select(value, of: 1000) == selection) }

    @Test(
        "RFC 9110 15.3.7.2: ranges that overlap or touch are merged",
        arguments: [
            ("bytes=0-9,5-14", "0-14"), ("bytes=0-9,0-9", "0-9"), ("bytes=0-9,10-19", "0-19"),
            ("bytes=10-19,0-9", "0-19"), ("bytes=0-9,11-19", "0-9,11-19"), ("bytes=0-,5-6,-1", "0-999"),
            ("bytes=50-59,0-9,55-70,5-14", "0-14,50-70"), ("bytes=0-99,10-19,90-99", "0-99"),
        ]
    )
    func merged(value: String, selection: String) { #expect(select(value, of: 1000) == selection) }

    @Test("RFC 9110 14.2, 17.15: sixteen ranges are served, more are not worth it, however they overlap")
    func many() {
        func field(_ count: Int, step: Int) -> String {
            "bytes=" + (0..<count).map { "\($0 * step)-\($0 * step)" }.joined(separator: ",")
        }
        #expect(select(field(16, step: 2), of: 1000).split(separator: ",").count == 16)
        #expect(select(field(17, step: 2), of: 1000) == "whole")
        #expect(select(field(16, step: 1), of: 1000) == "0-15")
        #expect(select("bytes=" + String(repeating: "0-,", count: 1000), of: 5_368_709_120) == "whole")
        // Members outside the file do not count.
        #expect(select("bytes=" + String(repeating: "1000-,", count: 100) + "0-9", of: 1000) == "0-9")
    }

    @Test("a range cannot be made outside of its file")
    func byteRange() {
        #expect(ByteRange(first: 0, last: 9, within: 10)?.count == 10)
        #expect(ByteRange(first: 9, last: 9, within: 10)?.count == 1)
        #expect(ByteRange(first: 0, last: 10, within: 10) == nil)
        #expect(ByteRange(first: 5, last: 4, within: 10) == nil)
        #expect(ByteRange(first: 0, last: 0, within: 0) == nil)
        #expect(ByteRange(first: 0, last: .max, within: .max) == nil)
        #expect(ByteRange(first: 0, last: .max - 1, within: .max)?.count == .max)
    }

    /// What a range set selects, by marking each octet: slow, and plainly right.
    @Test("any two ranges select the octets that each of them names", arguments: 0..<8 as Range<UInt64>)
    func pairs(length: UInt64) {
        let members = ["0-", "1-", "2-3", "3-5", "4-4", "6-9", "-1", "-2", "-9", "7-7"]
        for left in members {
            for right in members {
                let expected = marked(left, length).union(marked(right, length))
                let actual: Set<UInt64>
                switch RangeField.select(octets("bytes=\(left),\(right)").span, length: length) {
                case .whole: actual = length == 0 ? [] : [.max]
                case .unsatisfiable: actual = []
                case .single(let range): actual = Set(range.first...range.last)
                case .several(let list):
                    actual = (0..<list.count).reduce(into: []) { $0.formUnion(list[$1].first...list[$1].last) }
                }
                #expect(actual == expected, "\(left),\(right) of \(length)")
            }
        }
    }

    private func marked(_ member: String, _ length: UInt64) -> Set<UInt64> {
        let parts = member.split(separator: "-", omittingEmptySubsequences: false)
        if parts[0].isEmpty { return Set((0..<length).suffix(Int(parts[1]) ?? 0)) }
        let first = UInt64(parts[0]) ?? 0
        return Set((0..<length).filter { $0 >= first && $0 <= UInt64(parts[1]) ?? .max })
    }
}

@Suite("RFC 9110 14.6: multipart/byteranges")
struct MultipartByterangesTests {
    private func list(_ value: String, _ length: UInt64) throws -> ByteRangeList {
        guard case .several(let list) = RangeField.select(octets(value).span, length: length) else {
            throw NotSeveral()
        }
        return list
    }

    private struct NotSeveral: Error {}

    @Test("RFC 9110 15.3.7.2: the body, octet for octet")
    func body() throws {
        let multipart = MultipartByteranges(
            ranges: try list("bytes=20-24,0-9", 30),
            length: 30,
            contentType: "text/plain",
            boundary: "B"
        )
        #expect(multipart.mediaType == "multipart/byteranges; boundary=B")
        let first = "--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 20-24/30\r\n\r\n"
        let second = "\r\n--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-9/30\r\n\r\n"
        let closing = "\r\n--B--\r\n"
        #expect(text(multipart.partHead(0)) == first)
        #expect(text(multipart.partHead(1)) == second)
        #expect(text(multipart.closing) == closing)
        #expect(multipart.contentLength == UInt64((first + second + closing).utf8.count) + 15)
    }

    @Test(
        "RFC 9110 8.6: Content-Length is exact, beyond 32 bits too",
        arguments: [
            ("bytes=0-0,-1", 1000), ("bytes=0-9,20-29,40-", 5_368_709_120),
            ("bytes=-1,0-99", 9_223_372_036_854_775_807),
        ] as [(String, UInt64)]
    )
    func contentLength(value: String, length: UInt64) throws {
        let ranges = try list(value, length)
        let multipart = MultipartByteranges(
            ranges: ranges,
            length: length,
            contentType: "application/octet-stream",
            boundary: "0123456789abcdef"
        )
        var sum = UInt64(multipart.closing.count)
        for index in 0..<ranges.count { sum += UInt64(multipart.partHead(index).count) + ranges[index].count }
        #expect(multipart.contentLength == sum)
    }
}
