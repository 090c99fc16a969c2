@testable import HTTPWire

// A request head, however it is cut into reads, is one head or one refusal; and a plain reader that splits it into
// lines finds the same fields and the same body.

/// What a parser made of an input: the same for every way to cut it. Values, not a text of them: to describe a value
/// takes longer than to parse a head.
private struct Reading: Equatable {
    let progress: RequestParser.Progress
    var method = Method.get
    var form = TargetForm.origin
    var places: [Range<Int>?] = []
    var numbers: [Int] = []
    var persistent = false
    var framing = BodyFraming.none
    var expectation = Expectation.none

    init(_ progress: RequestParser.Progress, _ head: RequestHead) {
        self.progress = progress
        // A head that is not whole yet says nothing.
        guard progress != .needsMore else { return }
        method = head.method
        form = head.form
        places = [head.path, head.query, head.authority, head.host]
        numbers = [Int(head.minorVersion), head.length, head.fieldCount]
        persistent = head.persistent
        framing = head.framing
        expectation = head.expectation
        for name in FieldName.allCases where head.contains(name) {
            numbers.append(Int(name.rawValue))
            head.forEach(name) { places.append($0) }
        }
    }
}

private func read(_ wire: [UInt8], _ limits: RequestLimits, cut: () -> Int) -> (Reading, RequestHead) {
    var parser = RequestParser(limits: limits)
    var head = RequestHead()
    var end = 0
    while true {
        let progress = parser.parse(wire.span.extracting(0..<end), into: &head)
        if progress != .needsMore || end == wire.count { return (Reading(progress, head), head) }
        end = min(end + cut(), wire.count)
    }
}

/// The names that are known, in lower case.
private let spellings = FieldName.allCases.filter { $0 != .other }.map { ($0, octets($0.name).lowered) }

/// The field lines of a complete head, names in lower case, as a reader finds them that knows CR LF and the colon only.
private func fieldLines(_ head: ArraySlice<UInt8>) -> [(name: [UInt8], value: [UInt8])] {
    var lines: [[UInt8]] = [[]]
    for octet in head {
        lines[lines.count - 1].append(octet)
        if octet == 0x0A { lines.append([]) }
    }
    let text = lines.map { Array($0.dropLast(2)) }.filter { !$0.isEmpty }
    return text.dropFirst().map { line in
        let name = Array(line.prefix { $0 != UInt8(ascii: ":") })
        return (name.lowered, Array(line.dropFirst(name.count + 1)).trimmed)
    }
}

private func check(_ head: RequestHead, _ wire: [UInt8], _ limits: RequestLimits) {
    hold("the head ends with an empty line", wire[..<head.length].suffix(4).elementsEqual([13, 10, 13, 10]))
    hold("no limit is passed", head.length <= limits.head && head.fieldCount <= limits.fields)
    hold("the path lies in the head", head.path.upperBound <= head.length)
    if head.form == .origin { hold("a path begins with a slash", wire[head.path.lowerBound] == UInt8(ascii: "/")) }
    for (octet, next) in zip(wire[..<head.length], wire[1..<head.length]) {
        hold("CR and LF stand together", (octet == 13) == (next == 10))
        hold("no control octet but these and HTAB", octet >= 0x20 && octet != 0x7F || [9, 10, 13].contains(octet))
    }

    let lines = fieldLines(wire[..<head.length])
    hold("as many fields as lines", lines.count == head.fieldCount)
    for (name, spelling) in spellings {
        var found: [[UInt8]] = []
        head.forEach(name) { found.append(Array(wire[$0])) }
        let expected = lines.filter { $0.name == spelling }.map(\.value)
        hold("the lines of \(name.name) are those of the plain reader", found == expected)
    }
    func values(_ name: String) -> [[UInt8]] { lines.filter { $0.name == octets(name) }.map(\.value) }

    // RFC 9112, section 6.3, as strict as this server is.
    let codings = values("transfer-encoding").flatMap { $0.parts(UInt8(ascii: ",")) }.map(\.trimmed.lowered)
    let lengths = values("content-length").flatMap { $0.parts(UInt8(ascii: ",")) }.map(\.trimmed)
    switch head.framing {
    case .chunked:
        hold("chunked is the one coding", codings.filter { !$0.isEmpty } == [octets("chunked")])
        hold("chunked stands alone, in HTTP/1.1", lengths.isEmpty && head.minorVersion == 1)
    case .length(let length):
        hold("every length says the same", !lengths.isEmpty && lengths.allSatisfy { $0.decimal == length })
        hold("a length stands alone", values("transfer-encoding").isEmpty)
    case .none:
        hold("no body where no field says so", values("transfer-encoding").isEmpty && values("content-length").isEmpty)
    }
    hold("one Host in HTTP/1.1", values("host").count == 1 || (values("host").isEmpty && head.minorVersion == 0))
}

func examine(_ input: [UInt8]) {
    var choices = Choices(input)
    let seed = choices.octet()
    // Small limits, at times, so that they are met.
    let limits =
        seed & 7 == 0
        ? RequestLimits(target: 24, head: 200, fields: Int(seed >> 5), emptyLinesBefore: 1) : RequestLimits()
    let wire = Array(choices.rest)

    let (whole, head) = read(wire, limits) { max(wire.count, 1) }
    let (stepped, _) = read(wire, limits) { 1 }
    var pieces = Pieces(seed: seed)
    let (inPieces, _) = read(wire, limits) { pieces.next() }
    hold("octet by octet as in one go: \(stepped) and \(whole)", stepped == whole)
    hold("in pieces as in one go: \(inPieces) and \(whole)", inPieces == whole)
    if whole.progress == .complete { check(head, wire, limits) }
}
