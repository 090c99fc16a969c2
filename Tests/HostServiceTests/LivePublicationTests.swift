import HostService
import HostSystem
import HostTransport
import ModelCatalog
import TestSupport
import Testing

@Suite("Publishing into the folders of a running host", .waits)
struct LivePublicationTests {
    private func status(_ host: RunningHost, _ target: String) throws -> Int {
        try host.request("GET", target).status
    }

    @Test("A model that appears is served, whole from its first answer on; nobody has to be told")
    func newModel() throws {
        let host = try RunningHost()
        #expect(try status(host, "/models/Sam3") == 404)
        let manifest = try host.store.publish(.standard())
        #expect(try eventually { try status(host, "/models/Sam3/1.4.0/manifest.json") == 200 })
        for asset in manifest.assets {
            for file in asset.files {
                let path = "\(asset.name)/\(file.path)"
                let answer = try host.request(
                    "GET",
                    "/models/Sam3/1.4.0/" + path.utf8.map { NameFixture.encoded($0) }.joined()
                )
                #expect(answer.status == 200)
                #expect(answer["ETag"] == "\"\(file.digest.hex)\"")
                #expect(answer.body == (try Disk.read(host.store.publicPath("Sam3", "1.4.0", path))))
            }
        }
        #expect(try host.request("GET", "/models").json()["models"]?[0]?["name"] == "Sam3")
        #expect(host.toldOperator.isEmpty)
    }

