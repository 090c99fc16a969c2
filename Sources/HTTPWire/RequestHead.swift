/// How a request's target is written (RFC 9112, section 3.2).
package enum TargetForm: UInt8, Sendable {
    /// `/path?query`
    case origin
    /// `http://host/path?query`
    case absolute
    /// `host:port`, of CONNECT alone
    case authority
    /// `*`, of OPTIONS alone
    case asterisk
}

/// Where a request's body ends (RFC 9112, section 6.3).
package enum BodyFraming: Equatable, Sendable {
    /// No body.
    case none
    /// So many octets follow.
    case length(UInt64)
    /// The chunked coding says; see `ChunkedDecoder`.
    case chunked
}

/// What `Expect` asks for (RFC 9110, section 10.1.1).
package enum Expectation: Equatable, Sendable {
    case none
    /// `100-continue`
    case `continue`
    /// Anything else: 417.
    case unsupported
}

/// A request head, as places in the bytes that it was parsed from.
///
/// Every range is an offset into those bytes, which the head does not hold: whoever keeps the head keeps them
/// too, unmoved. Nothing here allocates. It is filled by `RequestParser` alone; a fresh one is an empty GET.
package struct RequestHead: Sendable {
    /// The most field lines that a head can hold.
    package static let fieldCapacity = 100

    package internal(set) var method: Method = .get
    package internal(set) var form: TargetForm = .origin
    /// The path, still percent-encoded, without the query. Empty for an absolute-form without one (it means `/`),
    /// for the asterisk and for the authority-form.
    package internal(set) var path: Range<Int> = 0..<0
    /// What follows `?`, if there is one.
    package internal(set) var query: Range<Int>?
    /// The authority of an absolute-form or authority-form target.
    package internal(set) var authority: Range<Int>?
    /// 0 or 1; a higher minor version counts as 1 (RFC 9110, section 6.2).
    package internal(set) var minorVersion: UInt8 = 1
    /// Octets of the head, with the empty lines before it and the one that ends it.
    package internal(set) var length: Int = 0
    /// Whether the connection may carry another request (RFC 9112, section 9.3).
    package internal(set) var persistent: Bool = true
    package internal(set) var framing: BodyFraming = .none
    package internal(set) var expectation: Expectation = .none
    /// How many field lines there are.
    package private(set) var fieldCount: Int = 0

    private var fields: InlineArray<100, FieldLine>
    /// Bit n: a field whose `FieldName` has the raw value n is present.
    private var present: UInt64 = 0

    private struct FieldLine: Sendable {
        var name: FieldName = .other
        var start: UInt32 = 0
        var end: UInt32 = 0
    }

    package init() {
        fields = InlineArray(repeating: FieldLine())
    }

    /// Forgets everything. The field lines stay as they are: `fieldCount` alone says which of them count.
    mutating func clear() {
        method = .get
        form = .origin
        path = 0..<0
        query = nil
        authority = nil
        minorVersion = 1
        length = 0
        persistent = true
        framing = .none
        expectation = .none
        fieldCount = 0
        present = 0
    }

    /// Adds a field line; false if there is no room for it.
    mutating func append(_ name: FieldName, _ value: Range<Int>) -> Bool {
        guard fieldCount < Self.fieldCapacity,
            let start = UInt32(exactly: value.lowerBound),
            let end = UInt32(exactly: value.upperBound)
        else { return false }
        fields[fieldCount] = FieldLine(name: name, start: start, end: end)
        fieldCount &+= 1
        present |= 1 << UInt64(name.rawValue)
        return true
    }

    /// True if a field line of that name is present, in constant time.
    package func contains(_ name: FieldName) -> Bool {
        present >> UInt64(name.rawValue) & 1 == 1
    }

    /// The value of the first field line of that name, without the white space around it; nil if there is none.
    package func first(_ name: FieldName) -> Range<Int>? {
        guard contains(name) else { return nil }
        for index in 0..<fieldCount where fields[index].name == name { return value(index) }
        return nil
    }

    /// How many field lines of that name there are.
    package func count(of name: FieldName) -> Int {
        guard contains(name) else { return 0 }
        var count = 0
        for index in 0..<fieldCount where fields[index].name == name { count &+= 1 }
        return count
    }

    /// Hands each value of that name to `body`, in the order of the lines.
    package func forEach(_ name: FieldName, _ body: (Range<Int>) -> Void) {
        guard contains(name) else { return }
        for index in 0..<fieldCount where fields[index].name == name { body(value(index)) }
    }

    /// The host that the request is for: the target's own authority before the Host field (RFC 9112, section 3.2.2).
    package var host: Range<Int>? { authority ?? first(.host) }

    private func value(_ index: Int) -> Range<Int> {
        Int(fields[index].start)..<Int(fields[index].end)
    }
}
