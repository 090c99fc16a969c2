import Foundation
import ModelCatalog
import ModelDelivery
import Synchronization
import TestSupport

/// A host, a proxy before it, and a device's library: what most of these tests are made of.
final class Device: Sendable {
    let server: RunningHost
    let proxy: FaultyProxy
    let folder: TemporaryFolder

    init(
        _ releases: ReleaseFixture...,
        script: @escaping @Sendable (FaultyProxy.Request, Int) -> Fault = { _, _ in .none }
    ) throws {
        let store = try ReleaseStore()
        for release in releases { try store.publish(release) }
        server = try RunningHost(store)
        proxy = try FaultyProxy(server, script: script)
        folder = try TemporaryFolder()
    }

    var libraryFolder: URL { URL(fileURLWithPath: folder.path + "/Models", isDirectory: true) }

    /// As after a start of the process: nothing but the folder is known.
    func library(_ configure: (inout DeliveryOptions) -> Void = { _ in }) throws -> ModelLibrary {
        try ModelLibrary(folder: libraryFolder, options: .testing(configure))
    }

    func host(
        _ version: VersionSelector = .latest,
        model: String = "Sam3",
        architecture: String = "h18p",
        os: String? = "27.1"
    ) throws -> ModelHost {
        try ModelHost(
            Self.url("http://127.0.0.1:\(proxy.port)"),
            model: model,
            version: version,
            device: DeliveryDevice(architecture: architecture, osVersion: os, platform: "iOS", identifier: "device-1")
        )
    }

    static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("\(text) is no URL") }
        return url
    }

    /// What lies below the library's folder and is not hidden: relative paths, with what is in them.
    func visibleFiles() throws -> [String: [UInt8]] {
        try Self.files(below: libraryFolder.path).filter { !$0.key.hasPrefix(".") }
    }

    static func files(below root: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in FileManager.default.enumerator(atPath: root)?.compactMap({ $0 as? String }) ?? [] {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder), !isFolder.boolValue
            else { continue }
            files[path] = Array(try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)")))
        }
        return files
    }

    /// What an installed version holds.
    static func content(of installed: InstalledModel) throws -> [String: [UInt8]] {
        try files(below: installed.folder.path)
    }
}

extension DeliveryOptions {
    /// Waits for nothing, leaves nothing to chance, and asks for no more room than is needed.
    static func testing(_ configure: (inout DeliveryOptions) -> Void = { _ in }) -> DeliveryOptions {
        var options = DeliveryOptions()
        options.spaceCheck = .downloadOnly
        options.seams.sleep = { _ in try Task.checkCancellation() }
        options.seams.random = { 0.5 }
        configure(&options)
        return options
    }
}

extension ReleaseFixture {
    /// What a device of this architecture should hold: the paths below the version's folder.
    func content(for assets: [String]) -> [String: [UInt8]] {
        var content: [String: [UInt8]] = [:]
        for asset in assets {
            for (path, file) in self.assets[asset] ?? [:] { content["\(asset)/\(path)"] = file.bytes }
        }
        for (path, file) in companions { content[path] = file.bytes }
        return content
    }

    /// A release with one file that matters: `main.mlirb` of so many bytes.
    static func single(_ count: Int = 100_000, version: String = "1.4.0", seed: UInt64 = 7) -> ReleaseFixture {
        ReleaseFixture(version: version, assets: ["Sam3.aimodel": ["main.mlirb": .pattern(count, seed: seed)]])
    }
}

extension ReleaseContent {
    var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}

/// The error that `work` throws; nil where it throws none.
func failure<Value>(
    of work: () async throws(DeliveryError) -> Value
) async -> DeliveryError? {
    do throws(DeliveryError) {
        _ = try await work()
        return nil
    } catch {
        return error
    }
}

/// Something that a closure of a seam counts or keeps.
final class Box<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    init(_ value: Value) { state = Mutex(value) }
    var value: Value { state.withLock { $0 } }
    func update<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { state.withLock { body(&$0) } }
}

/// Asks again until `condition` holds; false where it does not within 60 s. Unlike `eventually` it holds no thread, of
/// which the work that is waited for may need every one.
func until(_ condition: @Sendable () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return true
}