    @Test("A new version is what latest means from then on; the connection is kept")
    func newVersion() throws {
        let store = try ReleaseStore()
        try store.publish(.minimal(version: "1.0.0"))
        let host = try RunningHost(store)
        let connection = try host.connect()
        let listing = try connection.request("GET", "/models/Sam3")
        #expect(try connection.request("GET", "/models/Sam3/latest")["Location"] == "/models/Sam3/1.0.0")
        try store.publish(.minimal(version: "1.1.0-rc.1"))
        try store.publish(.minimal(version: "1.1.0"))
        #expect(
            try eventually { try connection.request("GET", "/models/Sam3/latest")["Location"] == "/models/Sam3/1.1.0" }
        )
        // A client that kept the old listing learns that it is old.
        let tag = try #require(listing["ETag"])
        #expect(try connection.request("GET", "/models/Sam3", [("If-None-Match", tag)]).status == 200)
        #expect(try connection.request("GET", "/models/Sam3/1.0.0/Sam3.aimodel/main.mlirb").text == "abc")
    }

    @Test("A channel that is moved")
    func movedChannel() throws {
        let store = try ReleaseStore()
        for version in ["1.0.0", "2.0.0"] { try store.publish(.minimal(version: version)) }
        try store.writeRecord(model: "Sam3", channels: ["stable": "1.0.0"])
        let host = try RunningHost(store)
        #expect(try host.request("GET", "/models/Sam3/stable")["Location"] == "/models/Sam3/1.0.0")
        try store.writeRecord(model: "Sam3", channels: ["stable": "2.0.0"])
        #expect(try eventually { try host.request("GET", "/models/Sam3/stable")["Location"] == "/models/Sam3/2.0.0" })
        try TemporaryFolder.remove(store.recordPath("Sam3"))
        #expect(try eventually { try status(host, "/models/Sam3/stable") == 404 })
    }

    @Test("A withdrawal counts for what was just served, too, and can be taken back")
    func withdrawal() throws {
        let store = try ReleaseStore()
        try store.publish(.standard())
        let host = try RunningHost(store)
        let connection = try host.connect()
        let small = "/models/Sam3/1.4.0/metadata.json"
        let large = "/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb"
        let variant = "/models/Sam3/1.4.0/Sam3.h16p.aimodelc/main.hash"
        for target in [small, large, variant] { #expect(try connection.request("GET", target).status == 200) }
        let variantOnly = try #require(CatalogFixture.withdrawal("1.4.0", "h16p", "crash", nil))
        try store.writeRecord(model: "Sam3", withdrawals: [variantOnly])
        #expect(try eventually { try connection.request("GET", variant).status == 410 })
        #expect(try connection.request("GET", large).status == 200)
        let all = try #require(CatalogFixture.withdrawal("1.4.0", nil, "recall", nil))
        try store.writeRecord(model: "Sam3", withdrawals: [all])
        #expect(try eventually { try connection.request("GET", small).status == 410 })
        #expect(try connection.request("GET", large).status == 410)
        try store.writeRecord(model: "Sam3")
        #expect(try eventually { try connection.request("GET", large).status == 200 })
        #expect(try connection.request("GET", variant).status == 200)
    }

    @Test("A manifest that goes: unknown-version; the last one, and the model is unknown")
    func removed() throws {
        let store = try ReleaseStore()
        for version in ["1.0.0", "2.0.0"] { try store.publish(.minimal(version: version)) }
        let host = try RunningHost(store)
        let file = "/models/Sam3/2.0.0/Sam3.aimodel/main.mlirb"
        #expect(try status(host, file) == 200)
        try store.removeManifest(model: "Sam3", version: "2.0.0")
        #expect(try eventually { try status(host, file) == 404 })
        try expectProblem("unknown-version", host.request("GET", file), at: file)
        #expect(try host.request("GET", "/models/Sam3/latest")["Location"] == "/models/Sam3/1.0.0")
        try TemporaryFolder.remove(store.path("manifests/Sam3"))
        #expect(try eventually { try host.request("GET", file)["AIModel-Problem"] == "unknown-model" })
    }

    @Test("A manifest that is written in place and seen torn, then whole")
    func torn() throws {
        let store = try ReleaseStore()
        try store.publish(.minimal(version: "1.0.0"))
        try store.publish(.minimal(version: "2.0.0"))
        let path = store.manifestPath("Sam3", "2.0.0")
        let whole = try Disk.read(path)
        try store.removeManifest(model: "Sam3", version: "2.0.0")
        let host = try RunningHost(store)
        let target = "/models/Sam3/2.0.0/Sam3.aimodel/main.mlirb"
        try TemporaryFolder.writeInPlace(Array(whole.prefix(whole.count / 2)), to: path)
        #expect(try eventually { try status(host, target) == 503 })
        #expect(try status(host, "/models/Sam3/1.0.0/manifest.json") == 200)
        try TemporaryFolder.writeInPlace(whole, to: path)
        #expect(try eventually { try status(host, target) == 200 })
        #expect(try host.request("GET", "/models/Sam3/2.0.0/manifest.json").body == whole)
    }

    @Test("SIGHUP's way: the whole store is looked at anew")
    func reload() throws {
        let host = try RunningHost()
        try host.store.publish(.minimal())
        host.server.reload()
        #expect(try eventually { try status(host, "/models/Sam3/1.4.0/manifest.json") == 200 })
        host.server.reload()
        #expect(try status(host, "/models/Sam3/1.4.0/manifest.json") == 200)
    }

    /// What happens to a version while it is downloaded.
    enum Meanwhile: String, CaseIterable {
        case anotherPublished, unpublished, filesRemoved, fileReplaced, withdrawn

        func happen(_ store: ReleaseStore) throws {
            let file = store.publicPath("Big", "1.0.0", "Big.aimodel/main.mlirb")
            switch self {
            case .anotherPublished: try store.publish(.minimal(model: "Big", version: "2.0.0"))
            case .unpublished: try store.removeManifest(model: "Big", version: "1.0.0")
            case .filesRemoved:
                try store.removeManifest(model: "Big", version: "1.0.0")
                try TemporaryFolder.remove(store.path("Public/models/Big/1.0.0"))
            case .fileReplaced: try TemporaryFolder.write(Array("other".utf8), to: file)
            case .withdrawn:
                let withdrawal = try #require(CatalogFixture.withdrawal("1.0.0", nil, "recall", nil))
                try store.writeRecord(model: "Big", withdrawals: [withdrawal])
            }
        }

        /// What a new request is told, once the host has seen it.
        var afterwards: String? {
            switch self {
            case .anotherPublished: nil
            case .unpublished, .filesRemoved: "unknown-model"
            case .fileReplaced: "asset-damaged"
            case .withdrawn: "version-withdrawn"
            }
        }
    }

    /// More than the kernel buffers on both sides, so that a good part of it is still on the disk.
    private static let large = ReleaseContent.patternBytes(10 << 20, seed: 7)

    @Test("A download that is under way ends with the octets it began with", arguments: Meanwhile.allCases)
    func underWay(_ meanwhile: Meanwhile) throws {
        let octets = Self.large
        let store = try ReleaseStore()
        try store.publish(model: "Big", version: "1.0.0", assets: ["Big.aimodel": ["main.mlirb": .bytes(octets)]])
        let host = try RunningHost(store)
        let target = "/models/Big/1.0.0/Big.aimodel/main.mlirb"
        let download = try host.connect(receiveBuffer: 64 << 10)
        try download.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(download.hasNews(within: 60_000))
        try meanwhile.happen(store)
        if let code = meanwhile.afterwards {
            #expect(try eventually { try host.request("GET", target)["AIModel-Problem"] == code })
        } else {
            #expect(try eventually { try status(host, "/models/Big/2.0.0/manifest.json") == 200 })
        }
        let answer = try download.response()
        #expect(answer.status == 200)
        #expect(answer.body == octets)
        // The connection goes on, in today's catalog.
        #expect(try download.request("GET", target)["AIModel-Problem"] == meanwhile.afterwards)
    }

    @Test("Total and length agree in every answer while versions come and go")
    func steady() throws {
        let store = try ReleaseStore()
        try store.publish(.standard())
        let host = try RunningHost(store)
        let connection = try host.connect()
        for round in 0..<40 {
            if round % 4 == 0 { try store.publish(.minimal(version: "2.0.\(round)")) }
            let whole = try connection.request("GET", "/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb")
            let part = try connection.request(
                "GET",
                "/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb",
                [("Range", "bytes=5-9")]
            )
            #expect(whole["Content-Length"] == "40000")
            #expect(part["Content-Range"] == "bytes 5-9/40000")
            #expect(part.body == Array(whole.body[5...9]))
        }
    }
}
