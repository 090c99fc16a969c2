import HostService
import ModelCatalog
import TestSupport
import Testing

/// A model with a version whose build metadata has to be percent-encoded, and channels of every kind.
private enum ChannelFixture {
    static let devices = (0..<400).map { "device-\($0)" }

    @Sendable static func publish(_ store: ReleaseStore) throws {
        try CatalogFixture.publish(store)
        for version in ["1.0.0", "2.0.0", "3.0.0+build.7"] {
            try store.publish(CatalogFixture.release("M", version, ["M.aimodel"]))
        }
        let channels: [(String, String, Int, String?)] = [
            ("beta", "3.0.0+build.7", 100, nil), ("rollout", "2.0.0", 25, "1.0.0"), ("first", "2.0.0", 25, nil),
            ("bad-rollout", "2.0.0", 25, "9.0.0"),
        ]
        var parsed: [ChannelName: Channel] = [:]
        for (name, version, share, before) in channels {
            let history = try before.map { [PastVersion(version: try Self.version($0), at: RangeCase.createdAt)] } ?? []
            parsed[try #require(ChannelName(name))] = Channel(
                version: try Self.version(version),
                share: share,
                history: history
            )
        }
        try store.writeRecord(model: "M", ModelRecord(channels: parsed, withdrawals: []))
    }

    static func version(_ text: String) throws -> Version { try #require(Version(text)) }
}

@Suite("Channels: where a name leads that may be moved", .waits, .served(ChannelFixture.publish))
struct ChannelTests {
    struct Lead: Sendable, CustomTestStringConvertible {
        let target: String
        let location: String
        var testDescription: String { target }

        static let all = [
            Lead(target: "/models/Sam3/latest", location: "/models/Sam3/1.4.0"),
            Lead(target: "/models/Sam3/latest/", location: "/models/Sam3/1.4.0/"),
            Lead(target: "/models/Sam3/stable/manifest.json", location: "/models/Sam3/1.4.0/manifest.json"),
            Lead(target: "/models/Sam3/stable/Sam3.aimodel/", location: "/models/Sam3/1.4.0/Sam3.aimodel/"),
            // The tail is kept as it was sent, encoded or not, published or not.
            Lead(
                target: "/models/Sam3/stable/Sam3.aimodel/odd/a%20b+c%25d%23e%3ff&g=h.bin?x=1&y=%2f?&z",
                location: "/models/Sam3/1.4.0/Sam3.aimodel/odd/a%20b+c%25d%23e%3ff&g=h.bin?x=1&y=%2f?&z"
            ),
            Lead(target: "/models/Sam3/stable/no/such/file", location: "/models/Sam3/1.4.0/no/such/file"),
            Lead(target: "/models/Sam3/stable?", location: "/models/Sam3/1.4.0?"),
            Lead(target: "/models/Sam3/%73table/%6danifest.json", location: "/models/Sam3/1.4.0/%6danifest.json"),
            Lead(target: "/models/M/latest/x", location: "/models/M/3.0.0%2Bbuild.7/x"),
            Lead(target: "/models/M/beta/x", location: "/models/M/3.0.0%2Bbuild.7/x"),
            // `resolve` is answered in place only where it stands right below the channel.
            Lead(target: "/models/Sam3/stable/tokenizer/resolve", location: "/models/Sam3/1.4.0/tokenizer/resolve"),
            // An absolute-form target: the host that the client named is not repeated (RFC 9112 3.2.2).
            Lead(target: "http://evil.example/models/Sam3/stable/x?y", location: "/models/Sam3/1.4.0/x?y"),
        ]
    }

    @Test("307 to the same path below the version (RFC 9110 15.4.8)", arguments: Lead.all)
    func lead(_ row: Lead) throws {
        let connection = try Served.running().connect()
        for method in ["HEAD", "GET"] {
            let answer = try connection.request(method, row.target, host: "evil.example")
            #expect(answer.status == 307)
            #expect(
                answer.lines == [
                    "Location: \(row.location)", "Cache-Control: no-cache", "Content-Length: 0",
                    "Access-Control-Allow-Origin: *",
                    "Access-Control-Expose-Headers: \(HeaderTests.exposed)",
                ]
            )
            #expect(answer.body.isEmpty)
        }
    }

