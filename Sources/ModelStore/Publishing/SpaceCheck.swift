internal import HostSystem

/// Whether a release will probably fit, before anything is copied.
struct SpaceCheck {
    let files: [PlannedFile]
    let duplicates: LikelyDuplicates

    /// The file that tells whether blocks can be shared with the source.
    static let probeName = "probe"

    /// For the manifest, twice while it is a draft, and the file system's own records of so many names.
    private static let octetsPerFile: UInt64 = 1024
    private static let margin: UInt64 = 1024 * 1024

    /// Throws `.notEnoughSpace`. `folder` is where the release goes, to which a file may be written for a moment;
    /// `source` is the release's folder.
    func run(on folder: borrowing FileDescriptor, from source: borrowing FileDescriptor) throws(PublishError) {
        guard let lacking = try lack(on: folder, files) else { return }
        // What shares its blocks with the source needs no room.
        if let largest = files.max(by: { $0.size < $1.size }), largest.size > UInt64(PieceBuffer.size),
            try sharesBlocks(of: largest, source, folder)
        {
            let copied = files.filter { $0.size <= UInt64(PieceBuffer.size) }
            guard let still = try lack(on: folder, copied) else { return }
            throw still
        }
        throw lacking
    }

    /// The same without writing anything.
    func estimate(on folder: borrowing FileDescriptor) throws(PublishError) {
        if let lacking = try lack(on: folder, files) { throw lacking }
    }

    private func lack(
        on folder: borrowing FileDescriptor,
        _ files: [PlannedFile]
    ) throws(PublishError) -> PublishError? {
        let space = try writing(StoreLayout.publicFolder) { () throws(Errno) in try folder.space() }
        let content = duplicates.neededSpace(files, blockSize: space.blockSize)
        let rest = Self.margin + Self.octetsPerFile * UInt64(files.count)
        let (needed, overflow) = content.addingReportingOverflow(rest)
        if !overflow, needed <= space.available { return nil }
        return .notEnoughSpace(needed: overflow ? .max : needed, available: space.available)
    }

    private func sharesBlocks(
        of file: PlannedFile,
        _ source: borrowing FileDescriptor,
        _ folder: borrowing FileDescriptor
    ) throws(PublishError) -> Bool {
        let reader = try SourceReader.open(file.source, in: source)
        do throws(Errno) {
            let shares = try folder.createFile(Self.probeName).clone(reader.file)
            try folder.removeFile(Self.probeName)
            return shares
        } catch {
            // No room for a name even.
            return false
        }
    }
}
