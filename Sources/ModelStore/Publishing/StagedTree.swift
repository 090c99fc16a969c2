internal import HostSystem
internal import ModelCatalog
internal import Synchronization

/// The version's folder to be: what lies in it, and how it is made ready to be moved.
///
/// Any thread may use it.
final class StagedTree: Sendable {
    struct File: Sendable {
        /// Below the tree.
        let path: String
        let size: UInt64
        let digest: ContentDigest
        /// Whether it is a further name of a content that was on the disk without it.
        var isLinked: Bool
    }

    static let filePermissions: UInt32 = 0o444
    static let folderPermissions: UInt32 = 0o555

    private struct Content: Sendable {
        var files: [File] = []
        /// Below the tree.
        var folders: Set<String> = []
    }

    private let staging: StagingFolder
    private let pool: ContentPool
    private let control: PublishControl
    private let content = Mutex(Content())

    init(_ staging: StagingFolder, _ pool: ContentPool, _ control: PublishControl) {
        self.staging = staging
        self.pool = pool
        self.control = control
    }

    func add(_ file: File) {
        content.withLock { $0.files.append(file) }
    }

    func makeFolders(above path: String) throws(PublishError) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
        let folder = String(path[..<slash])
        if content.withLock({ $0.folders.contains(folder) }) { return }
        try makeFolders(above: folder)
        // Another thread may make it at the same time.
        _ = try writing(folder) { () throws(Errno) in try staging.tree.makeFolder(below: folder, permissions: 0o755) }
        content.withLock { _ = $0.folders.insert(folder) }
    }

    /// Puts everything on the disk and into the pool, and makes the folders read-only, but for the top one: to be moved
    /// it must be writable.
    ///
    /// - Returns: octets of the files, by whether they had to be written.
    func settle() throws(PublishError) -> (stored: UInt64, linked: UInt64) {
        var files = content.withLock { $0.files }
        // All were written before the first is waited for, so that the disk had time, and the file system's journal
        // is written a few times instead of once a file. What is linked is on the disk already.
        let written = files.filter { !$0.isLinked }
        try PublishLanes.run(written, control) { [self] (file, lanes) throws(PublishError) in
            try writing(file.path) { () throws(Errno) in
                try control.seams.beforeCall(.synchronize, file.path)
                try staging.tree.openFile(file.path).synchronize()
            }
        }
        try control.seams.at(.contentsSynced)
        for index in files.indices where !files[index].isLinked {
            try control.check()
            let file = files[index]
            files[index].isLinked = try writing(file.path) { () throws(Errno) in
                try pool.add(file.digest, size: file.size, from: staging, file.path)
            }
            try control.seams.at(.pooled)
        }
        try sealFolders()
        let linked = files.reduce(into: UInt64(0)) { $0 += $1.isLinked ? $1.size : 0 }
        return (files.reduce(0) { $0 + $1.size } - linked, linked)
    }

    private func sealFolders() throws(PublishError) {
        let folders = content.withLock { $0.folders }.sorted { $0.utf8.count > $1.utf8.count }
        for folder in folders {
            try writing(folder) { () throws(Errno) in
                try staging.tree.openFolder(folder).setPermissions(Self.folderPermissions)
            }
        }
        for folder in folders {
            try control.check()
            try writing(folder) { () throws(Errno) in try staging.tree.openFolder(folder).synchronize() }
        }
        try writing(PublishingFolders.treeName) { () throws(Errno) in try staging.tree.synchronize() }
        try control.seams.at(.foldersSynced)
    }
}
