import Testing

@testable import HTTPWire

@Suite("RFC 9110 5.6.7: dates")
struct HTTPDateTests {
    /// 2026-06-15 12:00:00 UTC.
    private static let now: Int64 = 1_781_524_800

    private func parse(_ value: String, now: Int64 = now) -> Int64? {
        HTTPDate.parse(octets(value).span, now: now)?.seconds
    }

    private func write(_ seconds: Int64) -> String {
        var output: [UInt8] = []
        HTTPDate(seconds: seconds).write(into: &output)
        return text(output)
    }

    @Test(
        "RFC 9110 5.6.7: the same second in each of the three forms",
        arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
    )
    func forms(value: String) { #expect(parse(value) == 784_111_777) }

    @Test(
        "RFC 9110 5.6.7: written as IMF-fixdate, and read again",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_709_208_000, "Thu, 29 Feb 2024 12:00:00 GMT"), (2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Int64, String)]
    )
    func written(seconds: Int64, value: String) {
        #expect(write(seconds) == value)
        #expect(parse(value) == seconds)
    }

    @Test("a time that four digits of year cannot say is written as the nearest that they can")
    func extremes() {
        #expect(write(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(write(.min) == "Sat, 01 Jan 0000 00:00:00 GMT")
    }

    @Test("each day of four centuries, which is the calendar's whole cycle, is real and follows the one before")
    func everyDay() {
        var last = CivilDate(seconds: -86400)
        for day in 0..<146_097 as Range<Int64> {
            let date = CivilDate(seconds: day * 86400)
            let isNext =
                date.day == last.day + 1 && date.month == last.month && date.year == last.year
                || date.day == 1 && date.month == last.month + 1 && date.year == last.year
                || date.day == 1 && date.month == 1 && last.month == 12 && date.year == last.year + 1
            guard isNext, date.isReal, date.seconds == day * 86400, date.weekday == (last.weekday + 1) % 7 else {
                Issue.record("day \(day): \(date) after \(last)")
                return
            }
            last = date
        }
        #expect(last == CivilDate(year: 2369, month: 12, day: 31, secondOfDay: 0))
    }

    @Test(
        "RFC 9110 5.6.7: two digits of year, seen from 2026, are at most fifty years ahead",
        arguments: [
            ("Monday, 15-Jun-26 12:00:00 GMT", 2026), ("Monday, 15-Jun-76 12:00:00 GMT", 2076),
            ("Monday, 15-Jun-76 12:00:01 GMT", 1976), ("Monday, 01-Jan-77 00:00:00 GMT", 1977),
            ("Monday, 31-Dec-99 00:00:00 GMT", 1999), ("Monday, 01-Jan-00 00:00:00 GMT", 2000),
            ("Monday, 29-Feb-68 00:00:00 GMT", 2068),
        ]
    )
    func centuries(value: String, year: Int) throws {
        let seconds = try #require(parse(value))
        #expect(write(seconds).split(separator: " ")[3] == "\(year)")
    }

    @Test("RFC 9110 5.6.7: the century follows the clock, into the next one too")
    func centuryOfTheClock() throws {
        // 2099-12-31: the year 01 is two years ahead, not 98 years ago.
        let seconds = try #require(parse("Saturday, 01-Jan-01 00:00:00 GMT", now: 4_102_358_400))
        #expect(write(seconds) == "Sat, 01 Jan 2101 00:00:00 GMT")
        #expect(parse("Saturday, 01-Jan-01 00:00:00 GMT", now: .max) != nil)
        #expect(parse("Saturday, 01-Jan-01 00:00:00 GMT", now: .min) != nil)
    }

    @Test("RFC 5322 3.3: a leap second at the end of a day is the next day's first")
    func leapSecond() {
        #expect(parse("Sat, 31 Dec 2016 23:59:60 GMT") == parse("Sun, 01 Jan 2017 00:00:00 GMT"))
        #expect(parse("Sat, 31 Dec 2016 22:59:60 GMT") == nil)
        #expect(parse("Sat, 31 Dec 2016 23:59:61 GMT") == nil)
    }

    @Test(
        "RFC 9110 5.6.7, 13.1.3: what is no date",
        arguments: [
            "", "yesterday", "1781524800", "0", "Tue, 32 Jan 2036 00:00:00 GMT", "Fri, 29 Feb 2019 00:00:00 GMT",
            "Mon, 29 Feb 2100 00:00:00 GMT", "Sat, 31 Apr 2022 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Mon, 06 Nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 gmt", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
            "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 06 Nov 1994  8:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
            "Son, 06 Nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT",
            "Sonntag, 06-Nov-94 08:49:37 GMT", "Sunday, 31-Feb-94 08:49:37 GMT", "Sunday, 6-Nov-94 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994", "Mon Nov  6 08:49:37 1994", "Sun Nov  6 08:49:37 94", "Sun Nov  0 08:49:37 1994",
            "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov 31 08:49:37 1994", "\u{FF}un, 06 Nov 1994 08:49:37 GMT",
        ]
    )
    func invalid(value: String) { #expect(parse(value) == nil) }

    @Test("RFC 9110 5.6.7: a valid date with any one octet changed is refused or another date, and never traps")
    func mutations() {
        for value in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            for index in value.utf8.indices.enumerated().map(\.offset) {
                for octet in [0, 0x20, 0x2C, 0x2D, 0x3A, 0x39, 0x7F, 0xFF] as [UInt8] {
                    var bytes = octets(value)
                    guard bytes[index] != octet else { continue }
                    bytes[index] = octet
                    #expect(HTTPDate.parse(bytes.span, now: Self.now)?.seconds != 784_111_777, "\(index) \(octet)")
                }
            }
        }
    }
}
