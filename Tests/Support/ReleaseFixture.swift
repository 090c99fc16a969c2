import HostSystem
package import ModelCatalog
import ModelStore

/// A release as a test describes it: which files with what in them.
///
///     let store = try ReleaseStore()
///     try store.publish(.standard())
///     try store.publish(ReleaseFixture(version: "1.5.0", assets: ["Sam3.aimodel": ["main.mlirb": "abc"]]))
package struct ReleaseFixture: Sendable {
    package var model: String
    package var version: String
    /// By the asset's name and the path in it.
    package var assets: [String: [String: ReleaseContent]]
    /// By the path in the release.
    package var companions: [String: ReleaseContent]
    package var createdAt: String
    package var minDeploymentVersion: String?

    package init(
        model: String = "Sam3",
        version: String = "1.4.0",
        assets: [String: [String: ReleaseContent]],
        companions: [String: ReleaseContent] = [:],
        createdAt: String = "2025-12-01T09:30:00Z",
        minDeploymentVersion: String? = nil
    ) {
        self.model = model
        self.version = version
        self.assets = assets
        self.companions = companions
        self.createdAt = createdAt
        self.minDeploymentVersion = minDeploymentVersion
    }

    /// A release as builds make them: the portable tree, two architectures, companions in two folders, and every kind
    /// of name that somebody once stumbled over. About 80 kB; `seed` makes another content of the same shape.
    package static func standard(model: String = "Sam3", version: String = "1.4.0", seed: UInt64 = 1) -> ReleaseFixture
    {
        ReleaseFixture(
            model: model,
            version: version,
            assets: [
                "\(model).aimodel": [
                    "main.mlirb": .pattern(40_000, seed: seed),
                    "main.hash": .pattern(32, seed: seed &+ 1),
                    "metadata.json": #"{"assetVersion":"2.0"}"#,
                    "odd/a b+c%d#e?f&g=h.bin": .pattern(101, seed: seed &+ 2),
                    "odd/modèle é.bin": .pattern(102, seed: seed &+ 3),
                    "odd/v1..2.bin": .pattern(103, seed: seed &+ 4),
                    "odd/weights.gz": .pattern(104, seed: seed &+ 5),
                    "odd/empty": "",
                ],
                "\(model).h16p.aimodelc": compiled("h16p", seed: seed &+ 10),
                "\(model).h18p.aimodelc": compiled("h18p", seed: seed &+ 20),
            ],
            companions: [
                "tokenizer/tokenizer.json": #"{"version":"1.0"}"#,
                "tokenizer/vocab list.txt": .pattern(1000, seed: seed &+ 30),
                "metadata.json": #"{"metadata_version":"0.2","kind":"model"}"#,
            ],
            minDeploymentVersion: "27.0"
        )
    }

    /// The least that can be published.
    package static func minimal(model: String = "Sam3", version: String = "1.4.0") -> ReleaseFixture {
        ReleaseFixture(model: model, version: version, assets: ["\(model).aimodel": ["main.mlirb": "abc"]])
    }

    private static func compiled(_ architecture: String, seed: UInt64) -> [String: ReleaseContent] {
        let package = "main-\(architecture)-delegates/MPSGraph/mpsExecutable.mpsgraphpackage"
        return [
            "main-\(architecture).mlirb": .pattern(1600, seed: seed),
            "main.hash": .pattern(32, seed: seed &+ 1),
            "metadata.json": #"{"assetVersion":"2.0"}"#,
            "stats.json": "{}",
            "\(package)/manifest.plist": "<plist/>",
            "\(package)/resources.bin": .pattern(12_000, seed: seed &+ 2),
        ]
    }

    /// The manifest that a publisher would write. Throws what the catalog says is wrong with it.
    package func manifest() throws -> Manifest {
        guard let model = ModelName(model), let version = Version(version), let createdAt = Instant(createdAt) else {
            throw ReleaseFixtureError(description: "\(model) \(version) \(createdAt): not all of these are names")
        }
        let minimum = try minDeploymentVersion.map { text in
            guard let version = OSVersion(text) else {
                throw ReleaseFixtureError(description: "\(text) is no OS version")
            }
            return version
        }
        return try Manifest(
            model: model,
            version: version,
            createdAt: createdAt,
            minDeploymentVersion: minimum,
            assets: assets.map { try Self.asset($0.key, $0.value) },
            companions: Self.files(companions)
        )
    }

    private static func asset(_ name: String, _ contents: [String: ReleaseContent]) throws -> Asset {
        guard let name = AssetName(name) else { throw ReleaseFixtureError(description: "\(name) names no asset") }
        let files = try files(contents)
        return try Asset(
            name: name,
            files: files,
            digest: .sha256(of: Asset.digestInput(files)),
            archiveDigest: archiveDigest(ArchiveLayout(name: name, files: files), contents)
        )
    }

    private static func archiveDigest(_ layout: ArchiveLayout, _ contents: [String: ReleaseContent]) -> ContentDigest {
        if layout.size > ReleaseContent.hashedUpTo { return .sha256(of: Array("\(layout.size) octets".utf8)) }
        var hash = SHA256()
        for placed in layout.spans() {
            switch placed.span {
            case .bytes(let bytes): hash.update(bytes)
            case .zeros(let count): hash.updateZeros(UInt64(count))
            case .file(let index, _): contents[layout.files[index].path.text]?.add(to: &hash)
            }
        }
        return .finishing(hash)
    }

    private static func files(_ contents: [String: ReleaseContent]) throws -> [ManifestFile] {
        try contents.map { path, content in
            guard let path = RelativePath(path) else {
                throw ReleaseFixtureError(description: "\(path) is no path of a release")
            }
            return ManifestFile(path: path, size: content.size, digest: content.digest)
        }
    }
}

/// A test described a release that cannot be.
package struct ReleaseFixtureError: Error, CustomStringConvertible {
    package let description: String
}
