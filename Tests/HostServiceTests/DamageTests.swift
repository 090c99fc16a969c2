import HostService
import TestSupport
import Testing

@Suite("asset-damaged: what is on the disk is not what the manifest says", .waits)
struct DamageTests {
    /// What happened to a file behind the publisher's back.
    enum Damage: String, CaseIterable {
        case missing, shorter, longer, otherContent, emptied, link, linkOutside, folder, linkedFolder

        func happen(to path: String, _ octets: [UInt8], _ store: ReleaseStore) throws {
            switch self {
            case .missing: try TemporaryFolder.remove(path)
            case .shorter: try TemporaryFolder.write(Array(octets.dropLast()), to: path)
            case .longer: try TemporaryFolder.write(octets + [0], to: path)
            case .otherContent: try TemporaryFolder.write(octets.map { $0 ^ 1 }, to: path)
            case .emptied: try TemporaryFolder.write([], to: path)
            case .link:
                // To the same octets, and beneath the root: still not the file that was published.
                try TemporaryFolder.write(octets, to: path + ".real")
                try TemporaryFolder.remove(path)
                try Disk.link(path, to: path + ".real")
            case .linkOutside:
                try TemporaryFolder.write(octets, to: store.path("outside"))
                try TemporaryFolder.remove(path)
                try Disk.link(path, to: store.path("outside"))
            case .folder:
                try TemporaryFolder.remove(path)
                try TemporaryFolder.makeFolder(path)
            case .linkedFolder:
                let folder = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
                try TemporaryFolder.write(octets, to: store.path("outside/\(path.split(separator: "/").last ?? "")"))
                try TemporaryFolder.remove(folder)
                try Disk.link(folder, to: store.path("outside"))
            }
        }
    }

    private static let files: [String: [UInt8]] = [
        "small.bin": ReleaseContent.patternBytes(300, seed: 1),
        "large.bin": ReleaseContent.patternBytes(40_000, seed: 2),
    ]

    private static func publish(_ store: ReleaseStore) throws {
        try store.publish(
            model: "M",
            version: "1.0.0",
            assets: [
                "M.aimodel": files.mapValues { .bytes($0) },
                "M.h18p.aimodelc": ["other.bin": .pattern(50, seed: 3)],
            ]
        )
        try store.publish(.minimal(model: "N"))
    }

    @Test(
        "It is never sent, the operator hears of it, the rest is served, and mended it is served again",
        arguments: Damage.allCases,
        ["small.bin", "large.bin"]
    )
    func damage(_ damage: Damage, _ name: String) throws {
        // The content of what is not kept in memory is verify's to look at: to hash gigabytes takes too long here.
        if damage == .otherContent, name == "large.bin" { return }
        let store = try ReleaseStore()
        try Self.publish(store)
        let octets = try #require(Self.files[name])
        let path = store.publicPath("M", "1.0.0", "M.aimodel/\(name)")
        try damage.happen(to: path, octets, store)
        let host = try RunningHost(store)
        let target = "/models/M/1.0.0/M.aimodel/\(name)"

        let document = try expectProblem("asset-damaged", host.request("GET", target), at: target)
        #expect(!"\(document)".contains(store.root))
        try expectSameByHead(host, target)
        #expect(try host.request("GET", target, [("Range", "bytes=0-9")]).status == 503)

        let finding = "Public/models/M/1.0.0/M.aimodel/\(name)"
        #expect(host.toldOperator.count { $0.hasPrefix("\(finding): ") } == 1)
        let findings = try host.connectToAdmin().request("GET", "/readyz").json()["findings"]?.elements ?? []
        #expect(findings.map { $0["path"] } == [.string(finding)])
        let message = findings.first?["message"]?.text ?? ""
        let isLink = [.link, .linkOutside, .linkedFolder].contains(damage)
        #expect(isLink ? message.contains("symbolic link") : !message.isEmpty)

        for rest in ["manifest.json", "M.h18p.aimodelc/other.bin", "M.aimodel", "resolve?arch=h18p", ""] {
            #expect(try host.request("GET", "/models/M/1.0.0/\(rest)").status == 200, "\(rest)")
        }
        #expect(try host.request("GET", "/models/N/1.4.0/N.aimodel/main.mlirb").text == "abc")

        if damage == .linkedFolder { try TemporaryFolder.remove(store.publicPath("M", "1.0.0", "M.aimodel")) }
        if damage == .folder { try TemporaryFolder.remove(path) }
        try TemporaryFolder.write(octets, to: path)
        let mended = try host.request("GET", target)
        #expect(mended.status == 200)
        #expect(mended.body == octets)
        #expect(try host.connectToAdmin().request("GET", "/readyz").json()["findings"] == [])
    }

    @Test("A large file that goes while its descriptor is kept is asset-damaged within a second or so")
    func vanished() throws {
        let host = try RunningHost()
        try Self.publish(host.store)
        host.server.reload()
        let target = "/models/M/1.0.0/M.aimodel/large.bin"
        #expect(try eventually { try host.request("GET", target).status == 200 })
        try TemporaryFolder.remove(host.store.publicPath("M", "1.0.0", "M.aimodel/large.bin"))
        #expect(try eventually { try host.request("GET", target).status == 503 })
    }

    /// What was found in the trees.
    private static func findings(_ host: RunningHost) throws -> [JSON?] {
        let all = try host.connectToAdmin().request("GET", "/readyz").json()["findings"]?.elements ?? []
        return all.map { $0["path"] }.filter { $0?.text?.hasPrefix("Public/") == true }
    }

