/// A moment as RFC 3339 writes it, kept in the words it came in.
///
/// Equality is that of the text, so that what was read is written back byte for byte; the order is that of time.
package struct Instant: Hashable, Comparable, CustomStringConvertible, Sendable {
    package let text: String
    /// Whole seconds since 1970-01-01T00:00:00Z, leap seconds not counted; a fraction is dropped.
    package let unixSeconds: Int64

    /// The moment in the canonical form, `2026-12-01T09:30:00Z`.
    ///
    /// - Returns: nil outside the years 0 to 9999.
    package init?(unixSeconds: Int64) {
        let days = unixSeconds.flooredQuotient(by: 86_400)
        guard let date = CivilDate(daysSinceEpoch: days) else { return nil }
        let second = unixSeconds - days * 86_400
        func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        text =
            padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T"
            + padded(second / 3600, 2)
            + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2) + "Z"
        self.unixSeconds = unixSeconds
    }

    /// - Returns: nil where `text` is no RFC 3339 date-time: `YYYY-MM-DDThh:mm:ss`, perhaps a fraction, and `Z` or
    ///   `+hh:mm`. The 30th of February is none either; a leap second counts as the second after it.
    package init?(_ text: String) {
        var rest = text[...].utf8
        guard
            let year = Self.takeNumber(&rest, digits: 4), Self.take(&rest, "-"),
            let month = Self.takeNumber(&rest, digits: 2), Self.take(&rest, "-"),
            let day = Self.takeNumber(&rest, digits: 2), Self.take(&rest, "T"),
            let hour = Self.takeNumber(&rest, digits: 2), hour < 24, Self.take(&rest, ":"),
            let minute = Self.takeNumber(&rest, digits: 2), minute < 60, Self.take(&rest, ":"),
            let second = Self.takeNumber(&rest, digits: 2), second <= 60,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        if Self.take(&rest, ".") {
            let fraction = rest.prefix(while: \.isASCIIDigit)
            guard !fraction.isEmpty else { return nil }
            rest = rest[fraction.endIndex...]
        }
        guard let offset = Self.takeOffset(&rest), rest.isEmpty else { return nil }
        self.text = text
        unixSeconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second - offset
    }

    package var description: String { text }

    package static func == (left: Instant, right: Instant) -> Bool { sameBytes(left.text, right.text) }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.unixSeconds == right.unixSeconds
            ? precedesByBytes(left.text, right.text) : left.unixSeconds < right.unixSeconds
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    // MARK: Parsing

    private static func take(_ rest: inout Substring.UTF8View, _ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func takeNumber(_ rest: inout Substring.UTF8View, digits: Int) -> Int64? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy(\.isASCIIDigit) else { return nil }
        rest = rest[text.endIndex...]
        return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Seconds east of Greenwich.
    private static func takeOffset(_ rest: inout Substring.UTF8View) -> Int64? {
        if take(&rest, "Z") { return 0 }
        let sign: Int64
        if take(&rest, "+") { sign = 1 } else if take(&rest, "-") { sign = -1 } else { return nil }
        guard
            let hours = takeNumber(&rest, digits: 2), hours < 24, take(&rest, ":"),
            let minutes = takeNumber(&rest, digits: 2), minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}

/// A day of the proleptic Gregorian calendar, years 0 to 9999.
///
/// The two conversions count in eras of 400 years (146,097 days) from the 1st of March, so that the leap day is the
/// last of its year: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
private struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64

    init?(year: Int64, month: Int64, day: Int64) {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let length: Int64 = month == 2 ? (isLeap ? 29 : 28) : ([4, 6, 9, 11].contains(month) ? 30 : 31)
        guard day <= length else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    init?(daysSinceEpoch days: Int64) {
        // 0000-01-01 and 9999-12-31.
        guard (-719_528...2_932_896).contains(days) else { return nil }
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSinceEpoch: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredQuotient(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Int64 {
    /// The quotient rounded towards minus infinity; `divisor` is positive.
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((-(self + 1)) / divisor) - 1
    }
}
