import Glibc
import HostSystem
package import ModelCatalog
import ModelStore

/// A store on disk that a test publishes to, in a folder that goes with it.
package final class ReleaseStore: Sendable {
    /// The store's folder, absolute: what `--root` is given.
    package let root: String
    private let temporary: TemporaryFolder?

    /// An empty store in a temporary folder.
    package init() throws {
        let temporary = try TemporaryFolder()
        self.temporary = temporary
        root = temporary.path
        try prepare()
    }

    /// An empty store in a folder that somebody else looks after.
    package init(_ root: String) throws {
        temporary = nil
        self.root = root
        try prepare()
    }

    private func prepare() throws {
        try TemporaryFolder.makeFolder("\(root)/Public/models")
        try TemporaryFolder.makeFolder("\(root)/manifests")
    }

    /// The absolute path of what lies at `path` below the store's folder, such as `manifests/Sam3/1.4.0.json`.
    package func path(_ path: String) -> String { "\(root)/\(path)" }

    /// Publishes the release: the trees first, then the manifest by rename.
    @discardableResult
    package func publish(_ release: ReleaseFixture) throws -> Manifest {
        let manifest = try release.manifest()
        let folder = "\(root)/Public/models/\(release.model)/\(release.version)"
        try Self.write(release.companions, into: folder)
        for (name, contents) in release.assets { try Self.write(contents, into: "\(folder)/\(name)") }
        try TemporaryFolder.write(manifest.encoded(), to: manifestPath(release.model, release.version))
        return manifest
    }

    /// Publishes a release of these files.
    @discardableResult
    package func publish(
        model: String,
        version: String,
        assets: [String: [String: ReleaseContent]],
        companions: [String: ReleaseContent] = [:],
        createdAt: String = "2026-12-01T09:30:00Z",
        minDeploymentVersion: String? = nil
    ) throws -> Manifest {
        try publish(
            ReleaseFixture(
                model: model,
                version: version,
                assets: assets,
                companions: companions,
                createdAt: createdAt,
                minDeploymentVersion: minDeploymentVersion
            )
        )
    }

    /// Writes the model's record by rename. A channel leads to a version for all devices: `["stable": "1.4.0"]`.
    package func writeRecord(
        model: String,
        channels: [String: String] = [:],
        withdrawals: [Withdrawal] = []
    ) throws {
        var parsed: [ChannelName: Channel] = [:]
        for (name, text) in channels {
            guard let channel = ChannelName(name), let version = Version(text) else {
                throw ReleaseFixtureError(description: "channel \(name) to \(text): not both are names")
            }
            parsed[channel] = Channel(version: version)
        }
        try writeRecord(model: model, ModelRecord(channels: parsed, withdrawals: withdrawals))
    }

    /// Writes the model's record by rename.
    package func writeRecord(model: String, _ record: ModelRecord) throws {
        try TemporaryFolder.write(record.encoded(model: ModelName(model)), to: recordPath(model))
    }

    /// Takes the version out of the catalog; its trees stay.
    package func removeManifest(model: String, version: String) throws {
        try TemporaryFolder.remove(manifestPath(model, version))
    }

    /// Absolute.
    package func manifestPath(_ model: String, _ version: String) -> String {
        "\(root)/manifests/\(model)/\(version).json"
    }

    /// Absolute.
    package func recordPath(_ model: String) -> String { "\(root)/manifests/\(model)/model.json" }

    /// Absolute; `path` as in `Sam3.aimodel/main.mlirb`, or a companion's.
    package func publicPath(_ model: String, _ version: String, _ path: String) -> String {
        "\(root)/Public/models/\(model)/\(version)/\(path)"
    }

    private static func write(_ contents: [String: ReleaseContent], into folder: String) throws {
        try TemporaryFolder.makeFolder(folder)
        for (path, content) in contents {
            let whole = "\(folder)/\(path)"
            try TemporaryFolder.makeFolder(
                String(whole[..<(whole.utf8.lastIndex(of: UInt8(ascii: "/")) ?? whole.endIndex)])
            )
            try content.write(to: whole)
        }
    }
}
