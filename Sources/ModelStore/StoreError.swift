package import HostSystem

/// Why a store cannot be read at all. What is wrong with a part of it is a finding instead.
package enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The store's folder, or the document root in it, cannot be opened.
    case cannotOpen(folder: String, Errno)
    /// The folder of manifests cannot be listed.
    case cannotList(folder: String, Errno)
    /// The kernel has no openat2(2), or a sandbox denies it.
    case noConfinedOpen(Errno)
    /// No thread can be had to watch the folders.
    case noThread(Errno)

    package var description: String {
        switch self {
        case .cannotOpen(let folder, .noEntry):
            "\(folder) is not there: name the folder of the store with --root, or make it"
        case .cannotOpen(let folder, .notFolder):
            "\(folder) is not a folder: name the folder of the store with --root"
        case .cannotOpen(let folder, let error):
            "cannot open \(folder): \(error)"
        case .cannotList(let folder, let error):
            "cannot list \(folder): \(error); the server needs to read it"
        case .noConfinedOpen(let error):
            "openat2 is refused (\(error)): Linux 5.6 or later is needed, and a sandbox's filter of system calls must "
                + "let it pass"
        case .noThread(let error):
            "cannot start the thread that watches the folders: \(error); raise the limit of processes (ulimit -u)"
        }
    }
}
