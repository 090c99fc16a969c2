import Testing

@testable import ModelCatalog

/// Small makers, so that a test shows only what it is about. A literal that breaks its rule stops the test at once.
func model(_ text: String) throws -> ModelName { try #require(ModelName(text)) }
func version(_ text: String) throws -> Version { try #require(Version(text)) }
func channel(_ text: String) throws -> ChannelName { try #require(ChannelName(text)) }
func architecture(_ text: String) throws -> Architecture { try #require(Architecture(text)) }

/// A digest that is told apart by its last byte.
func digest(_ number: UInt8) throws -> ContentDigest {
    try #require(ContentDigest(bytes: [UInt8](repeating: 0, count: 31) + [number]))
}

func file(_ path: String, _ size: UInt64 = 1, _ number: UInt8 = 0) throws -> ManifestFile {
    ManifestFile(path: try #require(RelativePath(path)), size: size, digest: try digest(number))
}

func asset(_ name: String, _ files: [ManifestFile]? = nil, compile: CompileFacts? = nil) throws -> Asset {
    try Asset(
        name: try #require(AssetName(name)),
        files: try files ?? [file("metadata.json", 10), file("main.mlirb", 1000)],
        digest: try digest(0xA0),
        archiveDigest: try digest(0xA1),
        compile: compile
    )
}

func manifest(
    _ assets: [String],
    version text: String = "1.4.0",
    minimum: String? = nil,
    companions: [ManifestFile] = []
) throws -> Manifest {
    try Manifest(
        model: model("SAM3"),
        version: version(text),
        createdAt: try #require(Instant("2026-12-01T09:30:00Z")),
        minDeploymentVersion: try minimum.map { try #require(OSVersion($0)) },
        assets: try assets.map { try asset($0) },
        companions: companions
    )
}

func entry(_ versions: [String], record: ModelRecord = .empty) throws -> ModelEntry {
    let stamp = FileStamp(modifiedNanoseconds: 0, size: 0, inode: 0)
    return ModelEntry(
        name: try model("SAM3"),
        versions: try versions.map { VersionEntry(version: try version($0), stamp: stamp) },
        record: record
    )
}

func withdrawal(_ text: String, _ variant: String? = nil, reason: String = "wrong weights") throws -> Withdrawal {
    Withdrawal(
        version: try version(text),
        architecture: try variant.map(architecture),
        reason: reason,
        replacement: nil,
        at: "2026-12-01T09:30:00Z"
    )
}

/// xorshift64: the same numbers in every run.
struct FixedNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
