/// Looks at a build's output folder before anything of it is published.
package enum ReleaseInspector {
    /// Finds all that is wrong with the release in `folder`, at once, and plans its publishing. Blocks; reads names,
    /// sizes and the first octets of files, follows no link, and changes nothing.
    ///
    /// - Throws: where there is nothing to be said about a release: the folder cannot be read, or it is not said which
    ///   model and version it is.
    package static func inspect(_ folder: String, _ options: ReleaseOptions) throws(InspectionError) -> Inspection {
        throw .noAssets(folder: folder)
    }
}
