/// A date of HTTP (RFC 9110, section 5.6.7): whole seconds since 1970-01-01 00:00:00 UTC.
///
///     Sun, 06 Nov 1994 08:49:37 GMT       IMF-fixdate, the one that is written
///     Sunday, 06-Nov-94 08:49:37 GMT      rfc850-date
///     Sun Nov  6 08:49:37 1994            asctime-date
///
/// All three are read, as a recipient must, and in their exact spelling: dates are case-sensitive. The day must be
/// one of the calendar. Where the year has four digits the name of the day must be the date's (RFC 5322, section
/// 3.3); in the rfc850 form it need not, since the century is this reader's guess.
package struct HTTPDate: Equatable, Comparable, Sendable {
    /// Unix seconds.
    package let seconds: Int64

    package init(seconds: Int64) {
        self.seconds = seconds
    }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.seconds < right.seconds }

    /// Reads any of the three forms; nil for anything else.
    /// - Parameters:
    ///   - value: a field's octets, without the white space around them.
    ///   - now: Unix seconds; settles the century of the rfc850 form.
    package static func parse(_ value: Span<UInt8>, now: Int64) -> HTTPDate? {
        guard value.count >= 24 else { return nil }
        if value[3] == UInt8(ascii: ",") { return parseFixdate(value) }
        if value[3] == Octets.space { return parseAsctime(value) }
        return parseRFC850(value, now: now)
    }

    /// Appends the 29 octets of the IMF-fixdate. A time outside of the years 0 to 9999 is written as the nearest in them.
    package func write(into output: inout [UInt8]) {
        let date = CivilDate(seconds: min(max(seconds, Self.earliest), Self.latest))
        output.append(contentsOf: Self.dayName(date.weekday).utf8.prefix(3))
        output.append(contentsOf: ", ".utf8)
        Decimal.append(date.day, width: 2, to: &output)
        output.append(Octets.space)
        output.append(contentsOf: Self.monthName(date.month).utf8)
        output.append(Octets.space)
        Decimal.append(date.year, width: 4, to: &output)
        output.append(Octets.space)
        Decimal.append(date.secondOfDay / 3600, width: 2, to: &output)
        output.append(UInt8(ascii: ":"))
        Decimal.append(date.secondOfDay / 60 % 60, width: 2, to: &output)
        output.append(UInt8(ascii: ":"))
        Decimal.append(date.secondOfDay % 60, width: 2, to: &output)
        output.append(contentsOf: " GMT".utf8)
    }

    /// 0000-01-01 00:00:00 and 9999-12-31 23:59:59: four digits hold no others.
    private static let earliest: Int64 = -62_167_219_200
    private static let latest: Int64 = 253_402_300_799

    // MARK: The three forms

    /// `day-name "," SP day SP month SP year SP time-of-day SP GMT`
    private static func parseFixdate(_ value: Span<UInt8>) -> HTTPDate? {
        guard value.count == 29, let weekday = weekday(value.extracting(0..<3), short: true),
            Octets.equal(value.extracting(3..<5), ", "), let day = number(value, 5..<7), value[7] == Octets.space,
            let month = month(value.extracting(8..<11)), value[11] == Octets.space, let year = number(value, 12..<16),
            value[16] == Octets.space, let time = timeOfDay(value.extracting(17..<25)),
            Octets.equal(value.extracting(25..<29), " GMT")
        else { return nil }
        return date(CivilDate(year: year, month: month, day: day, secondOfDay: time), weekday: weekday)
    }

    /// `day-name SP month SP ( 2DIGIT / ( SP DIGIT ) ) SP time-of-day SP year`
    private static func parseAsctime(_ value: Span<UInt8>) -> HTTPDate? {
        guard value.count == 24, let weekday = weekday(value.extracting(0..<3), short: true),
            let month = month(value.extracting(4..<7)), value[7] == Octets.space,
            let day = value[8] == Octets.space ? number(value, 9..<10) : number(value, 8..<10),
            value[10] == Octets.space, let time = timeOfDay(value.extracting(11..<19)), value[19] == Octets.space,
            let year = number(value, 20..<24)
        else { return nil }
        return date(CivilDate(year: year, month: month, day: day, secondOfDay: time), weekday: weekday)
    }

    /// `day-name-l "," SP day "-" month "-" 2DIGIT SP time-of-day SP GMT`
    private static func parseRFC850(_ value: Span<UInt8>, now: Int64) -> HTTPDate? {
        let comma = Octets.position(of: UInt8(ascii: ","), in: value, 0..<value.count)
        guard value.count &- comma == 24, weekday(value.extracting(0..<comma), short: false) != nil else { return nil }
        let rest = value.extracting(comma..<value.count)
        guard Octets.equal(rest.extracting(0..<2), ", "), let day = number(rest, 2..<4), rest[4] == UInt8(ascii: "-"),
            let month = month(rest.extracting(5..<8)), rest[8] == UInt8(ascii: "-"), let year = number(rest, 9..<11),
            rest[11] == Octets.space, let time = timeOfDay(rest.extracting(12..<20)),
            Octets.equal(rest.extracting(20..<24), " GMT")
        else { return nil }
        var civil = CivilDate(year: year, month: month, day: day, secondOfDay: time)
        settleCentury(&civil, now: now)
        return date(civil, weekday: nil)
    }

    /// A date that appears to be more than 50 years ahead is the most recent one in the past with the same two digits.
    private static func settleCentury(_ date: inout CivilDate, now: Int64) {
        var horizon = CivilDate(seconds: min(max(now, 0), latest))
        let century = horizon.year - horizon.year % 100
        horizon.year += 50
        date.year += century + 100
        while date.seconds > horizon.seconds { date.year -= 100 }
    }

    private static func date(_ civil: CivilDate, weekday: Int?) -> HTTPDate? {
        guard civil.isReal, weekday == nil || weekday == civil.weekday else { return nil }
        return HTTPDate(seconds: civil.seconds)
    }

    // MARK: Their parts

    private static func number(_ value: Span<UInt8>, _ range: Range<Int>) -> Int? {
        Decimal.parse(value, range).map(Int.init)
    }

    /// `hour ":" minute ":" second`, in seconds. 60 is a leap second, and there is one at the end of a day only.
    private static func timeOfDay(_ value: Span<UInt8>) -> Int? {
        guard value[2] == UInt8(ascii: ":"), value[5] == UInt8(ascii: ":"),
            let hour = number(value, 0..<2), let minute = number(value, 3..<5), let second = number(value, 6..<8),
            hour < 24, minute < 60, second < 60 || (second == 60 && hour == 23 && minute == 59)
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func weekday(_ value: Span<UInt8>, short: Bool) -> Int? {
        for weekday in 0..<7 {
            let name = dayName(weekday)
            if short ? isPrefix(value, of: name) : Octets.equal(value, name) { return weekday }
        }
        return nil
    }

    private static func month(_ value: Span<UInt8>) -> Int? {
        for month in 1...12 where Octets.equal(value, monthName(month)) { return month }
        return nil
    }

    private static func isPrefix(_ value: Span<UInt8>, of name: String) -> Bool {
        var index = 0
        for octet in name.utf8 {
            guard index < value.count else { break }
            guard value[index] == octet else { return false }
            index &+= 1
        }
        return index == value.count
    }

    private static func dayName(_ weekday: Int) -> String {
        switch weekday {
        case 0: "Sunday"
        case 1: "Monday"
        case 2: "Tuesday"
        case 3: "Wednesday"
        case 4: "Thursday"
        case 5: "Friday"
        default: "Saturday"
        }
    }

    private static func monthName(_ month: Int) -> String {
        switch month {
        case 1: "Jan"
        case 2: "Feb"
        case 3: "Mar"
        case 4: "Apr"
        case 5: "May"
        case 6: "Jun"
        case 7: "Jul"
        case 8: "Aug"
        case 9: "Sep"
        case 10: "Oct"
        case 11: "Nov"
        default: "Dec"
        }
    }
}