    @Test("A redirect leads to the file, with its range")
    func follow() throws {
        let connection = try Served.running().connect()
        let range = [("Range", "bytes=0-9")]
        let redirect = try connection.request("GET", "/models/Sam3/stable/Sam3.aimodel/main.mlirb", range)
        let answer = try connection.request("GET", try #require(redirect["Location"]), range)
        #expect(answer.status == 206)
        #expect(answer["Content-Range"] == "bytes 0-9/40000")
    }

    @Test("A channel on a withdrawn version answers its 410, wherever it is asked")
    func withdrawn() throws {
        for below in ["", "/", "/manifest.json", "/Sam3.aimodel/main.mlirb", "/resolve?arch=h18p"] {
            let target = "/models/Sam3/old\(below)"
            let path = String(target.prefix { $0 != "?" })
            #expect(try expectProblem("version-withdrawn", Served.get(target), at: path)["replacement"] == "1.4.0")
        }
    }

    // MARK: A share of the devices

    private func version(_ channel: String, _ fields: [(String, String)], query: String = "") throws -> String {
        let answer = try Served.request("GET", "/models/M/\(channel)/x\(query)", fields)
        let parts = try #require(answer["Location"]).split(separator: "/")
        return String(parts[2])
    }

    @Test("Of a share, each device gets one version and keeps it; by field, by parameter and in resolve the same")
    func share() throws {
        let connection = try Served.running().connect()
        var chosen = 0
        for device in ChannelFixture.devices {
            let byField = try connection.request("GET", "/models/M/rollout/x", [("AIModel-Device", device)])
            let byParameter = try connection.request("GET", "/models/M/rollout/x?device=\(device)")
            let resolved = try connection.request("GET", "/models/M/rollout/resolve?arch=h18p&device=\(device)").json()
            let version = try #require(resolved["version"]?.text)
            #expect(byField["Location"] == "/models/M/\(version)/x")
            #expect(byParameter["Location"] == "/models/M/\(version)/x?device=\(device)")
            #expect(["1.0.0", "2.0.0"].contains(version))
            if version == "2.0.0" { chosen += 1 }
        }
        // A quarter of 400; the hash and the names are fixed, so this is one number and not a chance.
        #expect((60...140).contains(chosen))
    }

    @Test("A device that does not say who it is stays with the version before; without one it gets the new one")
    func anonymous() throws {
        #expect(try version("rollout", []) == "1.0.0")
        #expect(try version("rollout", [("AIModel-Device", "")]) == "1.0.0")
        #expect(try version("rollout", [], query: "?device=") == "1.0.0")
        #expect(try version("first", []) == "2.0.0")
    }

    @Test("The field counts before the parameter, and both are cut at 256 octets")
    func identity() throws {
        let chosen = try #require(
            try ChannelFixture.devices.first { try version("rollout", [("AIModel-Device", $0)]) == "2.0.0" }
        )
        let other = try #require(
            try ChannelFixture.devices.first { try version("rollout", [("AIModel-Device", $0)]) == "1.0.0" }
        )
        #expect(try version("rollout", [("AIModel-Device", chosen)], query: "?device=\(other)") == "2.0.0")
        #expect(try version("rollout", [("AIModel-Device", other)], query: "?device=\(chosen)") == "1.0.0")
        // Whatever stands behind the 256th octet, the device is the same.
        for length in 0..<40 {
            let long = String(repeating: "x", count: 255) + String(length % 10)
            let short = try version("rollout", [("AIModel-Device", long)])
            let tail = String(repeating: "y", count: length)
            #expect(try version("rollout", [("AIModel-Device", long + tail)]) == short)
            #expect(try version("rollout", [], query: "?device=\(long)\(tail)") == short)
        }
    }

    @Test("A device's name that cannot be read does not decide as none: invalid-parameter")
    func malformedDevice() throws {
        let answer = try Served.get("/models/M/rollout/x?device=%zz")
        #expect(try expectProblem("invalid-parameter", answer, at: "/models/M/rollout/x")["parameter"] == "device")
        // Unless the field says who it is.
        #expect(try version("rollout", [("AIModel-Device", "d")], query: "?device=%zz").isEmpty == false)
    }

    @Test("A share whose version before is not published: unknown-version, for those who would get it")
    func lostBefore() throws {
        let answer = try Served.get("/models/M/bad-rollout/x")
        #expect(try expectProblem("unknown-version", answer, at: "/models/M/bad-rollout/x")["version"] == "9.0.0")
    }
}
