import Glibc
import HostService
import HostSystem
import TestSupport
import Testing

@Suite("A file that is exchanged while a loop keeps it open or in memory", .waits)
struct ReplacedFileTests {
    private static let files: [String: [UInt8]] = [
        "small.bin": ReleaseContent.patternBytes(300, seed: 1),
        "large.bin": ReleaseContent.patternBytes(40_000, seed: 2),
    ]

    /// A host whose loop holds the file already.
    private final class Held {
        let host: RunningHost
        let target: String
        let path: String
        let octets: [UInt8]
        /// One connection, and so one loop and one cache.
        private let connection: RawConnection

        init(_ name: String) throws {
            let store = try ReleaseStore()
            try store.publish(
                model: "M",
                version: "1.0.0",
                assets: ["M.aimodel": files.mapValues { .bytes($0) }]
            )
            host = try RunningHost(store)
            octets = try #require(files[name])
            target = "/models/M/1.0.0/M.aimodel/\(name)"
            path = store.publicPath("M", "1.0.0", "M.aimodel/\(name)")
            connection = try host.connect()
            try #require(get().body == octets)
        }

        func get() throws -> RawConnection.Response { try connection.request("GET", target) }

        func becomes(_ status: Int) throws -> Bool { try eventually { try get().status == status } }

        /// What was found in the trees; how this machine lets folders be watched is no part of it.
        func findings() throws -> [JSON] {
            let all = try host.connectToAdmin().request("GET", "/readyz").json()["findings"]?.elements ?? []
            return all.filter { $0["path"]?.text?.hasPrefix("Public/") == true }
        }
    }

    private static func rename(_ path: String, to other: String) throws {
        guard Glibc.rename(path, other) == 0 else { throw Errno.current }
    }

    @Test("The good octets put in the place of bad ones by rename are served soon after")
    func mendedByRename() throws {
        let held = try Held("large.bin")
        let bad = held.octets.map { $0 ^ 1 }
        try TemporaryFolder.writeInPlace(bad, to: held.path)
        // Of a file of this size nothing but its time tells that it was written over; verify finds that out.
        #expect(try held.get().body == bad)
        try TemporaryFolder.write(held.octets, to: held.path)
        #expect(try eventually { try held.get().body == held.octets })
    }

    @Test("A small file that is exchanged for other octets of its size is not answered from memory for ever")
    func smallOverwritten() throws {
        let held = try Held("small.bin")
        try TemporaryFolder.writeInPlace(held.octets.map { $0 ^ 1 }, to: held.path)
        #expect(try held.becomes(503))
        #expect(try held.findings().count == 1)
        try TemporaryFolder.write(held.octets, to: held.path)
        #expect(try held.becomes(200))
        #expect(try held.get().body == held.octets)
        #expect(try held.findings() == [])
    }

    @Test("A link in its place is asset-damaged, even one to the same file", arguments: files.keys.sorted())
    func link(_ name: String) throws {
        let held = try Held(name)
        try Self.rename(held.path, to: held.path + ".real")
        try Disk.link(held.path, to: held.path + ".real")
        #expect(try held.becomes(503))
        #expect(try held.get()["AIModel-Problem"] == "asset-damaged")
        #expect(try "\(held.findings())".contains("symbolic link"))
    }

    @Test("Its folder renamed away, and back", arguments: files.keys.sorted())
    func folder(_ name: String) throws {
        let held = try Held(name)
        let folder = held.host.store.publicPath("M", "1.0.0", "M.aimodel")
        try Self.rename(folder, to: folder + ".away")
        #expect(try held.becomes(503))
        try Self.rename(folder + ".away", to: folder)
        #expect(try held.becomes(200))
        #expect(try held.get().body == held.octets)
        #expect(try held.findings() == [])
    }
}
