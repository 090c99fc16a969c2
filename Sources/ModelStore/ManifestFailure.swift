package import HostSystem
package import ModelCatalog

/// Why a version's manifest could not be had, by what the caller does about it.
package enum ManifestFailure: Error, Sendable, CustomStringConvertible {
    /// It was removed since the snapshot was made: the version is not published any more.
    case missing
    /// A folder, link, FIFO or device stands there.
    case notRegular
    /// More than `ManifestReader.maximumSize` octets.
    case tooLarge
    /// It can be read, and does not say what a manifest must.
    case malformed(ManifestError)
    /// The system is out of descriptors or memory: over capacity, and no fault of the release.
    case exhausted(Errno)
    /// No permission, or the disk.
    case io(Errno)

    init(_ error: Errno) {
        switch error {
        case .noEntry, .notFolder: self = .missing
        case .tooManyLinks: self = .notRegular
        case .processFileLimit, .systemFileLimit, .noMemory, .noBuffers: self = .exhausted(error)
        default: self = .io(error)
        }
    }

    /// Whether the same file would fail again: then it is not read again until it changes. What hangs on permissions
    /// or on the system's state may pass without a trace in the file.
    var isOfContent: Bool {
        switch self {
        case .tooLarge, .malformed: true
        case .missing, .notRegular, .exhausted, .io: false
        }
    }

    /// Whether an operator must mend the file, as against the system, or nobody.
    var isOfFile: Bool {
        switch self {
        case .notRegular, .tooLarge, .malformed, .io: true
        case .missing, .exhausted: false
        }
    }

    package var description: String {
        switch self {
        case .missing: "the manifest is gone; the version is not published any more"
        case .notRegular: "not a regular file; a manifest must be one"
        case .tooLarge: "larger than \(ManifestReader.maximumSize) octets; no manifest is"
        case .malformed(let error): "\(error)"
        case .exhausted(let error): "\(error); raise the limit of open files (ulimit -n)"
        case .io(let error): "cannot be read: \(error)"
        }
    }
}
