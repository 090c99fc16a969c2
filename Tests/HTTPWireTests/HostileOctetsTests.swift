import Testing

@testable import HTTPWire

/// Numbers that look random and are the same in each run (SplitMix64).
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

/// Octets that mean something to one of the parsers.
private let meaningful = Array("\r\n\t :;,=-/*\"\\%?#[]@.0159aAfFWz\0".utf8) + [0x7F, 0x80, 0xFF]

/// `seed` with one to four octets changed, put in or taken out.
private func mutated(_ seed: [UInt8], _ numbers: inout Numbers) -> [UInt8] {
    var bytes = seed
    for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        let index = Int.random(in: 0..<max(bytes.count, 1), using: &numbers)
        let octet = meaningful.randomElement(using: &numbers) ?? 0
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0 where index < bytes.count: bytes[index] = octet
        case 1 where index < bytes.count: bytes.remove(at: index)
        default: bytes.insert(octet, at: min(index, bytes.count))
        }
    }
    return bytes
}

@Suite("Octets that nobody meant to send: no trap, and one reading of them")
struct HostileOctetsTests {
    @Test("request heads, whole and octet by octet", arguments: 0..<8 as Range<UInt64>)
    func heads(seed: UInt64) {
        var numbers = Numbers(state: seed)
        for row in RequestCases.all {
            let wire = mutated(octets(row.wire), &numbers)
            var whole = RequestHead()
            let progress = parse(wire, into: &whole)
            var parser = RequestParser()
            var head = RequestHead()
            var stepped = RequestParser.Progress.needsMore
            for end in 0...wire.count where stepped == .needsMore {
                stepped = parser.parse(wire.span.extracting(0..<end), into: &head)
            }
            #expect(stepped == progress, "\(wire)")
            #expect(summary(head, wire) == summary(whole, wire), "\(wire)")
            guard progress == .complete else { continue }
            // What every later stage may take for granted.
            #expect(whole.length <= wire.count && whole.path.upperBound <= whole.length)
            #expect(whole.form == .origin ? wire[whole.path.lowerBound] == UInt8(ascii: "/") : true)
            #expect(whole.framing != .chunked || (whole.minorVersion == 1 && !whole.contains(.contentLength)))
            #expect(whole.minorVersion == 0 || whole.count(of: .host) == 1)
            #expect(!wire[..<whole.length].contains(0))
        }
    }

    @Test("fields that are parsed later", arguments: 0..<8 as Range<UInt64>)
    func fields(seed: UInt64) {
        var numbers = Numbers(state: seed &+ 100)
        let ranges = ["bytes=0-9,20-29,-5", "bytes=18446744073709551615-", "bytes=5-,-18446744073709551616"]
        let tags = ["\"a\", W/\"e\", \"e\"", "*", "\"e\""]
        let dates = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        let tag = octets("\"e\"")
        for _ in 0..<200 {
            for value in ranges {
                let length = UInt64.random(in: 0...40, using: &numbers)
                switch RangeField.select(mutated(octets(value), &numbers).span, length: length) {
                case .whole, .unsatisfiable: break
                case .single(let range): #expect(range.first <= range.last && range.last < length)
                case .several(let list):
                    #expect((2...16).contains(list.count))
                    for index in 0..<list.count { #expect(list[index].last < length) }
                }
            }
            for value in tags {
                let list = mutated(octets(value), &numbers)
                let strong = EntityTag.matches(list: list.span, tag: tag.span, weakly: false)
                let weak = EntityTag.matches(list: list.span, tag: tag.span, weakly: true)
                #expect(!strong || weak, "what matches strongly matches weakly: \(list)")
            }
            for value in dates {
                guard let date = HTTPDate.parse(mutated(octets(value), &numbers).span, now: 0) else { continue }
                var written: [UInt8] = []
                date.write(into: &written)
                #expect(HTTPDate.parse(written.span, now: 0) == date)
            }
        }
    }

    @Test("chunked bodies, whole and octet by octet", arguments: 0..<8 as Range<UInt64>)
    func chunks(seed: UInt64) {
        var numbers = Numbers(state: seed &+ 200)
        let seeds = ["5;a=b\r\nabcde\r\n3\r\nfgh\r\n0\r\nX: y\r\n\r\n", "a\r\n0123456789\r\n0\r\n\r\n"].map(octets)
        for round in 0..<200 {
            let wire = mutated(seeds[round % 2], &numbers)
            #expect(decode(wire, step: wire.count) == decode(wire, step: 1), "\(wire)")
        }
    }

    private func decode(_ wire: [UInt8], step: Int) -> String {
        var decoder = ChunkedDecoder()
        var body: [UInt8] = []
        var position = 0
        var ending = "unfinished"
        for end in Array(stride(from: 0, to: wire.count, by: max(step, 1))) + [wire.count] {
            let bytes = wire.span.extracting(0..<max(end, position))
            steps: while true {
                switch decoder.next(bytes, from: &position) {
                case .data(let range): body += wire[range]
                case .needsMore: break steps
                case .finished: ending = "finished"; break steps
                case .invalid: ending = "invalid"; break steps
                }
            }
        }
        return "\(body) \(position) \(ending)"
    }
}
