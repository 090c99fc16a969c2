internal import ModelCatalog

/// One thing in which a release differs from what is published under its version.
package struct ReleaseDifference: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable {
        /// Not in what is published.
        case added
        /// Only in what is published.
        case removed
        case changed
    }

    package let kind: Kind
    /// A file's path within the release; or what else differs, such as `minDeploymentVersion`.
    package let subject: String
    /// What it was and what it would be, where that can be said in a few words; empty otherwise.
    package let detail: String

    package var description: String {
        detail.isEmpty ? "\(kind.rawValue): \(subject)" : "\(kind.rawValue): \(subject) (\(detail))"
    }

    /// All differences: files by their paths first, then what is said of the release as a whole. Empty where
    /// `published` has the same content as `offered`.
    static func between(published: Manifest, offered: Manifest) -> [ReleaseDifference] {
        var differences = ofFiles(files(published), files(offered))
        if published.minDeploymentVersion != offered.minDeploymentVersion {
            differences.append(
                .init(
                    kind: .changed,
                    subject: "minDeploymentVersion",
                    detail: told(published.minDeploymentVersion?.text, offered.minDeploymentVersion?.text)
                )
            )
        }
        for asset in offered.assets {
            guard let before = published.asset(named: asset.name.text) else { continue }
            if before.compile != asset.compile {
                differences.append(.init(kind: .changed, subject: "compile facts of \(asset.name)", detail: ""))
            }
            // Of other files another figure follows.
            if before.size == asset.size, before.requiredFreeBytes != asset.requiredFreeBytes {
                differences.append(
                    .init(
                        kind: .changed,
                        subject: "requiredFreeBytes of \(asset.name)",
                        detail: told(String(before.requiredFreeBytes), String(asset.requiredFreeBytes))
                    )
                )
            }
        }
        return differences
    }

    private static func ofFiles(
        _ published: [RelativePath: ManifestFile],
        _ offered: [RelativePath: ManifestFile]
    ) -> [ReleaseDifference] {
        Set(published.keys).union(offered.keys).sorted().compactMap { path in
            switch (published[path], offered[path]) {
            case (nil, _): return .init(kind: .added, subject: path.text, detail: "")
            case (_, nil): return .init(kind: .removed, subject: path.text, detail: "")
            case (let before?, let after?):
                if before.digest == after.digest { return nil }
                let detail =
                    before.size == after.size
                    ? "the same size, other bytes" : "\(before.size) octets published, \(after.size) now"
                return .init(kind: .changed, subject: path.text, detail: detail)
            }
        }
    }

    private static func told(_ before: String?, _ after: String?) -> String {
        "\(before ?? "none") published, \(after ?? "none") now"
    }

    /// By the path within the release.
    private static func files(_ manifest: Manifest) -> [RelativePath: ManifestFile] {
        var files: [RelativePath: ManifestFile] = [:]
        for file in manifest.companions { files[file.path] = file }
        for asset in manifest.assets {
            for file in asset.files {
                // An asset's name is a safe segment; only the whole may be longer than a path can be, and then it was
                // never stored.
                if let path = RelativePath(asset.name.text + "/" + file.path.text) { files[path] = file }
            }
        }
        return files
    }
}
