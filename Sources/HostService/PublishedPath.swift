internal import HTTPWire
internal import ModelCatalog

/// The URL paths of what is published: path-absolute and percent-encoded.
struct PublishedPath: Sendable {
    /// The listing of all models.
    static let models = "/models/"

    /// `/models/<model>/`
    static func model(_ name: ModelName) -> String {
        models + PercentDecoding.encode(path: name.text.utf8) + "/"
    }

    /// `/models/<model>/<version>/`
    private let prefix: String

    init(_ model: ModelName, _ version: Version) {
        prefix = Self.model(model) + PercentDecoding.encode(path: version.text.utf8) + "/"
    }

    init(_ manifest: Manifest) {
        self.init(manifest.model, manifest.version)
    }

    var folder: String { prefix }
    var manifest: String { prefix + "manifest.json" }

    /// A path below the version, such as `Sam3.aimodel/main.mlirb`.
    func path(_ below: String) -> String {
        prefix + PercentDecoding.encode(path: below.utf8)
    }

    /// `{url, size}` of an asset, or null.
    func reference(_ asset: Asset?) -> JSONValue {
        guard let asset else { return .null }
        return .object([("url", .string(path(asset.name.text))), ("size", .size(asset.size))])
    }
}
