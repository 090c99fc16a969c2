import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("withdraw: a version, or one architecture of it, is taken back", .waits)
struct ChangeWithdrawTests {
    private let store: ChangedStore

    init() throws {
        store = try ChangedStore("1.3.0")
        try store.disk.publish(.standard(version: "1.4.0"))
        try store.disk.publish(.standard(version: "1.4.1"))
    }

    private func withdrawals() throws -> [String] {
        try #require(try store.scanned()).record.withdrawals.map {
            [$0.version.text, $0.architecture?.text ?? "all", $0.reason, $0.replacement?.text ?? "-"].joined(
                separator: " | "
            )
        }
    }

    @Test("a version: it is not the latest any more, and its files stay")
    func version() throws {
        let change = try store.withdraw("1.4.1", replacement: "1.4.0")
        #expect(change.changed && change.remarks.isEmpty)
        #expect(try withdrawals() == ["1.4.1 | all | wrong weights | 1.4.0"])
        let entry = try #require(try store.scanned())
        #expect(entry.latest?.text == "1.4.0")
        #expect(entry.versions.map(\.version.text) == ["1.4.1", "1.4.0", "1.3.0"])
        #expect(entry.record.withdrawals.map(\.at) == [ChangedStore.moment.text])
    }

    @Test("an architecture: the others stay")
    func architecture() throws {
        try store.withdraw("1.4.0", "h18p")
        try store.withdraw("1.4.0", "h16p")
        #expect(
            try withdrawals() == ["1.4.0 | h18p | wrong weights | -", "1.4.0 | h16p | wrong weights | -"]
        )
        #expect(try store.scanned()?.withdrawal(of: ChangedStore.version("1.4.0")) == nil)
    }

    @Test(
        "again with another reason or replacement, the new word takes the old one's place; the same again changes nothing"
    )
    func again() throws {
        try store.withdraw("1.4.0", reason: "it hums")
        try store.withdraw("1.4.0", "h18p", reason: "it hums")
        #expect(try !store.withdraw("1.4.0", reason: " it hums\n").changed)
        #expect(try store.withdraw("1.4.0", reason: "it whistles", replacement: "1.4.1").changed)
        #expect(try withdrawals() == ["1.4.0 | h18p | it hums | -", "1.4.0 | all | it whistles | 1.4.1"])
    }

    @Test(
        "a reason is one line that says something",
        arguments: [
            ("", "empty"), (" \t\n", "empty"), ("two\nlines", "not one line without control characters"),
            ("\u{1B}[31mred", "not one line without control characters"),
            ("two\u{2028}lines", "not one line without control characters"),
            (String(repeating: "x", count: 1001), "longer than 1000 octets"),
            (String(repeating: "é", count: 501), "longer than 1000 octets"),
        ]
    )
    func reasons(_ reason: String, _ rule: String) throws {
        let words = "the reason is \(rule); devices and their developers are told it"
        #expect(refusal { try store.withdraw("1.4.0", reason: reason) } == words)
        #expect(try store.scanned()?.record == .empty)
    }

    @Test("a reason of 1000 octets is one, blanks around it not counted")
    func longReason() throws {
        let reason = String(repeating: "é", count: 500)
        try store.withdraw("1.4.0", reason: "  \(reason)  ")
        #expect(try withdrawals() == ["1.4.0 | all | \(reason) | -"])
    }

    @Test(
        "a replacement is another version that can be downloaded",
        arguments: [
            ("1.4.0", "1.4.0 cannot replace itself; name another version, or none"),
            ("1.5.0", "the replacement Sam3 1.5.0 is not published; publish it first, or name another"),
            ("1.3.0", "the replacement Sam3 1.3.0 is withdrawn itself; name another"),
        ]
    )
    func replacements(_ replacement: String, _ words: String) throws {
        try store.withdraw("1.3.0")
        #expect(refusal { try store.withdraw("1.4.0", replacement: replacement) } == words)
        #expect(try withdrawals().count == 1)
    }

    @Test("what is not there cannot be withdrawn")
    func notThere() throws {
        #expect(refusal { try store.withdraw("1.4.2") } == "Sam3 1.4.2 is not published; did you mean 1.4.1 or 1.4.0?")
        #expect(
            refusal { try store.withdraw("1.4.0", "h19p") } == "Sam3 1.4.0 has no asset for h19p; it has h16p, h18p"
        )
        #expect(refusal { try store.withdraw("1.3.0", "h18p") }?.hasSuffix("it has no compiled asset at all") == true)
        #expect(try store.scanned()?.record == .empty)
    }

    @Test("channels that lead there are named, for all devices or for those outside the share")
    func channels() throws {
        try store.promote("1.4.0")
        try store.promote("1.4.0", to: "beta")
        try store.promote("1.4.1", 10, to: "beta")
        try store.promote("1.3.0", to: "old")
        let version = ChangedStore.version("1.4.0")
        let change = try store.withdraw("1.4.0", replacement: "1.4.1")
        let channels = change.remarks.map { remark -> String in
            guard case .channelLeadsThere(let channel, version, ChangedStore.version("1.4.1")) = remark else {
                return "\(remark)"
            }
            return channel.text
        }
        #expect(channels == ["beta", "stable"])
        #expect(try store.outline() == "1.4.0")
    }

    @Test("one architecture's withdrawal concerns no channel")
    func channelsOfArchitecture() throws {
        try store.promote("1.4.0")
        #expect(try store.withdraw("1.4.0", "h18p").remarks.isEmpty)
    }

    @Test("what was replaced by the version is named")
    func chain() throws {
        try store.withdraw("1.3.0", replacement: "1.4.0")
        let expected = ChangeRemark.replacedByWithdrawn(
            ChangedStore.version("1.3.0"),
            replacement: ChangedStore.version("1.4.0")
        )
        #expect(try store.withdraw("1.4.0").remarks == [expected])
    }

    @Test("a replacement without the architecture is remarked on")
    func replacementLacks() throws {
        let h18p = try #require(Architecture("h18p"))
        #expect(try store.withdraw("1.4.0", "h18p", replacement: "1.4.1").remarks.isEmpty)
        let change = try store.withdraw("1.4.0", "h18p", replacement: "1.3.0")
        #expect(change.remarks == [.replacementLacks(ChangedStore.version("1.3.0"), h18p)])
    }
}