    /// A host on which two files of M 1.0.0 and one of N were found damaged.
    private func damagedHost() throws -> RunningHost {
        let store = try ReleaseStore()
        try Self.publish(store)
        for path in ["M.aimodel/small.bin", "M.h18p.aimodelc/other.bin"] {
            try TemporaryFolder.remove(store.publicPath("M", "1.0.0", path))
        }
        try TemporaryFolder.remove(store.publicPath("N", "1.4.0", "N.aimodel/main.mlirb"))
        let host = try RunningHost(store)
        for path in [
            "M/1.0.0/M.aimodel/small.bin", "M/1.0.0/M.h18p.aimodelc/other.bin", "N/1.4.0/N.aimodel/main.mlirb",
        ] {
            try #require(try host.request("GET", "/models/\(path)").status == 503)
        }
        try #require(try Self.findings(host).count == 3)
        return host
    }

    @Test("What was found in a version goes with the version")
    func findingsOfARemovedVersion() throws {
        let host = try damagedHost()
        try host.store.publish(model: "M", version: "1.0.1", assets: ["M.aimodel": ["main.mlirb": "abc"]])
        #expect(try eventually { try host.request("GET", "/models/M/1.0.1/manifest.json").status == 200 })
        #expect(try Self.findings(host).count == 3)
        try host.store.removeManifest(model: "M", version: "1.0.0")
        let left: [JSON?] = ["Public/models/N/1.4.0/N.aimodel/main.mlirb"]
        #expect(try eventually { try Self.findings(host) == left })
        try TemporaryFolder.remove(host.store.path("manifests/N"))
        #expect(try eventually { try Self.findings(host) == [] })
    }

    @Test("A reload forgets what was found in the trees: mended files nobody asks for; the others are met again")
    func findingsAfterReload() throws {
        let host = try damagedHost()
        host.server.reload()
        #expect(try eventually { try Self.findings(host) == [] })
        #expect(try host.request("GET", "/models/M/1.0.0/M.aimodel/small.bin").status == 503)
        #expect(try Self.findings(host) == ["Public/models/M/1.0.0/M.aimodel/small.bin"])
    }

    struct BrokenManifest: CustomTestStringConvertible, Sendable {
        let says: String
        let bytes: [UInt8]
        var testDescription: String { says }

        static let all = [
            BrokenManifest(says: "empty", bytes: []),
            BrokenManifest(says: "cut short", bytes: Array(#"{"schemaVersion":1,"model":"M","#.utf8)),
            BrokenManifest(says: "no JSON", bytes: Array("<html>".utf8)),
            BrokenManifest(says: "a newer schema", bytes: Array(#"{"schemaVersion":2}"#.utf8)),
            BrokenManifest(says: "an older program's idea", bytes: Array(#"{"schemaVersion":1}"#.utf8)),
        ]
    }

    @Test("A manifest that cannot be used", arguments: BrokenManifest.all)
    func manifest(_ broken: BrokenManifest) throws {
        let store = try ReleaseStore()
        try Self.publish(store)
        try store.publish(model: "M", version: "2.0.0", assets: ["M.aimodel": ["main.mlirb": "two"]])
        let whole = try Disk.read(store.manifestPath("M", "2.0.0"))
        try TemporaryFolder.write(broken.bytes, to: store.manifestPath("M", "2.0.0"))
        let host = try RunningHost(store)

        for below in ["manifest.json", "M.aimodel/main.mlirb", "resolve?arch=h18p", "M.aimodel", ""] {
            let target = "/models/M/2.0.0/\(below)"
            let document = try expectProblem(
                "asset-damaged",
                host.request("GET", target),
                at: String(target.prefix { $0 != "?" })
            )
            let detail = document["detail"]?.text ?? ""
            #expect(detail.contains("The manifest of M 2.0.0 on this host cannot be read"))
            #expect(!detail.contains("what its manifest says"))
            try expectSameByHead(host, target)
        }
        let versions = try host.request("GET", "/models/M").json()["versions"]
        #expect(versions?[0]?["version"] == "2.0.0")
        #expect(versions?[0]?["problem"] == "asset-damaged")
        #expect(versions?[1]?["version"] == "1.0.0")
        #expect(versions?[1]?["problem"] == nil as JSON?)
        #expect(try host.request("GET", "/models/M/1.0.0/manifest.json").status == 200)
        let findings = try host.connectToAdmin().request("GET", "/readyz").json()["findings"]?.elements ?? []
        #expect(findings.map { $0["path"] } == ["manifests/M/2.0.0.json"])

        try TemporaryFolder.write(whole, to: store.manifestPath("M", "2.0.0"))
        #expect(try eventually { try host.request("GET", "/models/M/2.0.0/M.aimodel/main.mlirb").text == "two" })
        #expect(
            try eventually { try host.connectToAdmin().request("GET", "/readyz").json()["findings"] == [] }
        )
    }

    @Test("a record that cannot be read at the start: what was withdrawn is not known, so nothing is served for it")
    func brokenRecord() throws {
        let store = try ReleaseStore()
        try store.publish(.minimal(version: "1.0.0"))
        try store.publish(.minimal(model: "Sound", version: "1.0.0"))
        try TemporaryFolder.write(Array("{".utf8), to: store.recordPath("Sam3"))
        let host = try RunningHost(store)
        for target in ["/models/Sam3", "/models/Sam3/1.0.0/manifest.json", "/models/Sam3/latest/resolve?arch=h18p"] {
            let answer = try host.request("GET", target)
            #expect(answer.status == 503)
            #expect(answer["AIModel-Problem"] == "asset-damaged")
        }
        #expect(try host.request("GET", "/models/Sound/1.0.0/manifest.json").status == 200)
        try store.writeRecord(model: "Sam3", channels: ["stable": "1.0.0"])
        #expect(try eventually { try host.request("GET", "/models/Sam3/1.0.0/manifest.json").status == 200 })
    }
}
