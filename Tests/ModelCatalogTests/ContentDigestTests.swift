import Testing

@testable import ModelCatalog

@Suite("Content digests")
struct ContentDigestTests {
    /// SHA-256 of nothing.
    private static let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test("hex, prefixed, base64 and bytes are one value")
    func forms() throws {
        let digest = try #require(ContentDigest(hex: Self.hex))
        #expect(digest.hex == Self.hex)
        #expect(digest.prefixed == "sha256:" + Self.hex)
        #expect(digest.base64 == Self.base64)
        #expect(digest.bytes.count == 32)
        #expect(digest.bytes.first == 0xE3)
        #expect(digest.bytes.last == 0x55)
        #expect(ContentDigest(bytes: digest.bytes) == digest)
        #expect(ContentDigest(prefixed: digest.prefixed) == digest)
    }

    @Test("every byte has its own place")
    func places() throws {
        let bytes = (0..<32).map { UInt8($0 * 8 + 1) }
        #expect(try #require(ContentDigest(bytes: bytes)).bytes == bytes)
    }

    @Test("32 bytes take 32 bytes")
    func layout() {
        #expect(MemoryLayout<ContentDigest>.stride == 32)
    }

    @Test(
        "no hex",
        arguments: [
            "", String(hex.dropLast()), hex + "0", hex.uppercased(), "g" + hex.dropFirst(), " " + hex.dropFirst(),
        ]
    )
    func noHex(text: String) {
        #expect(ContentDigest(hex: text) == nil)
        #expect(ContentDigest(prefixed: "sha256:" + text) == nil)
    }

    @Test("no prefix, another prefix", arguments: [hex, "SHA256:" + hex, "sha512:" + hex, "sha256:sha256:" + hex])
    func noPrefix(text: String) {
        #expect(ContentDigest(prefixed: text) == nil)
    }

    @Test("31 and 33 bytes are none", arguments: [0, 31, 33])
    func count(count: Int) {
        #expect(ContentDigest(bytes: [UInt8](repeating: 0, count: count)) == nil)
    }
}

@Suite("Instants (RFC 3339)")
struct InstantTests {
    @Test(
        "the text is kept, the seconds are those since 1970",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1), ("2026-12-01T09:30:00Z", 1_796_117_400),
            ("2000-02-29T12:00:00Z", 951_825_600), ("2026-12-01T10:30:00+01:00", 1_796_117_400),
            ("2026-12-01T04:00:00.999-05:30", 1_796_117_400), ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Int64)]
    )
    func parse(text: String, seconds: Int64) throws {
        let instant = try #require(Instant(text))
        #expect(instant.unixSeconds == seconds)
        #expect(instant.text == text)
    }

    @Test(
        "no instant",
        arguments: [
            "", "2026-12-01", "2026-12-01T09:30Z", "2026-12-01 09:30:00Z", "2026-12-01T09:30:00",
            "2026-12-01t09:30:00z",
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-12-00T00:00:00Z", "2026-12-01T24:00:00Z", "2026-12-01T09:60:00Z", "2026-12-01T09:30:61Z",
            "2026-12-01T09:30:00.Z",
            "2026-12-01T09:30:00+1:00", "2026-12-01T09:30:00+24:00", "2026-12-01T09:30:00Z ", "+026-12-01T09:30:00Z",
        ]
    )
    func refuse(text: String) {
        #expect(Instant(text) == nil)
    }

    @Test("every day of 800 years is written as it is read, one after the other")
    func days() throws {
        // From 1600-01-01, a leap year that is a century, past 2000 and 2100.
        var previous = ""
        for day in Int64(-135_140)..<(Int64(-135_140) + 292_194) {
            let seconds = day * 86_400 + 86_399
            let instant = try #require(Instant(unixSeconds: seconds))
            guard let back = Instant(instant.text), back.unixSeconds == seconds, instant.text > previous else {
                Issue.record("\(instant.text) is not the moment \(seconds), or not after \(previous)")
                return
            }
            previous = instant.text
        }
        #expect(previous == "2399-12-31T23:59:59Z")
    }

    @Test(
        "outside the years 0 to 9999 there is no text",
        arguments: [Int64.min, -62_167_219_201, 253_402_300_800, Int64.max]
    )
    func range(seconds: Int64) {
        #expect(Instant(unixSeconds: seconds) == nil)
    }

    @Test("ordered by time; two spellings of one moment are not equal")
    func order() throws {
        let zulu = try #require(Instant("2026-12-01T09:30:00Z"))
        let berlin = try #require(Instant("2026-12-01T10:30:00+01:00"))
        let later = try #require(Instant("2026-12-01T09:30:01Z"))
        #expect(zulu != berlin)
        #expect(berlin < later)
        #expect((zulu < berlin) != (berlin < zulu))
    }
}
