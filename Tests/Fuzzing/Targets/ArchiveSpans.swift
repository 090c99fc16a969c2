@testable import ModelCatalog

// The spans of an archive, from whatever offset they are asked, are parts of one and the same archive; and a plain
// reader of tar (POSIX.1-2001 pax over ustar) finds in it the files that went in.
//
// An input is lines, each a file: its path, and its size behind a tab.

/// The archive with the bytes of its files: each the low octet of its own offset in the file.
private func content(_ span: ArchiveLayout.Span) -> [UInt8] {
    switch span {
    case .bytes(let bytes): bytes
    case .file(_, let size): (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    case .zeros(let count): [UInt8](repeating: 0, count: count)
    }
}

/// A member of the archive as the plain reader sees it: bytes of headers, then where its file is.
private struct Member: Equatable {
    var path: [UInt8]
    var size: UInt64
    var offset: UInt64
}

/// Walks headers alone, so that archives of any size can be read: `header` gives the bytes at an offset.
private func members(size: UInt64, header: (_ offset: UInt64, _ count: Int) -> [UInt8]) -> [Member] {
    var members: [Member] = []
    var offset: UInt64 = 0
    var extended: [String: [UInt8]] = [:]
    while true {
        hold("the archive does not end before its end blocks", offset + 1024 <= size)
        let block = header(offset, 512)
        offset += 512
        if block.allSatisfy({ $0 == 0 }) { break }
        func text(_ range: Range<Int>) -> [UInt8] { Array(block[range].prefix { $0 != 0 }) }
        func octal(_ range: Range<Int>) -> UInt64 {
            let digits = String(decoding: text(range), as: UTF8.self)
            guard let value = UInt64(digits, radix: 8) else { fatalError("no octal number: \(digits)") }
            return value
        }
        let sum = block.enumerated().reduce(UInt64(0)) { $0 + UInt64((148..<156) ~= $1.offset ? 0x20 : $1.element) }
        hold("the checksum is right", octal(148..<154) == sum)
        hold("the format is ustar", block[257..<265].elementsEqual("ustar\u{0}00".utf8))
        let length = octal(124..<135)
        if block[156] == UInt8(ascii: "x") {
            extended = records(header(offset, Int(length)))
            offset += (length + 511) / 512 * 512
            continue
        }
        hold("a plain file", block[156] == UInt8(ascii: "0"))
        let prefix = text(345..<500)
        let name = prefix.isEmpty ? text(0..<100) : prefix + [UInt8(ascii: "/")] + text(0..<100)
        let real = extended["size"].map { $0.decimal ?? 0 } ?? length
        members.append(Member(path: extended["path"] ?? name, size: real, offset: offset))
        offset += (real + 511) / 512 * 512
        extended = [:]
    }
    hold("two blocks of zeros end it", header(offset, 512).allSatisfy { $0 == 0 } && offset + 512 == size)
    return members
}

/// `<length> <key>=<value> LF`, one behind the other.
private func records(_ bytes: [UInt8]) -> [String: [UInt8]] {
    var records: [String: [UInt8]] = [:]
    var rest = bytes[...]
    while !rest.isEmpty {
        let digits = Array(rest.prefix { $0 != 0x20 })
        guard let length = digits.decimal.map(Int.init), length <= rest.count, length > digits.count + 1 else {
            fatalError("no pax record")
        }
        let record = rest.prefix(length).dropFirst(digits.count + 1)
        hold("a record ends with a line feed", record.last == 0x0A)
        let key = record.prefix { $0 != UInt8(ascii: "=") }
        records[String(decoding: key, as: UTF8.self)] = Array(record.dropFirst(key.count + 1).dropLast())
        rest = rest.dropFirst(length)
    }
    return records
}

/// `count` bytes of headers at `offset`, wherever spans are cut.
private func headerBytes(_ layout: ArchiveLayout, _ offset: UInt64, _ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for placed in layout.spans(from: offset) {
        if case .file = placed.span { hold("a header, not a file", false) }
        bytes += content(placed.span).dropFirst(Int(offset + UInt64(bytes.count) - placed.offset))
        if bytes.count >= count { break }
    }
    return Array(bytes.prefix(count))
}

private func check(_ layout: ArchiveLayout, from start: UInt64) {
    let spans = Array(layout.spans())
    var offset: UInt64 = 0
    for placed in spans {
        hold("spans follow one another", placed.offset == offset && placed.span.length > 0)
        hold("a span is found by its first and last byte", layout.span(containing: placed.offset) == placed)
        hold("a span is found by its last byte", layout.span(containing: placed.end - 1) == placed)
        offset = placed.end
    }
    hold("they end where the archive does", offset == layout.size && layout.size % 512 == 0)
    hold("there is nothing behind it", layout.span(containing: layout.size) == nil)
    let tail = Array(layout.spans(from: start))
    hold("from anywhere they are the same", tail.elementsEqual(spans.suffix(tail.count)))
    hold("the first of them holds the offset", tail.first.map { $0.offset <= start && start < $0.end } ?? true)

    let found = members(size: layout.size) { headerBytes(layout, $0, $1) }
    let expected = layout.files.map { octets("\(layout.assetName.text)/\($0.path.text)") }
    hold("the members are the files", found.map(\.path) == expected && found.map(\.size) == layout.files.map(\.size))
    for (index, member) in found.enumerated() where member.size > 0 {
        let span = ArchiveLayout.Span.file(index: index, size: member.size)
        hold(
            "and lie where a reader looks",
            layout.span(containing: member.offset) == .init(offset: member.offset, span: span)
        )
    }
}

func examine(_ input: [UInt8]) {
    var choices = Choices(input)
    let start = choices.number()
    guard let digest = ContentDigest(bytes: [UInt8](repeating: 7, count: ContentDigest.byteCount)) else { return }
    var files: [ManifestFile] = []
    for line in Array(choices.rest).parts(UInt8(ascii: "\n")).prefix(8) {
        let parts = line.parts(UInt8(ascii: "\t"))
        guard let path = String(validating: parts[0], as: UTF8.self).flatMap(RelativePath.init) else { continue }
        files.append(ManifestFile(path: path, size: parts.last?.decimal ?? 0, digest: digest))
    }
    for name in ["a.aimodel", "Base.of-some.length.h18p.aimodelc"] {
        guard let name = AssetName(name),
            let asset = try? Asset(name: name, files: files, digest: digest, archiveDigest: digest)
        else { continue }
        let layout = ArchiveLayout(asset: asset)
        hold("the manifest says the same size", asset.archive.size == layout.size)
        check(layout, from: start % layout.size)
    }
}
