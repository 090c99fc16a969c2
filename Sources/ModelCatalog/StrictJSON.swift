/// A JSON text as RFC 8259 has it, read to the last octet.
///
/// `JSONDecoder` looks only at what it is asked for: with invalid UTF-8, `01` or half a surrogate pair elsewhere in the
/// text it sees no fault. The runtime on a device reads the whole, and refuses the asset. And of two members with one
/// key it takes either, so that what a client has said would hang on who reads it.
package enum StrictJSON: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// A number without point and exponent that 64 bits hold.
    case integer(Int64)
    /// Any other number. Valid by the grammar; nobody here asks for its value.
    case number
    case string(String)
    case array([StrictJSON])
    /// Each key once.
    case object([String: StrictJSON])

    /// What is wrong, and behind how many octets.
    package struct Fault: Error, Equatable, CustomStringConvertible {
        package let reason: String
        package let offset: Int

        package var description: String { "\(reason) at octet \(offset)" }
    }

    /// Arrays and objects in one another; `JSONDecoder`'s bound too.
    package static let maximumDepth = 512

    /// A byte order mark is passed over, as RFC 8259 section 8.1 lets a reader do.
    ///
    /// - Parameter maximumDepth: levels of arrays and objects that the reader has a use for.
    package static func parse(_ text: [UInt8], maximumDepth: Int = maximumDepth) throws(Fault) -> StrictJSON {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var reader = StrictJSONReader(text, from: text.starts(with: mark) ? mark.count : 0, maximumDepth)
        return try reader.document()
    }

    /// The value of a key; nil where there is none, and in what is no object.
    package subscript(key: String) -> StrictJSON? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }
}

/// RFC 8259, section 2: one value with white space around it.
private struct StrictJSONReader {
    private let text: [UInt8]
    private var offset: Int
    private let maximumDepth: Int
    private var depth = 0

    init(_ text: [UInt8], from offset: Int, _ maximumDepth: Int) {
        self.text = text
        self.offset = offset
        self.maximumDepth = maximumDepth
    }

    mutating func document() throws(StrictJSON.Fault) -> StrictJSON {
        skipSpace()
        if offset == text.count { throw fault("the text is empty") }
        let value = try value()
        skipSpace()
        guard offset == text.count else { throw fault("more than one value") }
        return value
    }

    private mutating func value() throws(StrictJSON.Fault) -> StrictJSON {
        switch next {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .boolean(true))
        case UInt8(ascii: "f"): return try literal("false", .boolean(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    // MARK: Sections 4 and 5: objects and arrays

    private mutating func object() throws(StrictJSON.Fault) -> StrictJSON {
        var members: [String: StrictJSON] = [:]
        try enter()
        if !take("}") {
            repeat {
                skipSpace()
                guard next == UInt8(ascii: "\"") else { throw fault("no key where one is needed") }
                let start = offset
                let key = try string()
                skipSpace()
                guard take(":") else { throw fault("no colon behind a key") }
                skipSpace()
                // Readers differ in which of two they take, so what a device reads would be anybody's guess.
                if members.updateValue(try value(), forKey: key) != nil {
                    offset = start
                    throw fault("a key that was there before")
                }
                skipSpace()
            } while take(",")
            guard take("}") else { throw fault("no comma and no closing brace behind a member") }
        }
        depth -= 1
        return .object(members)
    }

    private mutating func array() throws(StrictJSON.Fault) -> StrictJSON {
        var elements: [StrictJSON] = []
        try enter()
        if !take("]") {
            repeat {
                skipSpace()
                elements.append(try value())
                skipSpace()
            } while take(",")
            guard take("]") else { throw fault("no comma and no closing bracket behind an element") }
        }
        depth -= 1
        return .array(elements)
    }

    private mutating func enter() throws(StrictJSON.Fault) {
        // Each level is a frame on the stack.
        guard depth < maximumDepth else { throw fault("more than \(maximumDepth) levels") }
        depth += 1
        offset += 1
        skipSpace()
    }

    private mutating func literal(_ word: String, _ value: StrictJSON) throws(StrictJSON.Fault) -> StrictJSON {
        guard text[offset...].starts(with: word.utf8) else { throw fault("no value where one is needed") }
        offset += word.utf8.count
        return value
    }

    // MARK: Section 6: numbers

    private mutating func number() throws(StrictJSON.Fault) -> StrictJSON {
        let start = offset
        _ = take("-")
        if take("0") {
            if let next, (0x30...0x39).contains(next) { throw fault("a digit behind a leading zero") }
        } else if digits() == 0 {
            throw fault("no value where one is needed")
        }
        let end = offset
        if take("."), digits() == 0 { throw fault("no digit behind the point") }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            if digits() == 0 { throw fault("no digit in the exponent") }
        }
        guard offset == end, let value = Int64(String(decoding: text[start..<end], as: UTF8.self)) else {
            return .number
        }
        return .integer(value)
    }

    private mutating func digits() -> Int {
        let start = offset
        while let next, (0x30...0x39).contains(next) { offset += 1 }
        return offset - start
    }

    // MARK: Section 7: strings

    private mutating func string() throws(StrictJSON.Fault) -> String {
        offset += 1
        var octets: [UInt8] = []
        while let octet = next {
            switch octet {
            case UInt8(ascii: "\""):
                guard let string = String(validating: octets, as: UTF8.self) else { throw fault("no UTF-8 before") }
                offset += 1
                return string
            case UInt8(ascii: "\\"):
                octets.append(contentsOf: String(try escape()).utf8)
            case ..<0x20:
                throw fault("a control character in a string")
            default:
                octets.append(octet)
                offset += 1
            }
        }
        throw fault("the text ends in a string")
    }

    private mutating func escape() throws(StrictJSON.Fault) -> Unicode.Scalar {
        offset += 1
        let octet = next
        offset += 1
        switch octet {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar()
        default:
            offset -= 2
            throw fault("no such escape")
        }
    }

    private mutating func scalar() throws(StrictJSON.Fault) -> Unicode.Scalar {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        // Half of a pair: a high surrogate, and a low one must follow.
        guard first < 0xDC00, take("\\"), take("u") else { throw fault("half a surrogate pair") }
        let second = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw fault("half a surrogate pair") }
        return scalar
    }

    private mutating func hexadecimal() throws(StrictJSON.Fault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let next, let digit = Character(Unicode.Scalar(next)).hexDigitValue, next < 0x80 else {
                throw fault("not four hexadecimal digits behind \\u")
            }
            value = value << 4 + UInt32(digit)
            offset += 1
        }
        return value
    }

    // MARK: Octets

    private var next: UInt8? { offset < text.count ? text[offset] : nil }

    private mutating func take(_ expected: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: expected) else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while let next, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { offset += 1 }
    }

    private func fault(_ reason: String) -> StrictJSON.Fault {
        .init(reason: reason, offset: offset)
    }
}
