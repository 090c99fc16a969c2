import Glibc
import ModelCatalog
import TestSupport
import Testing

/// Releases with long and odd names, an empty file, and a thousand files.
enum ArchiveFixture {
    @Sendable static func publish(_ store: ReleaseStore) throws {
        try store.publish(ReleaseFixture.standard())
        try store.publish(
            model: "Odd",
            version: "1.0.0",
            assets: [
                "Odd.aimodel": [
                    "main.mlirb": .pattern(20_000), "empty": "", "é/\(String(repeating: "long", count: 40)).bin": "x",
                    "a+b %#.txt": "names",
                ]
            ]
        )
        try store.publish(
            model: "Many",
            version: "1.0.0",
            assets: [
                "Many.aimodel": Dictionary(
                    uniqueKeysWithValues: (0..<1000).map { ("folder/file-\($0)", .pattern($0, seed: UInt64($0))) }
                )
            ]
        )
    }
}

@Suite("Archives of whole assets", .waits, .served(ArchiveFixture.publish))
struct ArchiveTests {
    private static let target = "/models/Sam3/1.4.0/Sam3.h18p.aimodelc.tar"

    /// The archive as its layout has it, from the files on the disk.
    static func octets(of asset: String, _ model: String, _ version: String, _ host: RunningHost) throws -> [UInt8] {
        let manifest = try manifest(model, version, host)
        let layout = ArchiveLayout(asset: try #require(manifest.asset(named: asset)))
        var octets: [UInt8] = []
        for placed in layout.spans() {
            switch placed.span {
            case .bytes(let bytes): octets += bytes
            case .zeros(let count): octets += [UInt8](repeating: 0, count: count)
            case .file(let index, _):
                let path = "Public/models/\(model)/\(version)/\(asset)/\(layout.files[index].path)"
                octets += try Disk.read(host.store.path(path))
            }
        }
        return octets
    }

    private static func manifest(_ model: String, _ version: String, _ host: RunningHost) throws -> Manifest {
        try Manifest.decode(
            Disk.read(host.store.manifestPath(model, version)),
            model: #require(ModelName(model)),
            version: #require(Version(version))
        )
    }

    @Test(
        "the octets, length, tag and digest that the manifest promises",
        arguments: [("Sam3", "1.4.0"), ("Odd", "1.0.0"), ("Many", "1.0.0")]
    )
    func whole(_ model: String, _ version: String) throws {
        let host = try Served.running()
        for asset in try Self.manifest(model, version, host).assets {
            let answer = try host.request("GET", "/models/\(model)/\(version)/\(asset.archive.name)")
            #expect(answer.status == 200)
            #expect(try answer.body == Self.octets(of: asset.name.text, model, version, host))
            #expect(ContentDigest.sha256(of: answer.body) == asset.archive.digest)
            #expect(answer["Content-Length"] == "\(asset.archive.size)")
            #expect(answer["ETag"] == "\"\(asset.archive.digest.hex)\"")
            #expect(answer["Repr-Digest"] == "sha-256=:\(asset.archive.digest.base64):")
            #expect(answer["Content-Type"] == "application/x-tar")
            try expectSameByHead(host, "/models/\(model)/\(version)/\(asset.archive.name)")
        }
    }

    @Test("RFC 9110 14.2: a range begins and ends anywhere: within headers, files and padding")
    func ranges() throws {
        let host = try Served.running()
        let octets = try Self.octets(of: "Many.aimodel", "Many", "1.0.0", host)
        let connection = try host.connect()
        var first = 0
        for step in 1...200 {
            let last = min(octets.count - 1, first + step * 37)
            let answer = try connection.request(
                "GET",
                "/models/Many/1.0.0/Many.aimodel.tar",
                [("Range", "bytes=\(first)-\(last)")]
            )
            #expect(answer.status == 206)
            #expect(answer.body == Array(octets[first...last]), "bytes=\(first)-\(last)")
            first = (first + 4999) % octets.count
        }
    }

    @Test(
        "what has no archive says why",
        arguments: [
            ("/models/Sam3/1.4.0/Sam3.h11p.aimodelc.tar", "no-variant-for-architecture"),
            ("/models/Sam3/1.4.0/Other.aimodel.tar", "unknown-asset"),
            ("/models/Sam3/1.4.0/Sam3.aimodel.tar/main.mlirb", "unknown-file"),
            ("/models/Sam3/1.4.0/Sam3.aimodel.tar/", "unknown-file"),
            ("/models/Sam3/1.4.0/tokenizer.tar", "unknown-file"),
            ("/models/Sam3/9.9.9/Sam3.aimodel.tar", "unknown-version"),
        ]
    )
    func refusals(_ target: String, _ code: String) throws {
        let answer = try Served.get(target)
        #expect(answer["AIModel-Problem"] == code)
        try expectSameByHead(Served.running(), target)
    }

    @Test("an archive that is under way ends as it began, although its files are removed meanwhile")
    func removedMeanwhile() throws {
        let host = try RunningHost()
        // More than the sockets' buffers take, so that the second file's turn has not come when it is removed.
        let files: [String: ReleaseContent] = ["a.bin": .pattern(24 << 20), "b.bin": .pattern(100_000), "c": "small"]
        try host.store.publish(model: "Going", version: "1.0.0", assets: ["Going.aimodel": files])
        #expect(try eventually { try host.request("GET", "/models/Going/1.0.0/manifest.json").status == 200 })
        let asset = try #require(Self.manifest("Going", "1.0.0", host).asset(named: "Going.aimodel"))

        let connection = try host.connect()
        let target = "/models/Going/1.0.0/Going.aimodel.tar"
        try connection.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        var octets = try connection.read(atLeast: 4096)
        for file in files.keys {
            #expect(unlink(host.store.publicPath("Going", "1.0.0", "Going.aimodel/\(file)")) == 0)
        }
        octets += try connection.readToEnd()
        let size = Int(asset.archive.size)
        #expect(octets.count > size)
        #expect(ContentDigest.sha256(of: Array(octets.suffix(size))) == asset.archive.digest)
    }

    @Test("one damaged file: the archive is refused before its head, and served again once the file is mended")
    func damaged() throws {
        let host = try RunningHost()
        try host.store.publish(ReleaseFixture.standard())
        #expect(try eventually { try host.request("GET", Self.target).status == 200 })
        let file = host.store.publicPath("Sam3", "1.4.0", "Sam3.h18p.aimodelc/main-h18p.mlirb")
        let whole = try Disk.read(file)
        try TemporaryFolder.writeInPlace(Array(whole.dropLast()), to: file)
        // Until the server looks at the files again, which is within a second, an answer may end before its length.
        #expect(eventually { (try? host.request("GET", Self.target))?.status == 503 })
        #expect(try host.request("GET", Self.target)["AIModel-Problem"] == "asset-damaged")
        #expect(try host.request("GET", "/models/Sam3/1.4.0/Sam3.aimodel.tar").status == 200)
        try TemporaryFolder.writeInPlace(whole, to: file)
        #expect(try eventually { try host.request("GET", Self.target).status == 200 })
    }
}
