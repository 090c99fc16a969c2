import Testing

@testable import HTTPWire

@Suite("RFC 9110 8.8.3: entity tags")
struct EntityTagTests {
    private func matches(_ list: String, _ tag: String = "\"e\"", weakly: Bool) -> Bool {
        EntityTag.matches(list: octets(list).span, tag: octets(tag).span, weakly: weakly)
    }

    @Test(
        "RFC 9110 8.8.3.2: strong and weak comparison",
        arguments: [
            ("\"e\"", true, true), ("W/\"e\"", false, true), ("\"f\"", false, false), ("W/\"f\"", false, false),
            ("\"E\"", false, false), ("\"\"", false, false), ("\"e\"x", false, false), ("\"a\", \"e\"", true, true),
            ("\"e\", \"a\"", true, true), ("\"a\", W/\"e\"", false, true), ("\"a\",\"b\"", false, false),
        ]
    )
    func comparison(list: String, strong: Bool, weak: Bool) {
        #expect(matches(list, weakly: false) == strong)
        #expect(matches(list, weakly: true) == weak)
    }

    @Test(
        "RFC 9110 5.6.1: empty elements and white space",
        arguments: [",\"e\"", "\"e\",", ",, \"a\" ,\t, \"e\" ,", " \"e\" ", "\"a\"\t,\t\"e\""]
    )
    func lists(list: String) { #expect(matches(list, weakly: false)) }

    @Test(
        "a list that is not well formed matches nothing, whatever else it holds",
        arguments: [
            "e", "\"e", "e\"", "'e'", "w/\"e\"", "W/ \"e\"", "W\"e\"", "\"e\" \"e\"", "\"e\", f", "f, \"e\"",
            "*, \"e\"",
            "\"e\", *", "*", "\"e\"; \"f\"", "\"a b\", \"e\"", "\"e\", \"", "\"e\", W/", "\"e\", \"\u{7F}\"", "", " , ",
        ]
    )
    func malformed(list: String) {
        #expect(!matches(list, weakly: false))
        #expect(!matches(list, weakly: true))
    }

    @Test("RFC 9110 8.8.3: a comma, a backslash and obs-text are part of a tag")
    func octetsOfTags() {
        #expect(matches("\"a,b\", \"c\"", "\"a,b\"", weakly: false))
        #expect(!matches("\"a,b\"", "\"a\"", weakly: false))
        #expect(matches("\"a\\\"", "\"a\\\"", weakly: false))
        #expect(matches("\"\u{80}\u{FF}!#~\"", "\"\u{80}\u{FF}!#~\"", weakly: false))
        #expect(matches("\"\"", "\"\"", weakly: false))
    }
}
