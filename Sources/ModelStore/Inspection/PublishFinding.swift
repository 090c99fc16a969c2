/// One thing that is wrong with a release, where, and what to do about it.
package struct PublishFinding: Hashable, Sendable {
    package let id: FindingID
    /// Whether it refuses the release: what `--allow` has turned into a warning does not.
    package let isError: Bool
    /// Relative to the release's folder, `.` for the folder itself. Printable: what is no text, or could move a
    /// terminal's cursor, is escaped. Of something that is missing, where it belongs.
    package let path: String
    /// What is wrong and what to do, in one or two sentences on one line, printable too.
    package let message: String

    package init(id: FindingID, isError: Bool, path: String, message: String) {
        self.id = id
        self.isError = isError
        self.path = path
        self.message = message
    }
}
