import HostTelemetry
import ModelCatalog
import Testing

@testable import HostService

@Suite("The body of a report, from anyone")
struct ReportReaderTests {
    private func read(_ text: String) throws -> [Result<ReportItem, ReportRefusal>] {
        try ReportReader.read(Array(text.utf8))
    }

    @Test("One report, with all that it can say")
    func whole() throws {
        let text = report([
            "outcome": "\"load-failed\"", "errorDomain": "\"CoreAI\"", "errorCode": "-7", "osBuild": "\"24A335\"",
            "coldLoadMilliseconds": "1200", "device": "\"device-1\"", "unknown": "[{\"a\":1.5e3}]",
        ])
        let expected = ReportItem(
            model: "Sam3",
            version: "1.4.0",
            asset: "Sam3.h18p.aimodelc",
            architecture: Architecture("h18p"),
            outcome: .loadFailed,
            errorDomain: "CoreAI",
            errorCode: -7,
            osBuild: "24A335",
            coldLoadMilliseconds: 1200,
            device: "device-1"
        )
        #expect(try read(text) == [.success(expected)])
        #expect(try read("[\(text),\(text)]") == [.success(expected), .success(expected)])
    }

    @Test(
        "Each outcome of the contract",
        arguments: [
            "loaded", "load-failed", "specialization-failed", "corrupt", "fallback-used", "removed",
        ]
    )
    func outcomes(_ outcome: String) throws {
        let item = try read(report(["outcome": "\"\(outcome)\""])).first?.get()
        #expect(item?.outcome.rawValue == outcome)
    }

    @Test("What is null or empty is not said")
    func absent() throws {
        let item = try read(
            report([
                "architecture": "null", "errorDomain": "\"\"", "errorCode": "null", "osBuild": "null", "device": "\"\"",
                "coldLoadMilliseconds": "null",
            ])
        ).first?.get()
        let read = try #require(item)
        #expect(read.architecture == nil && read.errorDomain == nil && read.errorCode == nil && read.osBuild == nil)
        #expect(read.device == nil && read.coldLoadMilliseconds == nil)
    }

    @Test("A text is cut at 256 octets, between characters")
    func cut() throws {
        let text = String(repeating: "é", count: 200)
        let item = try read(report(["device": "\"\(text)\"", "osBuild": "\"a\(text)\""])).first?.get()
        #expect(item?.device == String(repeating: "é", count: 128))
        #expect(item?.osBuild == "a" + String(repeating: "é", count: 127))
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let member: String
        let value: String?
        let reason: ReportRefusal.Reason
        var testDescription: String { "\(member): \(value?.prefix(30) ?? "nothing")" }

        private static func rows(_ members: [String], _ values: [String?], _ reason: ReportRefusal.Reason) -> [Refused]
        {
            members.flatMap { member in
                values.map { Refused(member: member, value: $0, reason: reason) }
            }
        }

        private static let names = ["model", "version", "asset", "outcome"]
        private static let texts = ["architecture", "errorDomain", "osBuild", "device"]
        private static let numbers = ["errorCode", "coldLoadMilliseconds"]
        private static let otherNumbers = [
            "1.5", "1.0", "1e3", "9223372036854775808", "1e999999999", String(repeating: "9", count: 60_000),
        ]

        static let all: [Refused] = [
            rows(names, [nil, "null"], .missing),
            rows(names, ["1", "[\"a\"]"], .wrongType),
            rows(texts, ["1", "true", "{}", "[]"], .wrongType),
            rows(numbers, ["\"1\"", "true", "{}"], .wrongType),
            rows(numbers, otherNumbers, .outOfRange),
            rows(["outcome"], ["\"Loaded\"", "\"\""], .invalid),
            rows(["architecture"], ["\"H18P\"", "\"\""], .invalid),
            rows(["coldLoadMilliseconds"], ["-1", "86400001"], .outOfRange),
        ].flatMap { $0 }
    }

    @Test("What is refused is refused by its member, and alone", arguments: Refused.all)
    func refused(_ row: Refused) throws {
        let items = try read("[\(report([:])),\(report([row.member: row.value]))]")
        #expect(try items.first?.get().outcome == .loaded)
        #expect(throws: ReportRefusal.self) { try items.last?.get() }
        guard case .failure(let refusal)? = items.last else { return }
        #expect(refusal.reason == row.reason && refusal.member == row.member)
        #expect(refusal.detail.hasPrefix(row.member) && refusal.detail.utf8.count < 200)
    }

    @Test("What is no object is no report", arguments: ["1", "null", "\"a\"", "[]", "true"])
    func notAnObject(_ element: String) throws {
        guard case .failure(let refusal)? = try read("[\(element)]").first else {
            Issue.record("\(element) was taken")
            return
        }
        #expect(refusal.reason == .notAnObject && refusal.member == nil)
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        let says: String
        let body: [UInt8]
        var testDescription: String { says }

        init(_ says: String, _ text: String) {
            self.says = says
            body = Array(text.utf8)
        }

        init(_ says: String, octets: [UInt8]) {
            self.says = says
            body = octets
        }

        static let all = [
            Broken("nothing", ""), Broken("white space", " \r\n"), Broken("an empty array", "[]"),
            Broken("a number", "1"), Broken("a string", "\"a\""), Broken("null", "null"),
            Broken("two values", "{}{}"), Broken("cut", "[{\"model\":\"a\""), Broken("a comma too many", "[{},]"),
            Broken("a key twice", "{\"model\":\"a\",\"model\":\"b\"}"),
            Broken("a key twice, once escaped", "{\"model\":\"a\",\"\\u006dodel\":\"b\"}"),
            Broken("a key twice where nobody looks", "[{\"x\":{\"a\":1,\"a\":2}}]"),
            Broken("half a surrogate pair", "{\"x\":\"\\ud800\"}"),
            Broken("no UTF-8", octets: Array("{\"x\":\"".utf8) + [0xC0, 0xAF] + Array("\"}".utf8)),
            Broken("a NUL", octets: Array("{\"x\":\"".utf8) + [0] + Array("\"}".utf8)),
            Broken("UTF-16", octets: [0xFF, 0xFE, 0x7B, 0, 0x7D, 0]),
            Broken("101 reports", "[" + Array(repeating: "{}", count: 101).joined(separator: ",") + "]"),
            Broken("a depth bomb", String(repeating: "[", count: 32 << 10) + String(repeating: "]", count: 32 << 10)),
            Broken("a bomb of objects", String(repeating: "{\"a\":", count: 13_000)),
            Broken("17 levels", String(repeating: "[", count: 17) + String(repeating: "]", count: 17)),
        ]
    }

    @Test("Of a broken body nothing is read", arguments: Broken.all)
    func broken(_ row: Broken) {
        #expect(throws: ReportReader.Fault.self) { try ReportReader.read(row.body) }
    }

    @Test("A body cut at any octet, or with any octet changed, is a fault or reports, and no crash")
    func everyOctet() throws {
        let text = Array("[\(report(["errorCode": "-12", "device": "\"\\ud83d\\ude00\""]))]".utf8)
        for index in text.indices {
            #expect(throws: ReportReader.Fault.self) { try ReportReader.read(Array(text[..<index])) }
            for octet: UInt8 in [0, 0x22, 0x5C, 0x7B, 0x7D, 0x80, 0xFF] {
                var changed = text
                changed[index] = octet
                _ = try? ReportReader.read(changed)
            }
        }
    }
}
