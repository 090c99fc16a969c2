/// A calendar day of the proleptic Gregorian calendar and a time of day, in UTC.
struct CivilDate: Equatable {
    /// 0 to 9999 in anything that was parsed.
    var year: Int
    /// 1 to 12.
    var month: Int
    /// 1 to 31.
    var day: Int
    /// 0 to 86400: a leap second is the next day's first.
    var secondOfDay: Int

    init(year: Int, month: Int, day: Int, secondOfDay: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.secondOfDay = secondOfDay
    }

    /// The day and time at `seconds` since 1970. Years are counted from March, so that the leap day is a year's last.
    init(seconds: Int64) {
        let days = Self.floorDivide(Int(seconds), 86400)
        secondOfDay = Int(seconds) - days * 86400
        let shifted = days + Self.daysToEpoch
        let era = Self.floorDivide(shifted, Self.daysPerEra)
        let dayOfEra = shifted - era * Self.daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Seconds since 1970.
    var seconds: Int64 { Int64(daysSinceEpoch) * 86400 + Int64(secondOfDay) }

    /// 0 is Sunday.
    var weekday: Int {
        // 1970-01-01 was a Thursday.
        let day = (daysSinceEpoch + 4) % 7
        return day < 0 ? day + 7 : day
    }

    /// True if the calendar has this day.
    var isReal: Bool { (1...12).contains(month) && (1...Self.daysIn(month, of: year)).contains(day) }

    private static let daysPerEra = 146_097
    /// From 0000-03-01 to 1970-01-01.
    private static let daysToEpoch = 719_468

    private var daysSinceEpoch: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = Self.floorDivide(marchYear, 400)
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * Self.daysPerEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - Self.daysToEpoch
    }

    private static func daysIn(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
        value >= 0 ? value / divisor : (value + 1) / divisor - 1
    }
}
