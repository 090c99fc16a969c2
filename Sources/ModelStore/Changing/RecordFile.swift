internal import HostSystem
internal import ModelCatalog

/// Puts a model's record in the place of the one there is.
enum RecordFile {
    /// Written here first. One name is enough, since the store's lock is held; and so a crash leaves one file at most,
    /// which the next change takes away. Its dot hides it from scans.
    static let draft = ".model.json.draft"

    /// Throws `.io`; the old record stands then, unless it was the flush of the folder that failed.
    static func replace(
        in folder: borrowing FileDescriptor,
        of model: ModelName,
        with record: ModelRecord
    ) throws(ChangeError) {
        let path = StoreLayout.recordPath(model)
        let bytes: [UInt8]
        do {
            bytes = try record.encoded(model: model)
        } catch {
            throw .unusableRecord(path: path, "cannot be written as JSON: \(error)")
        }
        guard bytes.count <= ModelFolderScanner.maximumRecordSize else {
            throw .unusableRecord(path: path, "would be larger than \(ModelFolderScanner.maximumRecordSize) octets")
        }
        do throws(Errno) {
            try folder.removeFile(draft)
            try write(bytes, in: folder)
            try folder.rename(draft, to: folder, StoreLayout.recordFile)
            // The rename is on the disk only when the folder is.
            try folder.synchronize()
        } catch {
            try? folder.removeFile(draft)
            throw .io(path: path, error)
        }
    }

    private static func write(_ bytes: [UInt8], in folder: borrowing FileDescriptor) throws(Errno) {
        let file = try folder.createFile(draft)
        // Whatever the umask says: who runs a command and who runs the server may be two users.
        try file.setPermissions(0o644)
        try file.writeAll(bytes)
        // Before the rename: else a power cut could leave the new name on a file without octets.
        try file.synchronize()
    }
}
