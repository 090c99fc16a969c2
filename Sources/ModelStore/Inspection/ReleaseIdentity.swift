internal import ModelCatalog

/// As what a release is published: the options first, then the folder's manifest.json.
struct ReleaseIdentity {
    let model: ModelName
    let version: Version
    let minDeploymentVersion: OSVersion?

    init(_ options: ReleaseOptions, _ document: ReleaseDocument, folder: String) throws(InspectionError) {
        model = try Self.read("--model", options.model, "base", document.base, folder).parsed(
            as: "a model's name (a letter or digit, then up to 127 letters, digits and . _ -, and no asset's suffix)",
            ModelName.init
        )
        version = try Self.read("--version", options.version, "version", document.version, folder).parsed(
            as: "a version (a digit, then up to 63 letters, digits and . + -)",
            Version.init
        )
        let option = "--min-deployment-version"
        let key = "minDeploymentVersion"
        if options.minDeploymentVersion ?? document.minDeploymentVersion == nil {
            minDeploymentVersion = nil
        } else {
            let said = try Self.read(option, options.minDeploymentVersion, key, document.minDeploymentVersion, folder)
            minDeploymentVersion = try said.parsed(as: "one to three numbers as in 27.1", OSVersion.init)
        }
    }

    /// Something that was said, and where.
    private struct Said {
        let text: String
        let place: String

        func parsed<Value>(as rule: String, _ parse: (String) -> Value?) throws(InspectionError) -> Value {
            guard let value = parse(text) else { throw .malformed(where: place, text: text, rule: rule) }
            return value
        }
    }

    private static func read(
        _ option: String,
        _ given: String?,
        _ key: String,
        _ documented: String?,
        _ folder: String
    ) throws(InspectionError) -> Said {
        if let given { return Said(text: given, place: option) }
        let folder = PrintableText.of(folder)
        guard let documented else { throw .notGiven(folder: folder, option: option, key: key) }
        return Said(text: documented, place: "\(folder)/\(ReleaseDocument.name), \"\(key)\"")
    }
}
