import Testing

@testable import ModelCatalog

@Suite("RFC 8259, to the last octet")
struct StrictJSONTests {
    @Test(
        "Texts that are JSON",
        arguments: [
            (" {} ", .object([:])), ("[]", .array([])), ("\"\"", .string("")), ("null", .null),
            ("\u{FEFF}true", .boolean(true)),
            (
                #"{"a":{"b":[1,-0.5e+10,0,false]}}"#,
                .object(["a": .object(["b": .array([.integer(1), .number, .integer(0), .boolean(false)])])])
            ),
            (#""\"\\\/\b\f\n\r\t\u00e9\ud83D\uDE00é""#, .string("\"\\/\u{8}\u{C}\n\r\té😀é")),
            (#"{"a":1,"A":2}"#, .object(["a": .integer(1), "A": .integer(2)])),
            (
                "[-0,9223372036854775807,-9223372036854775808,9223372036854775808,1.0,1e3]",
                .array([.integer(0), .integer(.max), .integer(.min), .number, .number, .number])
            ),
        ] as [(String, StrictJSON)]
    )
    func texts(_ text: String, _ value: StrictJSON) throws {
        #expect(try StrictJSON.parse(Array(text.utf8)) == value)
    }

    @Test(
        "Texts that are none, and where they cease to be",
        arguments: [
            ("", "the text is empty", 0), ("  ", "the text is empty", 2), ("{} {}", "more than one value", 3),
            ("[1,]", "no value where one is needed", 3), (#"{"a":1,}"#, "no key where one is needed", 7),
            (#"{"a" 1}"#, "no colon behind a key", 5),
            (#"{"a":1 "b":2}"#, "no comma and no closing brace behind a member", 7),
            ("[1 2]", "no comma and no closing bracket behind an element", 3), ("{", "no key where one is needed", 1),
            ("01", "a digit behind a leading zero", 1), ("-", "no value where one is needed", 1),
            ("1.", "no digit behind the point", 2), ("1e+", "no digit in the exponent", 3),
            (".5", "no value where one is needed", 0),
            ("NaN", "no value where one is needed", 0), ("nul", "no value where one is needed", 0),
            ("\"a\nb\"", "a control character in a string", 2), ("\"abc", "the text ends in a string", 4),
            (#""\x""#, "no such escape", 1), (#""\u12g4""#, "not four hexadecimal digits behind \\u", 5),
            (#""\ud800""#, "half a surrogate pair", 7), (#""\udc00""#, "half a surrogate pair", 7),
            (#""\ud800\u0041""#, "half a surrogate pair", 13), (#"{"a":1,"a":2}"#, "a key that was there before", 7),
            ("{} // no", "more than one value", 3), ("{'a':1}", "no key where one is needed", 1),
        ]
    )
    func faults(_ text: String, _ reason: String, _ offset: Int) {
        #expect(throws: StrictJSON.Fault(reason: reason, offset: offset)) { try StrictJSON.parse(Array(text.utf8)) }
    }

    @Test("Octets that are not UTF-8 are a fault wherever they stand")
    func notUTF8() {
        let text = Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        #expect(throws: StrictJSON.Fault(reason: "no UTF-8 before", offset: 7)) { try StrictJSON.parse(text) }
    }

    @Test("512 levels are read, and one more is a fault and no crash", arguments: [512, 513, 1_000_000])
    func depth(_ levels: Int) {
        let text =
            [UInt8](repeating: UInt8(ascii: "["), count: levels) + [UInt8](repeating: UInt8(ascii: "]"), count: levels)
        #expect((try? StrictJSON.parse(text)) != nil || levels > 512)
        if levels > 512 {
            #expect(throws: StrictJSON.Fault(reason: "more than 512 levels", offset: 512)) {
                try StrictJSON.parse(text)
            }
        }
    }

    @Test("Who has a use for fewer levels says so")
    func lessDepth() throws {
        #expect(try StrictJSON.parse(Array("[[1]]".utf8), maximumDepth: 2) == .array([.array([.integer(1)])]))
        #expect(throws: StrictJSON.Fault(reason: "more than 2 levels", offset: 2)) {
            try StrictJSON.parse(Array("[[[1]]]".utf8), maximumDepth: 2)
        }
    }

    @Test("A text cut at any octet is a fault and no crash")
    func cuts() {
        let text = Array(#"{"a":[1.5e3,"\ud83d\ude00",null],"b":{"c":true}}"#.utf8)
        for end in text.indices {
            #expect(throws: StrictJSON.Fault.self) { try StrictJSON.parse(Array(text[..<end])) }
        }
    }
}
