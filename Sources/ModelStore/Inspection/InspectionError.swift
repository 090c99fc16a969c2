package import HostSystem

/// Why a folder could not be inspected at all. What is wrong with the release in it is a finding instead.
package enum InspectionError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The folder, or something in it, cannot be read. `path` begins with the folder, printable.
    case cannotRead(path: String, Errno)
    /// Neither an option nor the folder's manifest.json says it; `option` as in `--model`, `key` as in `base`.
    case notGiven(folder: String, option: String, key: String)
    /// What an option or the folder's manifest.json says breaks the rule of its kind.
    case malformed(where: String, text: String, rule: String)
    /// The folder's manifest.json, or the file of compile facts, is not what it should be.
    case badDocument(path: String, reason: String)
    /// There is nothing to publish.
    case noAssets(folder: String)

    /// Whether the command line is to be mended rather than the folder: exit status 2.
    package var isUsage: Bool {
        switch self {
        case .notGiven, .malformed: true
        case .cannotRead, .badDocument, .noAssets: false
        }
    }

    package var description: String {
        switch self {
        case .cannotRead(let path, .noEntry):
            "\(path) is not there: name the folder that a build has left, and let the build end first"
        case .cannotRead(let path, .notFolder):
            "\(path) is not a folder: name the folder that holds the .aimodel and .aimodelc trees"
        case .cannotRead(let path, let error):
            "cannot read \(path): \(error); the user that publishes must be able to read the whole folder"
        case .notGiven(let folder, let option, let key):
            "\(folder): give \(option), for the folder has no manifest.json with \"\(key)\""
        case .malformed(let place, let text, let rule):
            "\(place): \(text.debugDescription) is not \(rule)"
        case .badDocument(let path, let reason):
            "\(path): \(reason)"
        case .noAssets(let folder):
            "\(folder) holds no asset: name the folder in which the <base>.aimodel and <base>.<arch>.aimodelc "
                + "trees stand"
        }
    }
}
