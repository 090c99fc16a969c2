@testable import HTTPWire
@testable import HostService
@testable import ModelCatalog

// What comes of a path is what a plain decoder makes of it, and can never leave a folder; what comes of a query is what
// splitting it by hand gives.

/// Percent-decoding in one line of thought: nil where a percent sign is not followed by two hexadecimal digits, or a
/// control octet comes of it.
private func decoded(_ text: [UInt8]) -> [UInt8]? {
    var rest = text[...]
    var output: [UInt8] = []
    while var octet = rest.popFirst() {
        if octet == UInt8(ascii: "%") {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard rest.count >= 2, digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
                let value = UInt8(digits, radix: 16)
            else { return nil }
            octet = value
            rest.removeFirst(2)
        }
        if octet < 0x20 || octet == 0x7F { return nil }
        output.append(octet)
    }
    return output
}

private func isPublishable(_ segment: [UInt8]) -> Bool {
    !segment.isEmpty && segment != octets(".") && segment != octets("..") && !segment.contains(UInt8(ascii: "/"))
        && String(validating: segment, as: UTF8.self) != nil
}

private func checkPath(_ raw: [UInt8]) {
    var parts = raw.isEmpty ? [] : Array(raw.dropFirst()).parts(UInt8(ascii: "/"))
    // What ends in a slash is a folder; "/" itself has no segment and is none.
    let isFolder = parts.count > 1 && parts.last == []
    if parts.last == [] { parts.removeLast() }

    let path: RequestPath
    do throws(RequestPath.Failure) {
        path = try RequestPath(raw.span)
    } catch {
        // The first fault from the left is the one that is told.
        let first = parts.lazy.map(decoded).first { $0 == nil || !isPublishable($0 ?? []) }
        hold("\(error), as by the model", first.map { $0 == nil ? .malformed : .unpublishable } == error)
        return
    }
    hold("the segments are those of the model", path.segments.map { Array($0.utf8) } == parts.map { decoded($0) ?? [] })
    hold("a folder is told by its slash", path.isFolder == isFolder)
    for (index, segment) in path.segments.enumerated() {
        hold("a segment is a name", isPublishable(Array(segment.utf8)))
        hold("no control octet", segment.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
        let encoded = PercentDecoding.encode(path: segment.utf8)
        hold("encoded and decoded again it is itself", decoded(Array(encoded.utf8)) == Array(segment.utf8))
        let tail = parts[(index + 1)...].flatMap { [UInt8(ascii: "/")] + $0 } + (isFolder ? [UInt8(ascii: "/")] : [])
        hold("the tail is what was sent", path.rawTail(after: index) == String(decoding: tail, as: UTF8.self))
    }
    guard !path.segments.isEmpty, let relative = RelativePath(path.segments.joined(separator: "/")) else { return }
    hold("a path of a file has the same segments", relative.segments.map(String.init) == path.segments)
    hold("its top is the first", String(relative.top) == path.segments[0])
}

private func checkQuery(_ raw: [UInt8]) {
    let query = QueryParameters(raw.span)
    for pair in raw.parts(UInt8(ascii: "&")) {
        func text(_ octets: some Sequence<UInt8>) -> String? {
            decoded(Array(octets)).flatMap { String(validating: $0, as: UTF8.self) }
        }
        guard let name = text(pair.prefix { $0 != UInt8(ascii: "=") }), !name.isEmpty else { continue }
        // The first pair of a name counts.
        let first = raw.parts(UInt8(ascii: "&")).first { text($0.prefix { $0 != UInt8(ascii: "=") }) == name }
        let expected = text((first ?? []).drop { $0 != UInt8(ascii: "=") }.dropFirst())
        let found = Result { () throws(MalformedParameter) in try query.value(name) }
        switch found {
        case .success(let value): hold("the value of \(name)", value != nil && value == expected)
        case .failure: hold("the value of \(name) is malformed", expected == nil)
        }
    }
}

func examine(_ input: [UInt8]) {
    let mark = input.firstIndex(of: UInt8(ascii: "?")) ?? input.count
    checkPath(Array(input[..<mark]))
    checkQuery(Array(input[mark...].dropFirst()))
}
