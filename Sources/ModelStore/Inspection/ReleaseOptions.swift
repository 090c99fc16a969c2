/// What the command line says of a release; each of these goes before the folder's own manifest.json.
package struct ReleaseOptions: Sendable {
    /// Nil for the `base` of the folder's manifest.json.
    package var model: String?
    /// Nil for the `version` of the folder's manifest.json.
    package var version: String?
    /// Nil for the `minDeploymentVersion` of the folder's manifest.json, which may have none.
    package var minDeploymentVersion: String?
    /// Errors that are warnings this time. Those that are never allowed have no effect here.
    package var allowed: Set<FindingID>
    /// The path of a JSON file of compile facts, from the working directory.
    package var compileInfo: String?

    package init(
        model: String? = nil,
        version: String? = nil,
        minDeploymentVersion: String? = nil,
        allowed: Set<FindingID> = [],
        compileInfo: String? = nil
    ) {
        self.model = model
        self.version = version
        self.minDeploymentVersion = minDeploymentVersion
        self.allowed = allowed
        self.compileInfo = compileInfo
    }
}
