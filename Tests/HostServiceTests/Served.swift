import HostService
import HostTransport
import ModelCatalog
import TestSupport
import Testing

/// A host that runs for the time of one suite, serving what the suite published.
struct ServedTrait: SuiteTrait, TestScoping {
    let publish: @Sendable (ReleaseStore) throws -> Void

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let store = try ReleaseStore()
        try publish(store)
        let host = try RunningHost(store)
        try await Served.$host.withValue(host) { try await function() }
    }
}

extension Trait where Self == ServedTrait {
    /// The suite's tests find a host that serves what `publish` published.
    static func served(_ publish: @escaping @Sendable (ReleaseStore) throws -> Void) -> ServedTrait {
        ServedTrait(publish: publish)
    }
}

/// What the suite's tests share.
enum Served {
    @TaskLocal static var host: RunningHost?

    /// The suite's host.
    static func running() throws -> RunningHost { try #require(host) }

    /// One request to the suite's host, on a connection of its own.
    static func request(
        _ method: String = "GET",
        _ target: String,
        _ fields: [(String, String)] = []
    ) throws -> RawConnection.Response {
        try running().request(method, target, fields)
    }

    static func get(_ target: String, _ fields: (String, String)...) throws -> RawConnection.Response {
        try request("GET", target, fields)
    }

    /// The octets of a file as they lie on the disk.
    static func octets(_ path: String) throws -> [UInt8] { try Disk.read(running().store.path("Public/\(path)")) }
}

extension RunningHost {
    /// What /readyz tells an operator of. How this machine lets folders be watched is no part of it: a user has so many
    /// inotify instances only, and other programs of his may have them.
    func findings() throws -> [JSON] {
        let all = try connectToAdmin().request("GET", "/readyz").json()["findings"]?.elements ?? []
        return all.filter { $0["path"] != "inotify" }
    }
}

extension RawConnection.Response {
    /// The names in order, without Date, which tells one second from another and nothing else.
    var names: [String] { fields.map(\.name).filter { $0 != "Date" } }

    /// Every field line in order, without Date.
    var lines: [String] { fields.filter { $0.name != "Date" }.map { "\($0.name): \($0.value)" } }

    /// The body as JSON; a failure where it is none.
    func json() throws -> JSON { try JSON(body) }
}
