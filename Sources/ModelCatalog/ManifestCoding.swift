extension Manifest {
    /// Reads a manifest and holds it against where it stands and against itself. Keys that are not known are ignored.
    ///
    /// - Parameters:
    ///   - model: whose folder the file lies in.
    ///   - version: which the file is named after.
    /// - Throws: what is wrong first, and where. Work is linear in the number of files, but for one sort.
    package static func decode(_ bytes: [UInt8], model: ModelName, version: Version) throws(ManifestError) -> Manifest {
        let document = try document(bytes)
        guard document.schemaVersion.value == schemaVersion else {
            throw .unsupportedSchema(document.schemaVersion.value)
        }
        guard sameBytes(document.model, model.text) else {
            throw .misplaced(key: "model", found: document.model, expected: model.text)
        }
        guard sameBytes(document.version, version.text) else {
            throw .misplaced(key: "version", found: document.version, expected: version.text)
        }
        guard let createdAt = Instant(document.createdAt) else {
            throw .invalid(at: "createdAt", document.createdAt, rule: "a date and time as in 2026-12-01T09:30:00Z")
        }
        var minimum: OSVersion?
        if let text = document.minDeploymentVersion {
            guard let parsed = OSVersion(text) else {
                throw .invalid(at: "minDeploymentVersion", text, rule: "one to three numbers as in 27.1")
            }
            minimum = parsed
        }
        var assets: [Asset] = []
        assets.reserveCapacity(document.assets.count)
        for (index, asset) in document.assets.enumerated() {
            assets.append(try asset.asset(at: "assets[\(index)]"))
        }
        let manifest = try Manifest(
            model: model,
            version: version,
            createdAt: createdAt,
            minDeploymentVersion: minimum,
            assets: assets,
            companions: try ManifestDocument.files(document.companions ?? [], at: "companions")
        )
        try check(architectures: document.architectures, of: manifest)
        return manifest
    }

    /// The canonical bytes: `decode` gives back an equal manifest, whose bytes are the same again.
    ///
    /// - Throws: what `JSONEncoder` throws; nothing that a manifest can hold is known to make it.
    package func encoded() throws -> [UInt8] {
        try JSONCoding.encode(ManifestDocument(self))
    }

    private static func document(_ bytes: [UInt8]) throws(ManifestError) -> ManifestDocument {
        do {
            return try JSONCoding.decode(ManifestDocument.self, from: bytes)
        } catch {
            if let schema = try? JSONCoding.decode(ManifestDocument.SchemaOnly.self, from: bytes).schemaVersion.value,
                schema != schemaVersion
            {
                throw .unsupportedSchema(schema)
            }
            switch error {
            case .notJSON(let detail): throw .notJSON(detail)
            case .malformed(let place, let detail): throw .malformed(at: place, detail)
            }
        }
    }

    private static func check(architectures texts: [String], of manifest: Manifest) throws(ManifestError) {
        for (index, text) in texts.enumerated() where Architecture(text) == nil {
            throw .invalid(at: "architectures[\(index)]", text, rule: "an architecture as in h18p")
        }
        let found = texts.sorted(by: precedesByBytes)
        let expected = manifest.architectures.map(\.text)
        guard found == expected else {
            throw .disagreement(at: "architectures", found: "\(found)", expected: "\(expected)")
        }
    }
}

extension ManifestDocument {
    fileprivate init(_ manifest: Manifest) {
        schemaVersion = JSONInteger(Manifest.schemaVersion)
        model = manifest.model.text
        version = manifest.version.text
        createdAt = manifest.createdAt.text
        minDeploymentVersion = manifest.minDeploymentVersion?.text
        architectures = manifest.architectures.map(\.text)
        assets = manifest.assets.map(AssetDocument.init)
        companions = manifest.companions.map(FileDocument.init)
    }

    fileprivate static func files(_ files: [FileDocument], at place: String) throws(ManifestError) -> [ManifestFile] {
        var result: [ManifestFile] = []
        result.reserveCapacity(files.count)
        for (index, file) in files.enumerated() {
            guard let path = RelativePath(file.path) else {
                throw .invalid(at: "\(place)[\(index)].path", file.path, rule: "a safe relative path")
            }
            guard let digest = ContentDigest(prefixed: file.digest) else {
                throw .invalidDigest(file.digest, at: "\(place)[\(index)].digest")
            }
            result.append(ManifestFile(path: path, size: file.size.value, digest: digest))
        }
        return result
    }
}

extension ManifestDocument.FileDocument {
    fileprivate init(_ file: ManifestFile) {
        path = file.path.text
        size = JSONInteger(file.size)
        digest = file.digest.prefixed
    }
}

extension ManifestDocument.AssetDocument {
    fileprivate init(_ asset: Asset) {
        name = asset.name.text
        base = asset.name.base
        kind = asset.name.kind.text
        architecture = asset.architecture?.text
        size = JSONInteger(asset.size)
        fileCount = JSONInteger(asset.fileCount)
        requiredFreeBytes = JSONInteger(asset.requiredFreeBytes)
        digest = asset.digest.prefixed
        archive = .init(
            name: asset.archive.name,
            size: JSONInteger(asset.archive.size),
            digest: asset.archive.digest.prefixed
        )
        compile = asset.compile.map {
            .init(
                platform: $0.platform,
                preferredCompute: $0.preferredCompute,
                expectFrequentReshapes: $0.expectFrequentReshapes
            )
        }
        files = asset.files.map(ManifestDocument.FileDocument.init)
    }

    /// The asset, whose every derived figure is computed anew and must be the one that stands here.
    fileprivate func asset(at place: String) throws(ManifestError) -> Asset {
        guard let parsed = AssetName(name) else {
            throw .invalid(
                at: "\(place).name",
                name,
                rule: "an asset's name: <base>.<architecture>.aimodelc or <base>.aimodel"
            )
        }
        try agree(base, parsed.base, at: "\(place).base")
        try agree(kind, parsed.kind.text, at: "\(place).kind")
        try agree(architecture ?? "null", parsed.architecture?.text ?? "null", at: "\(place).architecture")
        guard let digest = ContentDigest(prefixed: digest) else {
            throw .invalidDigest(self.digest, at: "\(place).digest")
        }
        guard let archiveDigest = ContentDigest(prefixed: archive.digest) else {
            throw .invalidDigest(archive.digest, at: "\(place).archive.digest")
        }
        let asset = try Asset(
            name: parsed,
            files: try ManifestDocument.files(files, at: "\(place).files"),
            digest: digest,
            archiveDigest: archiveDigest,
            requiredFreeBytes: requiredFreeBytes.value,
            compile: compile.map {
                CompileFacts(
                    platform: $0.platform,
                    preferredCompute: $0.preferredCompute,
                    expectFrequentReshapes: $0.expectFrequentReshapes
                )
            }
        )
        try agree("\(size.value)", "\(asset.size)", at: "\(place).size")
        try agree("\(fileCount.value)", "\(asset.fileCount)", at: "\(place).fileCount")
        try agree(archive.name, asset.archive.name, at: "\(place).archive.name")
        try agree("\(archive.size.value)", "\(asset.archive.size)", at: "\(place).archive.size")
        return asset
    }

    private func agree(_ found: String, _ expected: String, at place: String) throws(ManifestError) {
        guard sameBytes(found, expected) else {
            throw .disagreement(at: place, found: found, expected: expected)
        }
    }
}

extension ManifestError {
    fileprivate static func invalidDigest(_ text: String, at place: String) -> ManifestError {
        .invalid(at: place, text, rule: "a digest: sha256: and 64 lower-case hex digits")
    }
}
