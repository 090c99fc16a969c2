import Testing

@testable import ModelCatalog

@Suite("The order of versions")
struct VersionOrderTests {
    /// From the lowest to the highest: each against each is tested, both ways round.
    private static let ascending = [
        // No Semantic Versions: number-aware.
        "0b", "1", "1.0-01", "1.2-alpha", "1.2-beta2", "1.2-beta10", "1.2", "1.2-1", "01.2.3", "1.2.3.4", "1.10", "9a",
        "9b",
        "10", "2024-12-01", "2025-01-15", "2026.9", "2026.12", "2026.12b", "99999999999999999999999999999998",
        "99999999999999999999999999999999", "100000000000000000000000000000000",
        // SemVer 2.0, section 11.4, with what is easily got wrong between.
        "0.0.0-0", "0.0.0", "0.9.9", "1.0.0-0", "1.0.0-9", "1.0.0-10", "1.0.0-18446744073709551616",
        "1.0.0-18446744073709551617", "1.0.0--", "1.0.0-A", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.1.1",
        "1.0.0-alpha.beta", "1.0.0-alpha-1", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
        "1.0.0+a",
        "1.0.0+b", "1.0.1", "1.2.0", "1.10.0", "2.0.0-rc.1+x", "2.0.0", "18446744073709551616.0.0",
        "18446744073709551617.0.0",
    ]

    @Test("each against each", arguments: Array(ascending.enumerated()))
    func total(index: Int, text: String) throws {
        let one = try version(text)
        for (other, otherText) in Self.ascending.enumerated() {
            let second = try version(otherText)
            #expect((one < second) == (index < other), "\(text) < \(otherText)")
            #expect((one == second) == (index == other), "\(text) == \(otherText)")
        }
    }

    @Test("SemVer 2.0, section 10: build metadata is no difference, and yet two texts are two versions")
    func ties() throws {
        let plain = try version("1.0.0")
        let built = try version("1.0.0+20261201")
        #expect(plain != built)
        #expect(plain < built)
        #expect(try version("1.0-x") != version("01.0-x"))
        #expect(try version("01.0-x") < version("1.0-x"))
    }

    @Test("any three made by chance are in a transitive order")
    func transitive() throws {
        var numbers = FixedNumbers(seed: 0x5EED)
        let pieces = ["0", "1", "01", "10", ".", ".", "-", "+", "a", "B", "rc", "1.0.0", "1.0.0-"]
        var versions: Set<Version> = []
        while versions.count < 160 {
            let text = "1" + (0..<5).map { _ in pieces.randomElement(using: &numbers) ?? "" }.joined()
            versions.insert(try version(text))
        }
        // A sorted list in which every earlier one is lower than every later one leaves no room for a circle.
        let sorted = versions.sorted()
        for (index, low) in sorted.enumerated() {
            for high in sorted[(index + 1)...] {
                #expect(low < high && !(high < low), "\(low) < \(high)")
            }
        }
    }

    @Test(
        "what `latest` passes over",
        arguments: [
            ("1.0.0", false), ("1.0.0-rc.1", true), ("1.0.0-1", true), ("1.0.0+rc-1", false), ("1.0.0-x+y", true),
            ("1.5-beta", true), ("1.5", false), ("2026-12-01", false), ("2026-12-01-rc1", true), ("1.0.0-01", false),
            ("1.5-", false),
            ("1.5+b-x", false), ("1.2.3.4", false),
        ]
    )
    func prerelease(text: String, expected: Bool) throws {
        #expect(try version(text).isPrerelease == expected)
    }
}
