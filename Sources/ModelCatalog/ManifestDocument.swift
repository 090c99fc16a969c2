/// A manifest as JSON has it, before anything about it is believed. Kept apart from `Manifest` so that neither the
/// wire's habits enter the domain nor the domain's changes the wire.
struct ManifestDocument: Codable {
    var schemaVersion: JSONInteger<Int>
    var model: String
    var version: String
    var createdAt: String
    var minDeploymentVersion: String?
    var architectures: [String]
    var assets: [AssetDocument]
    var companions: [FileDocument]?

    /// Read first where the whole does not parse: a newer schema may have another shape, and that is what to say.
    struct SchemaOnly: Decodable {
        var schemaVersion: JSONInteger<Int>
    }

    struct FileDocument: Codable {
        var path: String
        var size: JSONInteger<UInt64>
        var digest: String
    }

    struct ArchiveDocument: Codable {
        var name: String
        var size: JSONInteger<UInt64>
        var digest: String
    }

    struct CompileDocument: Codable {
        var platform: String?
        var preferredCompute: String?
        var expectFrequentReshapes: Bool?
    }

    struct AssetDocument: Codable {
        var name: String
        var base: String
        var kind: String
        var architecture: String?
        var size: JSONInteger<UInt64>
        var fileCount: JSONInteger<Int>
        var requiredFreeBytes: JSONInteger<UInt64>
        var digest: String
        var archive: ArchiveDocument
        var compile: CompileDocument?
        var files: [FileDocument]

        /// As synthesized, but for `architecture`: null is written out, so that "portable" is said and not left out.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(base, forKey: .base)
            try container.encode(kind, forKey: .kind)
            try container.encode(architecture, forKey: .architecture)
            try container.encode(size, forKey: .size)
            try container.encode(fileCount, forKey: .fileCount)
            try container.encode(requiredFreeBytes, forKey: .requiredFreeBytes)
            try container.encode(digest, forKey: .digest)
            try container.encode(archive, forKey: .archive)
            try container.encodeIfPresent(compile, forKey: .compile)
            try container.encode(files, forKey: .files)
        }
    }
}
