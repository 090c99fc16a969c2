package import ModelCatalog

/// Where things lie in a store; the one place that knows.
///
/// Paths are relative unless their name says `absolute`. They are made of checked names, so no part of one can lead
/// elsewhere.
package struct StoreLayout: Hashable, Sendable {
    /// The folder of the store, as the operator wrote it.
    package let root: String

    package init(root: String) {
        self.root = root.isEmpty ? "." : root
    }

    /// The document root's name below the store's.
    package static let publicFolder = "Public"
    /// The name of the folder of manifests below the store's.
    package static let manifestsFolder = "manifests"
    /// The file of a model that holds its channels and withdrawals.
    package static let recordFile = "model.json"
    package static let manifestSuffix = ".json"

    package var absolutePublicFolder: String { root + "/" + Self.publicFolder }
    package var absoluteManifestsFolder: String { root + "/" + Self.manifestsFolder }

    /// The folder of a model's manifests; a path for inotify, which takes no descriptor.
    package func absoluteManifestsFolder(of model: ModelName) -> String {
        absoluteManifestsFolder + "/" + model.text
    }

    /// Below the store's folder, such as `manifests/Sam3`.
    package static func manifestsFolder(of model: ModelName) -> String {
        manifestsFolder + "/" + model.text
    }

    /// The name of a version's manifest in its model's folder.
    package static func manifestFile(of version: Version) -> String {
        version.text + manifestSuffix
    }

    /// Below the store's folder, such as `manifests/Sam3/1.4.0.json`.
    package static func manifestPath(_ model: ModelName, _ version: Version) -> String {
        manifestsFolder(of: model) + "/" + manifestFile(of: version)
    }

    /// Below the store's folder, such as `manifests/Sam3/model.json`.
    package static func recordPath(_ model: ModelName) -> String {
        manifestsFolder(of: model) + "/" + recordFile
    }

    /// Below the document root, such as `models/Sam3/1.4.0`.
    package static func publicFolder(_ model: ModelName, _ version: Version) -> String {
        "models/" + model.text + "/" + version.text
    }

    /// The version whose tree holds the folder at `path` below the store's folder; nil where it lies in no version's.
    static func publishedVersion(of path: String) -> (model: String, version: Version)? {
        // By octets: a slash that a combining mark follows is no Character of its own.
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 4)
        guard segments.count > 3, segments[0].elementsEqual(publicFolder.utf8),
            segments[1].elementsEqual("models".utf8), let version = Version(String(Substring(segments[3])))
        else { return nil }
        return (String(Substring(segments[2])), version)
    }

    /// A file of an asset below the document root, for `PublicTree.open`.
    package static func publicPath(
        _ model: ModelName,
        _ version: Version,
        asset: AssetName,
        file: RelativePath
    ) -> String {
        publicFolder(model, version) + "/" + asset.text + "/" + file.text
    }

    /// A companion below the document root, for `PublicTree.open`.
    package static func publicPath(_ model: ModelName, _ version: Version, companion: RelativePath) -> String {
        publicFolder(model, version) + "/" + companion.text
    }
}
