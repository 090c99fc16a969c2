import Testing

@testable import ModelCatalog

private let full =
    #"{"channels":{"beta":{"history":[],"share":100,"version":"2.0.0-rc.1"},"#
    + #""stable":{"history":[{"at":"2026-11-30T08:00:00Z","version":"1.3.2"},{"at":"2026-10-01T08:00:00Z","version":"1.3.0"}],"#
    + #""share":25,"version":"1.4.0"}},"model":"SAM3","schemaVersion":1,"withdrawals":["#
    + #"{"architecture":null,"at":"2026-11-01T00:00:00Z","reason":"wrong/weights","replacement":"1.3.2","version":"1.3.1"},"#
    + #"{"architecture":"h16p","at":"2026-11-02T00:00:00Z","reason":"crashes","replacement":null,"version":"1.3.2"}]}"#
    + "\n"

@Suite("Model records")
struct ModelRecordTests {
    private func refusal(_ text: String) throws -> String? {
        let model = try model("SAM3")
        do throws(RecordError) {
            _ = try ModelRecord.decode(Array(text.utf8), model: model)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("is read, and written in its one form")
    func roundTrip() throws {
        let record = try ModelRecord.decode(Array(full.utf8), model: model("SAM3"))
        let stable = try #require(record.channels[channel("stable")])
        #expect(stable.version == (try version("1.4.0")))
        #expect(stable.share == 25)
        #expect(stable.history.map(\.version.text) == ["1.3.2", "1.3.0"])
        #expect(record.withdrawals.map(\.architecture?.text) == [nil, "h16p"])
        #expect(record.withdrawals.map(\.replacement?.text) == ["1.3.2", nil])
        #expect(String(decoding: try record.encoded(model: model("SAM3")), as: UTF8.self) == full)
    }

    @Test(
        "only schemaVersion must be there; a share not given is all",
        arguments: [
            #"{"schemaVersion":1}"#, #"{"schemaVersion":1,"channels":{},"withdrawals":[],"notes":"x"}"#,
            #"{"schemaVersion":1,"channels":null,"withdrawals":null,"model":null}"#,
        ]
    )
    func sparse(text: String) throws {
        #expect(try ModelRecord.decode(Array(text.utf8), model: model("SAM3")) == .empty)
    }

    @Test("a channel's share and history may be left out")
    func sparseChannel() throws {
        let text = #"{"schemaVersion":1,"channels":{"stable":{"version":"1.0.0"}}}"#
        let record = try ModelRecord.decode(Array(text.utf8), model: model("SAM3"))
        #expect(record.channels == [try channel("stable"): Channel(version: try version("1.0.0"))])
        #expect(try ModelRecord.decode(record.encoded(), model: model("SAM3")) == record)
    }

    @Test(
        "what is refused, with what and where",
        arguments: [
            ("", "the record is not JSON (it is empty); it may be cut short: put back the one before, or promote anew"),
            ("{}", "schemaVersion: missing"),
            (
                #"{"schemaVersion":2}"#,
                "schemaVersion is 2, and this program reads 1 only: use the aimodel-host that wrote it, or a newer one"
            ),
            (
                #"{"schemaVersion":3,"channels":[]}"#,
                "schemaVersion is 3, and this program reads 1 only: use the aimodel-host that wrote it, or a newer one"
            ),
            (#"{"schemaVersion":1,"channels":[]}"#, "channels: not of type object"),
            (
                #"{"schemaVersion":1,"model":"SAM2"}"#,
                #"model is "SAM2", but the record stands where that of "SAM3" belongs"#
            ),
            (
                #"{"schemaVersion":1,"channels":{"1a":{"version":"1"}}}"#,
                #"channels: "1a" is not a channel's name as in stable"#
            ),
            (
                #"{"schemaVersion":1,"channels":{"latest":{"version":"1"}}}"#,
                "channels: latest is reserved; it cannot be pointed anywhere"
            ),
            (
                #"{"schemaVersion":1,"channels":{"main":{"version":"1"}}}"#,
                "channels: main is reserved; it cannot be pointed anywhere"
            ),
            (
                #"{"schemaVersion":1,"channels":{"a":{"version":"v1"}}}"#,
                #"channels.a.version: "v1" is not a version as in 1.4.0"#
            ),
            (#"{"schemaVersion":1,"channels":{"a\n":{}}}"#, #"channels."a\n".version: missing"#),
            (
                #"{"schemaVersion":1,"channels":{"a":{"version":"1","share":0}}}"#,
                "channels.a.share is 0; it is a percentage from 1 to 100"
            ),
            (
                #"{"schemaVersion":1,"channels":{"a":{"version":"1","share":101}}}"#,
                "channels.a.share is 101; it is a percentage from 1 to 100"
            ),
            (
                #"{"schemaVersion":1,"channels":{"a":{"version":"1","share":0.5}}}"#,
                "channels.a.share: not a whole number from -9223372036854775808 to 9223372036854775807"
            ),
            (
                #"{"schemaVersion":1,"channels":{"a":{"version":"1","history":[{"version":"1","at":"now"}]}}}"#,
                #"channels.a.history[0].at: "now" is not a date and time as in 2026-12-01T09:30:00Z"#
            ),
            (
                #"{"schemaVersion":1,"channels":{"a":{"version":"1","history":[{"at":"2026-12-01T09:30:00Z"}]}}}"#,
                "channels.a.history[0].version: missing"
            ),
            (
                #"{"schemaVersion":1,"withdrawals":[{"version":"1","at":"2026-12-01T09:30:00Z"}]}"#,
                "withdrawals[0].reason: missing"
            ),
            (
                #"{"schemaVersion":1,"withdrawals":[{"version":"x","reason":"","at":"2026-12-01T09:30:00Z"}]}"#,
                #"withdrawals[0].version: "x" is not a version as in 1.4.0"#
            ),
            (
                #"{"schemaVersion":1,"withdrawals":[{"version":"1","architecture":"H1","reason":"","at":"2026-12-01T09:30:00Z"}]}"#,
                #"withdrawals[0].architecture: "H1" is not an architecture as in h18p"#
            ),
            (
                #"{"schemaVersion":1,"withdrawals":[{"version":"1","replacement":"","reason":"","at":"2026-12-01T09:30:00Z"}]}"#,
                #"withdrawals[0].replacement: "" is not a version as in 1.4.0"#
            ),
        ]
    )
    func refuse(text: String, message: String) throws {
        #expect(try refusal(text) == message)
    }
}

@Suite("Channels with a share")
struct ChannelTests {
    private func stable(share: Int) throws -> Channel {
        Channel(
            version: try version("1.4.0"),
            share: share,
            history: [
                PastVersion(version: try version("1.3.2"), at: "2026-11-30T08:00:00Z"),
                PastVersion(version: try version("1.3.0"), at: "2026-10-01T08:00:00Z"),
            ]
        )
    }

    /// Computed apart from this code: FNV-1a 64 (offset cbf29ce484222325, prime 100000001b3), then modulo 100.
    @Test(
        "the bucket is FNV-1a over model, NUL, version, NUL, device",
        arguments: [("device-1", 34), ("", 2), ("é", 22)] as [(String, UInt64)]
    )
    func bucket(device: String, expected: UInt64) throws {
        #expect(Channel.bucket(model: try model("SAM3"), version: try version("1.4.0"), device: device) == expected)
    }

    @Test("whoever is in at a share is in at every greater one, and out before; the answer never changes by itself")
    func monotone() throws {
        let name = try model("SAM3")
        let channels = try (1...100).map { try stable(share: $0) }
        for number in 0..<500 {
            let answers = channels.map { $0.version(for: "device-\(number)", model: name).text }
            #expect(answers == answers.sorted(), "device-\(number)")
            #expect(answers.last == "1.4.0")
            #expect(answers == channels.map { $0.version(for: "device-\(number)", model: name).text })
        }
    }

    @Test("the share is the share, within one part in a hundred of the devices", arguments: [1, 10, 25, 50, 75, 99])
    func even(share: Int) throws {
        let name = try model("SAM3")
        let channel = try stable(share: share)
        let count = 20_000
        let inside = (0..<count).filter { channel.version(for: "device-\($0)", model: name).text == "1.4.0" }.count
        #expect(abs(Double(inside) / Double(count) - Double(share) / 100) < 0.01)
    }

    @Test("another version takes other devices first")
    func independent() throws {
        let name = try model("SAM3")
        let one = try version("1.4.0")
        let other = try version("1.5.0")
        let both = (0..<20_000).filter {
            Channel.bucket(model: name, version: one, device: "device-\($0)") < 10
                && Channel.bucket(model: name, version: other, device: "device-\($0)") < 10
        }
        // Independent, it is one in a hundred; the same devices again would be ten.
        #expect((100...300).contains(both.count))
    }

    @Test("a device that does not say who it is stays with the version before", arguments: [nil, ""])
    func anonymous(device: String?) throws {
        #expect(try stable(share: 99).version(for: device, model: model("SAM3")).text == "1.3.2")
        #expect(try stable(share: 100).version(for: device, model: model("SAM3")).text == "1.4.0")
    }

    @Test("with nothing before, a share is all")
    func first() throws {
        let channel = Channel(version: try version("1.0.0"), share: 1)
        #expect(
            try (0..<50).allSatisfy { channel.version(for: "device-\($0)", model: try model("SAM3")).text == "1.0.0" }
        )
    }

    @Test("a share is brought into 1...100", arguments: [(-5, 1), (0, 1), (1, 1), (100, 100), (101, 100)])
    func clamped(share: Int, expected: Int) throws {
        #expect(try stable(share: share).share == expected)
    }
}
