import Testing

@testable import HostTelemetry

@Suite("Clients are numbers that mean nothing the day after")
struct ClientHasherTests {
    @Test(
        "SipHash-2-4: the vectors of its authors, key 00...0f, input 00 01 02 ...",
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (2, 0x0d6c_8009_d9a9_4f5a),
            (3, 0x8567_6696_d7fb_7e2d), (7, 0xab02_00f5_8b01_d137), (8, 0x93f5_f579_9a93_2462),
            (15, 0xa129_ca61_49be_45e5),
        ] as [(UInt8, UInt64)]
    )
    func vectors(_ length: UInt8, _ expected: UInt64) {
        let hash = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        let input = Array(0..<length)
        let output = hash(input.span)
        #expect(output == expected)
    }

    @Test("one client has one number on all loops, another has another")
    func sameOnAllLoops() {
        let hasher = ClientHasher()
        var first = ClientHash(hasher)
        var second = ClientHash(hasher)
        let address: [UInt8] = [192, 0, 2, 1]
        let number = first.number(address, TestLedger.start)
        let elsewhere = second.number(address, TestLedger.start + 1000)
        let another = first.number([192, 0, 2, 2], TestLedger.start)
        #expect(elsewhere == number)
        #expect(another != number)
        #expect(number <= ClientHash.mask)
    }

    @Test("the number changes at midnight UTC, for all loops alike, and a clock set back does not bring it back")
    func changesDaily() {
        let hasher = ClientHasher()
        var first = ClientHash(hasher)
        var second = ClientHash(hasher)
        let address: [UInt8] = [192, 0, 2, 1]
        let midnight = (TestLedger.start / UTCDay.milliseconds + 1) * UTCDay.milliseconds
        let before = first.number(address, midnight - 1)
        let after = first.number(address, midnight)
        let elsewhere = second.number(address, midnight)
        #expect(before != after)
        #expect(elsewhere == after)
        let setBack = [first.number(address, midnight - 1), second.number(address, midnight - 1)]
        #expect(setBack == [after, after])
    }

    @Test("two servers, or one before and after a restart, give different numbers")
    func differentSalts() {
        var first = ClientHash(ClientHasher())
        var second = ClientHash(ClientHasher())
        let numbers = [first.number([127, 0, 0, 1], 0), second.number([127, 0, 0, 1], 0)]
        #expect(numbers[0] != numbers[1])
    }

    @Test("days before 1970 are days too", arguments: [(0, 0), (-1, -1), (86_400_000, 1), (-86_400_000, -1)])
    func days(_ milliseconds: Int64, _ day: Int64) {
        #expect(UTCDay.number(milliseconds) == day)
    }
}

extension ClientHash {
    fileprivate mutating func number(_ address: [UInt8], _ now: Int64) -> UInt64 { self(address.span, at: now) }
}
