internal import Glibc
package import HostSystem

/// Why a published file could not be opened, by what the caller does about it.
package enum OpenFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kernel would have to read from the disk: ask again where waiting is allowed.
    case wouldWait

    // The tree is not what the manifest says: the asset is damaged.
    case missing
    /// Octets.
    case wrongSize(found: UInt64)
    /// A folder, FIFO, socket or device stands there.
    case notRegular
    /// No permission (EACCES, EPERM), or a link on the way (ELOOP), or a way out of the root (EXDEV).
    case denied(Errno)

    /// The system is out of descriptors or memory: over capacity, and no fault of the asset.
    case exhausted(Errno)
    /// The disk, or anything unforeseen.
    case io(Errno)

    init(_ error: Errno, wait: PublicTree.Wait) {
        switch error {
        case .again where wait == .never: self = .wouldWait
        case .noEntry, .notFolder, .nameTooLong: self = .missing
        case .accessDenied, .tooManyLinks, .crossesBoundary: self = .denied(error)
        case .processFileLimit, .systemFileLimit, .noMemory, .noBuffers: self = .exhausted(error)
        case Errno(rawValue: EPERM): self = .denied(error)
        // What open(2) says of a socket, and of a device without a driver.
        case Errno(rawValue: ENXIO), Errno(rawValue: ENODEV): self = .notRegular
        default: self = .io(error)
        }
    }

    /// Whether the tree on disk differs from its manifest; an operator must mend it.
    package var isDamage: Bool {
        switch self {
        case .missing, .wrongSize, .notRegular, .denied: true
        case .wouldWait, .exhausted, .io: false
        }
    }

    package var description: String {
        switch self {
        case .wouldWait: "not in the kernel's cache"
        case .missing: "the file is missing; publish the version again"
        case .wrongSize(let found):
            "the file has \(found) octets, another size than its manifest says; publish the version again"
        case .notRegular: "not a regular file; publish the version again"
        case .denied(.tooManyLinks): "a symbolic link stands in the path; links are never followed"
        case .denied(.crossesBoundary): "the path leads out of the document root"
        case .denied(let error): "\(error); the server's user must be able to read it"
        case .exhausted(let error): "\(error); raise the limit of open files (ulimit -n)"
        case .io(let error): "cannot open the file: \(error)"
        }
    }
}
