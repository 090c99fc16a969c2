@testable import HTTPWire

// The octets that a Range field selects are those of a slow model that follows RFC 9110, section 14.1.2 to the letter;
// and what is sent for them is as long as announced.

/// What the model makes of a field.
private enum Expected: Equatable {
    case whole
    case unsatisfiable
    /// First and last octet of each member that is satisfiable, as asked.
    case ranges([ClosedRange<UInt64>])
}

/// Numerals stay digits until they are known to be small: no number can overflow here.
private func model(_ field: [UInt8], _ length: UInt64) -> Expected {
    let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, Array(parts[0]).lowered == octets("bytes") else { return .whole }
    var ranges: [ClosedRange<UInt64>] = []
    var hasSuffixOfNothing = false
    var members = Array(parts[1]).parts(UInt8(ascii: ",")).map(\.trimmed)
    members.removeAll(where: \.isEmpty)
    if members.isEmpty { return .whole }
    let end = octets(String(length))
    for member in members {
        let ends = member.parts(UInt8(ascii: "-"))
        guard ends.count == 2, ends.allSatisfy(\.areDigits), !(ends[0].isEmpty && ends[1].isEmpty) else {
            return .whole
        }
        if ends[0].isEmpty {
            if ends[1].significant.isEmpty { continue }
            if length == 0 {
                hasSuffixOfNothing = true
                continue
            }
            let count = ends[1].isNumber(below: end) ? ends[1].decimal ?? length : length
            ranges.append((length - count)...(length - 1))
        } else {
            if !ends[1].isEmpty, ends[1].isNumber(below: ends[0]) { return .whole }
            guard ends[0].isNumber(below: end), let first = ends[0].decimal else { continue }
            let isInside = !ends[1].isEmpty && ends[1].isNumber(below: end)
            ranges.append(first...(isInside ? ends[1].decimal ?? length - 1 : length - 1))
        }
    }
    if hasSuffixOfNothing || ranges.count > ByteRangeList.capacity { return .whole }
    return ranges.isEmpty ? .unsatisfiable : .ranges(ranges)
}

/// The same octets, in ascending ranges that do not touch.
private func merged(_ ranges: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
    var merged: [ClosedRange<UInt64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if let last = merged.last, range.lowerBound == 0 || range.lowerBound - 1 <= last.upperBound {
            merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
        } else {
            merged.append(range)
        }
    }
    return merged
}

private func check(_ list: [ByteRange], _ asked: [ClosedRange<UInt64>], _ length: UInt64) {
    let found = list.map { $0.first...$0.last }
    for range in list { hold("a range is inside", range.last < length && range.count == range.last - range.first + 1) }
    hold("the octets are those of the model", merged(found) == merged(asked))
    hold("no range touches another", merged(found).count == found.count)
    if merged(asked).count == asked.count { hold("the order asked for is kept", found == asked) }
    // Where octets can be counted one by one, they are.
    guard length <= 256 else { return }
    for octet in 0..<length {
        hold("octet \(octet)", found.contains { $0 ~= octet } == asked.contains { $0 ~= octet })
    }
}

private func checkMultipart(_ list: ByteRangeList, _ length: UInt64) {
    let body = MultipartByteranges(ranges: list, length: length, contentType: "a/b", boundary: "cut")
    var sum = UInt64(body.closing.count)
    for index in 0..<list.count {
        let head = String(decoding: body.partHead(index), as: UTF8.self)
        let place = "Content-Range: bytes \(list[index].first)-\(list[index].last)/\(length)\r\n\r\n"
        hold("a part says which octets it holds", head.hasSuffix(place))
        sum += UInt64(head.utf8.count) + list[index].count
    }
    hold("a body is as long as announced", sum == body.contentLength)
}

func examine(_ input: [UInt8]) {
    var choices = Choices(input)
    // The greatest file offset is the most that a file has; the field alone must bear any length.
    let length = choices.number()
    let field = Array(choices.rest)
    let expected = model(field, length)
    switch RangeField.select(field.span, length: length) {
    case .whole:
        hold("the whole, as by the model: \(expected)", expected == .whole)
    case .unsatisfiable:
        hold("nothing of it is there, as by the model: \(expected)", expected == .unsatisfiable)
    case .single(let range):
        guard case .ranges(let asked) = expected else { return hold("a range where the model has \(expected)", false) }
        check([range], asked, length)
    case .several(let list):
        guard case .ranges(let asked) = expected else { return hold("ranges where the model has \(expected)", false) }
        hold("several are two at least", list.count >= 2)
        check((0..<list.count).map { list[$0] }, asked, length)
        if length <= UInt64(Int64.max) { checkMultipart(list, length) }
    }
}
