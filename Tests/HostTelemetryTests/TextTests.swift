import Testing

@testable import HostTelemetry

@Suite("Texts of clients, as they are kept")
struct TextTests {
    @Test("the same octets are one object, others are not")
    func interns() {
        var table = TextTable(limit: 8)
        let first = table.intern(Array("curl/8.0".utf8).span)
        let again = table.intern(Array("curl/8.0".utf8).span)
        let other = table.intern(Array("curl/8.1".utf8).span)
        #expect(again === first)
        #expect(other !== first)
        #expect(first.text == "curl/8.0")
    }

    @Test("a table is bounded, whatever comes")
    func bounded() {
        var table = TextTable(limit: 8)
        for number in 0..<1000 {
            let text = table.intern(Array("agent \(number)".utf8).span)
            #expect(text.text == "agent \(number)")
            #expect(table.count <= 8)
        }
    }

    @Test("texts that are the same as far as they are kept are one")
    func cut() {
        var table = TextTable(limit: 8)
        let long = [UInt8](repeating: 0x61, count: 300)
        let text = table.intern(long.span)
        #expect(text.text.utf8.count == 256)
        let longer = long + [0x62]
        let again = table.intern(longer.span)
        #expect(again === text)
    }

    @Test(
        "valid UTF-8 without control characters is stored, and no half character at the end",
        arguments: [
            ("plain", 10, "plain"), ("plain", 3, "pla"), ("a\u{0}b\u{1B}[0m", 10, "a\u{FFFD}b\u{FFFD}[0m"),
            ("ä", 1, ""), ("aä", 2, "a"), ("€uro", 3, "€"), ("€uro", 2, ""), ("😀!", 4, "😀"), ("😀!", 3, ""),
            ("a\u{85}", 9, "a\u{FFFD}"),
        ]
    )
    func cleans(_ text: String, _ limit: Int, _ expected: String) {
        #expect(StoredText.clean(Array(text.utf8), limit: limit) == expected)
        #expect(StoredText.clean(text, limit: limit) == expected)
    }

    @Test("octets that are no UTF-8 become replacement characters")
    func repairs() {
        #expect(StoredText.clean([0x61, 0xFF, 0x62]) == "a\u{FFFD}b")
    }

    @Test(
        "RFC 9562 4: a UUID is 8-4-4-4-12 hexadecimal digits of either case",
        arguments: [
            ("f81d4fae-7dec-11d0-a765-00a0c91e6bf6", true), ("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", true),
            ("f81d4fae7dec11d0a76500a0c91e6bf6", false), ("f81d4fae-7dec-11d0-a765-00a0c91e6bf", false),
            ("f81d4fae-7dec-11d0-a765-00a0c91e6bf60", false), ("g81d4fae-7dec-11d0-a765-00a0c91e6bf6", false),
            ("f81d4fae-7dec-11d0-a765_00a0c91e6bf6", false), ("", false),
        ]
    )
    func identifier(_ text: String, _ isValid: Bool) {
        let parsed = DownloadIdentifier.parse(text)
        #expect((parsed != nil) == isValid)
        if isValid { #expect(parsed == DownloadIdentifier.parse(text.uppercased())) }
    }
}
