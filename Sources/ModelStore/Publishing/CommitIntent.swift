internal import HostSystem
internal import ModelCatalog

/// What a publisher writes down before it moves its tree to where it is served from, so that the tree can be told for
/// its own should it die before the manifest has its name.
///
/// The inode says which folder: renaming keeps it, and as long as the tree lies in the staging folder nobody else can
/// have it. A tree of the same name that somebody else put there is left alone.
struct CommitIntent: Equatable {
    let model: ModelName
    let version: Version
    let device: UInt64
    let inode: UInt64

    /// Octets; a hundred times what one has.
    private static let maximumSize = 64 * 1024

    init(model: ModelName, version: Version, tree: FileStatus) {
        self.model = model
        self.version = version
        device = tree.device
        inode = tree.inode
    }

    /// Nil where there is none, or only the beginning of one: then nothing was moved yet.
    init?(in staging: borrowing FileDescriptor) {
        guard let file = try? staging.openFile(StagingFolder.intentName),
            let bytes = try? file.readAll(limit: Self.maximumSize)
        else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        // The fifth is what follows the last line feed: without it the file was cut.
        guard lines.count == 5, lines[4].isEmpty,
            let model = ModelName(lines[0]), let version = Version(lines[1]),
            let device = UInt64(lines[2]), let inode = UInt64(lines[3])
        else { return nil }
        self.model = model
        self.version = version
        self.device = device
        self.inode = inode
    }

    /// On the disk when it returns.
    func write(in staging: borrowing FileDescriptor) throws(Errno) {
        let file = try staging.createFile(StagingFolder.intentName)
        try file.writeAll(Array("\(model.text)\n\(version.text)\n\(device)\n\(inode)\n".utf8))
        try file.synchronize()
        try staging.synchronize()
    }

    /// Whether that folder is the one that was to be moved.
    func isAbout(_ tree: FileStatus) -> Bool {
        tree.kind == .folder && tree.device == device && tree.inode == inode
    }
}
