@testable import HTTPWire

/// What a parser made of some octets, in a form that can be compared.
struct Reading: Equatable {
    var progress: RequestParser.Progress
    var summary: String
}

/// Latin-1: each scalar of `text` is one octet, so that `\u{80}` in a row of a table is the octet 80.
func octets(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}

func text(_ octets: some Sequence<UInt8>) -> String {
    String(decoding: Array(octets), as: UTF8.self)
}

func text(_ octets: [UInt8], _ range: Range<Int>?) -> String? {
    range.map { text(octets[$0]) }
}

/// Parses `bytes` in one go.
func parse(
    _ bytes: [UInt8],
    limits: RequestLimits = RequestLimits(),
    into head: inout RequestHead
) -> RequestParser.Progress {
    var parser = RequestParser(limits: limits)
    return parser.parse(bytes.span, into: &head)
}

/// A request, parsed.
struct Request {
    let bytes: [UInt8]
    let head: RequestHead
    let progress: RequestParser.Progress

    init(_ text: String, limits: RequestLimits = RequestLimits()) {
        bytes = octets(text)
        var head = RequestHead()
        progress = parse(bytes, limits: limits, into: &head)
        self.head = head
    }

    /// `GET / HTTP/1.1` with these field lines, and a Host.
    init(fields: [String], method: String = "GET", version: String = "HTTP/1.1") {
        let lines = ["\(method) / \(version)", "Host: a"] + fields + ["", ""]
        self.init(lines.joined(separator: "\r\n"))
    }

    func value(_ name: FieldName) -> String? { HTTPWireTests.text(bytes, head.first(name)) }
}

/// Everything that a head says.
func summary(_ head: RequestHead, _ bytes: [UInt8]) -> String {
    var parts = [
        "\(head.method)", "\(head.form)", text(bytes, head.path) ?? "-", text(bytes, head.query) ?? "-",
        text(bytes, head.authority) ?? "-", "1.\(head.minorVersion)", "\(head.length)",
        head.persistent ? "persistent" : "close", "\(head.framing)", "\(head.expectation)", "\(head.fieldCount)",
    ]
    for name in FieldName.allCases where head.contains(name) {
        head.forEach(name) { parts.append("\(name)=\(text(bytes, $0) ?? "-")") }
    }
    return parts.joined(separator: " ")
}
