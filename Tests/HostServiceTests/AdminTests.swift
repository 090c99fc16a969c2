import HTTPWire
import HostService
import HostTransport
import ModelCatalog
import TestSupport
import Testing

@testable import HostService

@Suite("The admin listener, and health on the public one", .waits)
struct AdminTests {
    private func admin(
        _ host: RunningHost,
        _ target: String,
        host name: String?,
        method: String = "GET",
        version: String = "1.1"
    ) throws -> RawConnection.Response {
        try host.connectToAdmin().request(method, target, host: name, version: version)
    }

    @Test("/healthz")
    func health() throws {
        let host = try RunningHost()
        let answer = try admin(host, "/healthz", host: "localhost")
        #expect(answer.status == 200)
        #expect(answer["Cache-Control"] == "no-store")
        #expect(try answer.json() == ["status": "ok"])
    }

    @Test("/readyz: what is served, and what is wrong with the rest")
    func readiness() throws {
        let store = try ReleaseStore()
        try CatalogFixture.publish(store)
        let host = try RunningHost(store)
        let whole = try admin(host, "/readyz", host: "localhost").json()
        let names = [
            "connections", "findings", "findingsOmitted", "generation", "ledger", "models", "reasons", "status",
            "versions",
        ]
        #expect(whole.names == names)
        #expect(whole["ledger"] == .null)
        #expect(whole["status"] == "ready")
        #expect(whole["models"] == 5)
        #expect(whole["versions"] == 9)
        #expect(whole["connections"] == 1)
        let lost: JSON = "manifests/Sam3/model.json"
        #expect(whole["findings"]?.elements.map { $0["path"] } == [lost])
        let pointer = whole["findings"]?[0]?["message"]?.text ?? ""
        #expect(pointer.contains("lost") && pointer.contains("7.7.7"))

        try TemporaryFolder.write(Array("{".utf8), to: store.recordPath("Edge"))
        try TemporaryFolder.write(Array("x".utf8), to: store.manifestPath("Edge", "not a version"))
        try TemporaryFolder.remove(store.publicPath("Only", "1.0.0", "Only.h18p.aimodelc/main.mlirb"))
        host.server.reload()
        #expect(try host.request("GET", "/models/Only/1.0.0/Only.h18p.aimodelc/main.mlirb").status == 503)
        let paths: [JSON] = [
            "Public/models/Only/1.0.0/Only.h18p.aimodelc/main.mlirb", "manifests/Edge/model.json",
            "manifests/Edge/not a version.json", lost,
        ]
        #expect(
            try eventually {
                let findings = try admin(host, "/readyz", host: "localhost").json()["findings"]?.elements ?? []
                return findings.map { $0["path"] } == paths
                    && findings.allSatisfy { $0["message"]?.text?.isEmpty == false }
            }
        )
        // The rest is served: the model with the broken record too.
        #expect(try host.request("GET", "/models/Edge/1.0.0/Edge.aimodel/main.mlirb").status == 200)
    }

    @Test("On the public listener the same paths answer without detail")
    func publicStates() throws {
        let host = try RunningHost()
        for (target, status) in [("/healthz", "ok"), ("/readyz", "ready")] {
            let answer = try host.request("GET", target)
            #expect(answer.status == 200)
            #expect(answer["Cache-Control"] == "no-store")
            #expect(try answer.json() == ["status": .string(status)])
            try expectSameByHead(host, target)
        }
        try expectProblem("unknown-resource", host.request("GET", "/metrics"), at: "/metrics")
    }

    @Test("The admin listener lets no page of another site read it: never CORS")
    func noCrossOrigin() throws {
        let host = try RunningHost()
        for (method, target) in [
            ("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/nothing"), ("POST", "/readyz"), ("BREW", "/"),
            ("OPTIONS", "/readyz"), ("GET", "/problems/over-capacity"), ("GET", "/%zz"),
        ] {
            let answer = try host.connectToAdmin().request(method, target, [("Origin", "https://evil.example")])
            #expect(
                answer.fields.allSatisfy { !$0.name.lowercased().hasPrefix("access-control-") },
                "\(method) \(target)"
            )
        }
        let malformed = try host.connectToAdmin()
        try malformed.send("hello\r\n\r\n")
        try expectProblem("bad-request", malformed.response(), at: nil, isPublic: false)
    }

    @Test("Its problems, and what explains them")
    func problems() throws {
        let host = try RunningHost()
        let unknown = try host.connectToAdmin().request("GET", "/models")
        let document = try expectProblem("unknown-resource", unknown, at: "/models", isPublic: false)
        let type = try #require(document["type"]?.text)
        #expect(try host.connectToAdmin().request("GET", type).json()["type"] == .string(type))
        let method = try host.connectToAdmin().request("DELETE", "/readyz")
        try expectProblem("method-not-allowed", method, at: "/readyz", isPublic: false)
        let expectation = try host.connectToAdmin().request("GET", "/readyz", [("Expect", "x")])
        try expectProblem("expectation-failed", expectation, at: "/readyz", isPublic: false)
    }

    @Test(
        "421 to a Host that is neither its own address nor localhost: DNS rebinding (RFC 9110 15.5.20)",
        arguments: [
            "evil.example", "evil.example:8081", "localhost.evil.example", "127.0.0.1.evil.example", "localhost.",
            "192.0.2.1", "192.0.2.1:8081", "[2001:db8::1]", "[v1.evil]", "0.0.0.0", "127.1", "0x7f.0.0.1", "2130706433",
            "+127.0.0.1", "127.0.0.1x", "internal",
        ]
    )
    func foreign(_ name: String) throws {
        let host = try RunningHost()
        for target in ["/readyz", "/healthz", "/nothing"] {
            let answer = try admin(host, target, host: name)
            try expectProblem("misdirected-request", answer, at: target, isPublic: false)
            #expect(!answer.text.contains("findings"))
        }
        let absolute = try host.connectToAdmin().request("GET", "http://\(name)/readyz", host: "localhost")
        #expect(absolute.status == 421)
        let head = try admin(host, "/readyz", host: name, method: "HEAD")
        #expect(head.status == 421 && head["AIModel-Problem"] == "misdirected-request")
        #expect(try admin(host, "/readyz", host: name, method: "OPTIONS").status == 421)
        // Devices reach the public listener by whatever name it has.
        #expect(try host.connect().request("GET", "/healthz", host: name).status == 200)
    }

    @Test(
        "Its own names",
        arguments: [
            "localhost", "LocalHost", "localhost:8081", "localhost:1", "127.0.0.1", "127.0.0.1:9", "127.8.8.8", "[::1]",
            "[::1]:80",
        ]
    )
    func own(_ name: String) throws {
        #expect(try admin(RunningHost(), "/readyz", host: name).status == 200)
    }

    @Test("No browser leaves Host out, so that a probe may: HTTP/1.0, or an empty one")
    func noName() throws {
        let host = try RunningHost()
        #expect(try admin(host, "/readyz", host: nil, version: "1.0").status == 200)
        #expect(try admin(host, "/readyz", host: "").status == 200)
    }

    @Test(
        "Bound to one address it answers to that one, bound to all of them to any number, and to no name",
        arguments: [
            ("192.0.2.7:1", "192.0.2.7", true), ("192.0.2.7:1", "192.0.2.8", false), ("192.0.2.7:1", "localhost", true),
            ("[2001:db8::1]:1", "[2001:DB8:0:0::1]:9", true), ("[2001:db8::1]:1", "[2001:db8::2]", false),
            ("0.0.0.0:1", "192.0.2.8", true), ("0.0.0.0:1", "[2001:db8::2]", true), ("[::]:1", "192.0.2.8", true),
            ("0.0.0.0:1", "evil.example", false), ("unix:/x", "evil.example", true), ("unix:/x", "localhost", true),
        ]
    )
    func bound(_ address: String, _ name: String, _ isOwn: Bool) throws {
        let listening = ListenAddress(address)
        #expect(listening != nil)
        let host = AdminHost(listening)
        #expect(host.isOwn(Array(name.utf8).span) == isOwn)
    }

    @Test("No browser reaches a unix socket, so that a client of it may call the host what it likes")
    func unix() throws {
        let folder = try TemporaryFolder()
        let host = try RunningHost { $0.admin = .unix("\(folder.path)/admin.sock") }
        #expect(try admin(host, "/readyz", host: "admin.sock").status == 200)
    }

    @Test("A channel that leads nowhere, for all devices or for those outside its share")
    func lostChannels() throws {
        let host = try RunningHost()
        try host.store.publish(.standard())
        func findings() throws -> [String] {
            try admin(host, "/readyz", host: "localhost").json()["findings"]?.elements.map {
                "\($0["path"]?.text ?? ""): \($0["message"]?.text ?? "")"
            } ?? []
        }
        let published = try #require(Version("1.4.0"))
        let gone = try #require(Version("1.3.9"))
        let past = [PastVersion(version: gone, at: CatalogFixture.createdAt)]
        let channels = [
            "canary": Channel(version: published, share: 10, history: past), "stable": Channel(version: published),
            "whole": Channel(version: published, share: 100, history: past), "old": Channel(version: gone),
        ]
        let record = ModelRecord(
            channels: Dictionary(uniqueKeysWithValues: try channels.map { (try #require(ChannelName($0)), $1) }),
            withdrawals: []
        )
        try host.store.writeRecord(model: "Sam3", record)
        #expect(try eventually { try findings().count == 2 })
        let lines = try findings()
        #expect(lines.allSatisfy { $0.hasPrefix("manifests/Sam3/model.json: ") && $0.contains("1.3.9") })
        #expect(lines.first?.contains("canary") == true && lines.last?.contains("old") == true)
        try host.store.writeRecord(model: "Sam3", channels: ["old": "1.4.0"])
        #expect(try eventually { try findings().isEmpty })
    }

    @Test("The explanations are all there, as on the public listener")
    func explanations() throws {
        let host = try RunningHost()
        for path in ["/problems", "/problems/"] {
            #expect(try admin(host, path, host: "localhost").body == host.request("GET", path).body, "\(path)")
        }
    }

    @Test("A host without an admin listener")
    func none() throws {
        let host = try RunningHost { $0.admin = nil }
        #expect(host.server.adminAddress == nil)
        #expect(try host.request("GET", "/readyz").status == 200)
    }
}
