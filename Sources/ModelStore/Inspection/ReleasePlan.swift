package import HostSystem
package import ModelCatalog

/// A file that is to be published, as it was when the folder was inspected.
package struct SourceFile: Sendable {
    /// Within its asset; of a companion, within the release.
    package let path: RelativePath
    /// Relative to the release's folder.
    package let source: String
    /// What lstat(2) said: the publisher holds it against the file that it opens.
    package let status: FileStatus

    package init(path: RelativePath, source: String, status: FileStatus) {
        self.path = path
        self.source = source
        self.status = status
    }
}

/// An asset that is to be published.
package struct PlannedAsset: Sendable {
    package let name: AssetName
    package let compile: CompileFacts?
    /// Sorted by the bytes of the paths, at least one.
    package let files: [SourceFile]
    /// Which file `main.hash` speaks of (`SourceFile.source`), and the digest that it gives it. Whether that is true is
    /// found when the file is read for copying. Nil where there is no such file, or nothing that could be a digest.
    package let expectedProgramDigest: (source: String, ContentDigest)?

    package init(
        name: AssetName,
        compile: CompileFacts?,
        files: [SourceFile],
        expectedProgramDigest: (source: String, ContentDigest)?
    ) {
        self.name = name
        self.compile = compile
        self.files = files
        self.expectedProgramDigest = expectedProgramDigest
    }
}

/// What is to be published, and as what.
package struct ReleasePlan: Sendable {
    /// The release's folder as the operator wrote it.
    package let folder: String
    package let model: ModelName
    package let version: Version
    package let minDeploymentVersion: OSVersion?
    /// Sorted by name, at least one.
    package let assets: [PlannedAsset]
    /// Sorted by the bytes of the paths.
    package let companions: [SourceFile]
    /// Whether a program that `main.hash` does not speak true of is published all the same.
    package let hashMismatchAllowed: Bool
    /// Whether the release is copied although it probably does not fit: some file systems compress, or share blocks.
    package let notEnoughSpaceAllowed: Bool

    package init(
        folder: String,
        model: ModelName,
        version: Version,
        minDeploymentVersion: OSVersion?,
        assets: [PlannedAsset],
        companions: [SourceFile],
        hashMismatchAllowed: Bool,
        notEnoughSpaceAllowed: Bool = false
    ) {
        self.folder = folder
        self.model = model
        self.version = version
        self.minDeploymentVersion = minDeploymentVersion
        self.assets = assets
        self.companions = companions
        self.hashMismatchAllowed = hashMismatchAllowed
        self.notEnoughSpaceAllowed = notEnoughSpaceAllowed
    }

    /// The octets of all files together; no more than can be counted.
    package var size: UInt64 {
        var total: UInt64 = 0
        for files in assets.map(\.files) + [companions] {
            for file in files {
                let (sum, overflow) = total.addingReportingOverflow(UInt64(clamping: file.status.size))
                total = overflow ? .max : sum
            }
        }
        return total
    }
}

/// What a look at a build's folder gave.
package struct Inspection: Sendable {
    /// Sorted by path, then by id.
    package let findings: [PublishFinding]
    /// Nil while an error stands.
    package let plan: ReleasePlan?

    package init(findings: [PublishFinding], plan: ReleasePlan?) {
        self.findings = findings
        self.plan = plan
    }
}
