package import HostSystem

/// The lock of a store: whoever changes what is published holds it for that moment.
///
/// A version's commit, a change of a record and pruning take it; copying and reading do not. It lies at
/// `manifests/.lock` and is a flock(2), so it ends with its owner, whatever ends that: a lock that nobody holds can
/// not be left behind. Two owners in one process exclude each other as well. Readers, the server above all, need none:
/// each change is one rename.
///
/// Let go of by deinit. The file stays: to remove it would let two hold "the" lock, one of a file without a name.
package struct StoreLock: ~Copyable, Sendable {
    /// Why the lock cannot be had.
    package struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// The file or folder in question.
        package let path: String
        package let error: Errno

        package var description: String {
            switch error {
            case .noEntry: "\(path) is not there: name the folder of the store with --root, or make it"
            case .notFolder: "\(path) is not a folder: name the folder of the store with --root"
            default: "cannot lock \(path): \(error); changes need permission to write there"
            }
        }
    }

    static let fileName = ".lock"

    private let file: FileDescriptor

    deinit {
        // Not by closing alone, which does not count while a process that this one starts has its copy.
        try? file.unlock()
    }

    /// Waits until the lock of the store at `root` is free, and takes it.
    ///
    /// - Parameters:
    ///   - makingFolder: whether the folder of manifests is made where it is not there; the store's own never is.
    package init(root: String, makingFolder: Bool = false) throws(Failure) {
        file = try Self.locked(root, makingFolder) { file throws(Errno) in try file.lock() }
    }

    /// The same for who must be able to leave off: asks `waiting` each time that somebody else holds the lock, and tries
    /// again when that returns.
    package init(
        root: String,
        makingFolder: Bool = false,
        waiting: () throws(Errno) -> Void
    ) throws(Failure) {
        file = try Self.locked(root, makingFolder) { file throws(Errno) in
            while try !file.lockIfFree() { try waiting() }
        }
    }

    private static func locked(
        _ root: String,
        _ makingFolder: Bool,
        _ lock: (borrowing FileDescriptor) throws(Errno) -> Void
    ) throws(Failure) -> FileDescriptor {
        let folder = StoreLayout(root: root).absoluteManifestsFolder
        do throws(Errno) {
            if makingFolder { try FileDescriptor.makeFolder(folder) }
            let manifests = try FileDescriptor.openFolder(folder)
            let file = try manifests.openLockFile(fileName)
            try lock(file)
            return file
        } catch {
            let ofFolder = error == .noEntry || error == .notFolder
            throw Failure(path: ofFolder ? folder : folder + "/" + fileName, error: error)
        }
    }
}
