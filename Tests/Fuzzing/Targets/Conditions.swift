@testable import HTTPWire

// The outcome of a request's preconditions is the one of a model that follows RFC 9110, section 13.2.2 line by line, on
// text that it splits for itself.

private let tag = octets("\"sha256:ab,c\"")
/// Sun, 06 Nov 1994 08:49:37 GMT, of RFC 9110, section 5.6.7.
private let modified: Int64 = 784_111_777
/// 2026-12-01T00:00:00Z.
private let now: Int64 = 1_796_083_200

// MARK: Entity tags: section 8.8.3

/// The tags of a list, weak or not; nil where the text is no such list.
private func tags(_ value: [UInt8]) -> [(isWeak: Bool, opaque: [UInt8])]? {
    var found: [(Bool, [UInt8])] = []
    var rest = value.trimmed
    var mayFollow = true
    while let first = rest.first {
        if first == UInt8(ascii: ",") {
            mayFollow = true
            rest = Array(rest.dropFirst()).trimmed
            continue
        }
        guard mayFollow else { return nil }
        let isWeak = rest.starts(with: octets("W/"))
        if isWeak { rest.removeFirst(2) }
        guard rest.first == UInt8(ascii: "\""), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else {
            return nil
        }
        let opaque = Array(rest[...end])
        guard opaque.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        found.append((isWeak, opaque))
        rest = Array(rest[(end + 1)...]).trimmed
        mayFollow = false
    }
    return found
}

private func matches(_ lines: [[UInt8]], weakly: Bool) -> Bool {
    if lines == [octets("*")] { return true }
    let lists = lines.map(tags)
    guard !lists.contains(where: { $0 == nil }) else { return false }
    return lists.contains { $0?.contains { ($0.isWeak == false || weakly) && $0.opaque == tag } ?? false }
}

// MARK: Dates: section 5.6.7

private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
private let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

private func lengths(_ year: Int) -> [Int] {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// Days before each year, counted year by year from 1970 up and down.
private let daysBefore: [Int] = {
    var days = [Int](repeating: 0, count: 10_200)
    for year in 1970..<10_199 { days[year + 1] = days[year] + lengths(year).reduce(0, +) }
    for year in (0..<1970).reversed() { days[year] = days[year + 1] - lengths(year).reduce(0, +) }
    return days
}()

/// `text` split as the pattern says: `9` a digit, `_` a digit or a space before one, letters as they are.
private func fields(_ text: String, _ pattern: String) -> [Int]? {
    let (text, pattern) = (Array(text.utf8), Array(pattern.utf8))
    guard text.count == pattern.count else { return nil }
    var numbers: [Int] = []
    var isInNumber = false
    for (octet, expected) in zip(text, pattern) {
        if expected == UInt8(ascii: "9") || (expected == UInt8(ascii: "_") && octet != 0x20) {
            guard (0x30...0x39).contains(octet) else { return nil }
            if !isInNumber { numbers.append(0) }
            numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(octet - 0x30)
            isInNumber = true
        } else {
            guard octet == expected || expected == UInt8(ascii: "_") else { return nil }
            isInNumber = false
        }
    }
    return numbers
}

private func seconds(_ year: Int, _ month: Int, _ day: Int, _ time: ArraySlice<Int>) -> Int64? {
    let time = Array(time)
    let isLeapSecond = time == [23, 59, 60]
    guard day >= 1, day <= lengths(year)[month], time[0] < 24, time[1] < 60, time[2] < 60 || isLeapSecond else {
        return nil
    }
    let date = daysBefore[year] + lengths(year)[..<month].reduce(0, +) + day - 1
    return Int64(date * 86_400 + time[0] * 3600 + time[1] * 60 + time[2])
}

private func weekday(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // 1970-01-01 was a Thursday.
    let date = daysBefore[year] + lengths(year)[..<month].reduce(0, +) + day - 1
    return ((date + 4) % 7 + 7) % 7
}

private func date(_ value: [UInt8]) -> Int64? {
    guard let text = String(validating: value, as: UTF8.self) else { return nil }
    for (month, name) in months.enumerated() {
        for (index, day) in days.enumerated() {
            let short = day.prefix(3)
            if let found = fields(text, "\(short), 99 \(name) 9999 99:99:99 GMT"),
                let seconds = seconds(found[1], month, found[0], found[2...])
            {
                return weekday(found[1], month, found[0]) == index ? seconds : nil
            }
            if let found = fields(text, "\(short) \(name) _9 99:99:99 9999"),
                let seconds = seconds(found[4], month, found[0], found[1..<4])
            {
                return weekday(found[4], month, found[0]) == index ? seconds : nil
            }
            if let found = fields(text, "\(day), 99-\(name)-99 99:99:99 GMT") {
                // The latest year with these digits that is not more than fifty years after 2026-12-01T00:00:00Z.
                let moment = (2000 + found[1], month, found[0], found[2], found[3], found[4])
                let isAhead = moment > (2076, 11, 1, 0, 0, 0)
                return seconds(isAhead ? moment.0 - 100 : moment.0, month, found[0], found[2...])
            }
        }
    }
    return nil
}

// MARK: The request

private func model(_ method: Method, _ lines: (FieldName) -> [[UInt8]]) -> Preconditions.Outcome {
    func only(_ name: FieldName) -> [UInt8]? { lines(name).count == 1 ? lines(name)[0] : nil }
    let isRetrieval = method == .get || method == .head
    if !lines(.ifMatch).isEmpty {
        if !matches(lines(.ifMatch), weakly: false) { return .failed }
    } else if let limit = only(.ifUnmodifiedSince).flatMap(date), modified > limit {
        return .failed
    }
    if !lines(.ifNoneMatch).isEmpty {
        if matches(lines(.ifNoneMatch), weakly: true) { return isRetrieval ? .notModified : .failed }
    } else if isRetrieval, let limit = only(.ifModifiedSince).flatMap(date), modified <= limit {
        return .notModified
    }
    guard method == .get, only(.range) != nil else { return .proceed(rangeApplies: false) }
    if lines(.ifRange).isEmpty { return .proceed(rangeApplies: true) }
    guard let validator = only(.ifRange) else { return .proceed(rangeApplies: false) }
    return .proceed(rangeApplies: validator == tag || date(validator) == modified)
}

func examine(_ input: [UInt8]) {
    var choices = Choices(input)
    let method = ["GET", "HEAD", "POST", "PUT"][Int(choices.octet() & 3)]
    let wire = octets("\(method) / HTTP/1.1\r\nHost: a\r\n") + choices.rest + octets("\r\n\r\n")
    var parser = RequestParser()
    var head = RequestHead()
    guard parser.parse(wire.span, into: &head) == .complete else { return }
    let outcome = Preconditions.evaluate(
        head,
        wire.span,
        etag: tag.span,
        lastModified: HTTPDate(seconds: modified),
        now: now
    )
    let expected = model(head.method) { name in
        var values: [[UInt8]] = []
        head.forEach(name) { values.append(Array(wire[$0])) }
        return values
    }
    hold("\(outcome) as by the model: \(expected)", outcome == expected)
}
