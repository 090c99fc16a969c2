@testable import HTTPWire

// A chunked body, however it is cut into reads, is the same octets up to the same place; and where it is accepted, a
// plain reader of the grammar of RFC 9112, section 7.1 accepts it too, with the same octets.

private struct Reading: Equatable {
    var body: [UInt8] = []
    var consumed = 0
    var end = ChunkedDecoder.Step.needsMore
}

private func read(_ wire: [UInt8], _ decoder: ChunkedDecoder, cut: () -> Int) -> Reading {
    var decoder = decoder
    var reading = Reading()
    var end = 0
    while true {
        let piece = Array(wire[reading.consumed..<end])
        var position = 0
        steps: while true {
            let before = position
            reading.end = decoder.next(piece.span, from: &position)
            hold("a position only moves forward", position >= before && position <= piece.count)
            switch reading.end {
            case .data(let range):
                hold("data is not empty, and what was just passed", !range.isEmpty && range.upperBound == position)
                reading.body += piece[range]
            case .needsMore:
                hold("all is consumed before more is asked for", position == piece.count)
                break steps
            case .finished, .invalid:
                break steps
            }
        }
        reading.consumed += position
        if reading.end != .needsMore || end == wire.count { return reading }
        end = min(end + cut(), wire.count)
    }
}

/// The whole body in one walk, or nil where it is not of the grammar or not all there. Without the decoder's limits.
private struct PlainReader {
    let wire: [UInt8]
    var position = 0
    var body: [UInt8] = []

    init(_ wire: [UInt8]) {
        self.wire = wire
    }

    private mutating func line() -> [UInt8]? {
        guard let lf = wire[position...].firstIndex(of: 10), lf > position, wire[lf - 1] == 13 else { return nil }
        let line = Array(wire[position..<(lf - 1)])
        position = lf + 1
        return line.contains { ($0 < 0x20 && $0 != 9) || $0 == 0x7F } ? nil : line
    }

    mutating func read() -> Bool {
        while true {
            guard let line = line() else { return false }
            let digits = line.prefix { Character(Unicode.Scalar($0)).isHexDigit }
            guard let size = UInt64(String(decoding: digits, as: UTF8.self), radix: 16) else { return false }
            let rest = Array(line.dropFirst(digits.count))
            guard rest.isEmpty || rest.trimmed.first == UInt8(ascii: ";") else { return false }
            if size == 0 { break }
            guard size <= wire.count - position else { return false }
            body += wire[position..<(position + Int(size))]
            position += Int(size)
            guard let line = self.line(), line.isEmpty else { return false }
        }
        while let line = line() {
            if line.isEmpty { return true }
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            guard !name.isEmpty, name.count < line.count, name.allSatisfy(OctetSet.token.contains) else { return false }
        }
        return false
    }
}

func examine(_ input: [UInt8]) {
    var choices = Choices(input)
    let seed = choices.octet()
    let decoder =
        seed & 7 == 0
        ? ChunkedDecoder(extensionLimit: 8, trailerLimit: 16, trailerFields: 2) : ChunkedDecoder()
    let wire = Array(choices.rest)

    let whole = read(wire, decoder) { max(wire.count, 1) }
    let stepped = read(wire, decoder) { 1 }
    var pieces = Pieces(seed: seed)
    let inPieces = read(wire, decoder) { pieces.next() }
    hold("octet by octet as in one go: \(stepped) and \(whole)", stepped == whole)
    hold("in pieces as in one go: \(inPieces) and \(whole)", inPieces == whole)

    var plain = PlainReader(wire)
    let isPlain = plain.read()
    if whole.end == .finished {
        hold("the plain reader accepts it too", isPlain)
        hold("with the same octets to the same place", plain.body == whole.body && plain.position == whole.consumed)
    } else if seed & 7 != 0, wire.count < 100 {
        // Nothing of this size meets a limit but that of a size's digits.
        hold("the plain reader refuses it too", !isPlain || wire.firstRange(of: octets("00000000000000000")) != nil)
    }
}
