internal import Foundation
internal import ModelCatalog

/// Holds trees on disk against what they should be.
enum Verifier {
    /// The digest of a file, read in pieces. Blocks.
    static func digest(of path: String, _ flag: CancelFlag) throws(DeliveryError) -> ContentDigest {
        let file = try OpenFile(reading: path)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: PartialFile.piece, alignment: 64)
        defer { room.deallocate() }
        var digest = StreamingDigest()
        var position: UInt64 = 0
        while true {
            try flag.check()
            let count = try file.read(into: room, at: position)
            guard count > 0 else { return digest.finish() }
            digest.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
            position += UInt64(count)
        }
    }

    /// Whether a file is there, of this size and this content. Blocks.
    static func isWhole(_ file: PlannedFile, at path: String, _ flag: CancelFlag) throws(DeliveryError) -> Bool {
        try fault(of: file, at: path, flag) == nil
    }

    /// What is wrong with a file; nil where nothing is. Blocks.
    private static func fault(
        of file: PlannedFile,
        at path: String,
        _ flag: CancelFlag
    ) throws(DeliveryError) -> DamagedFile.Fault? {
        guard let size = SystemFiles.size(of: path) else { return .missing }
        guard size == file.size else { return .wrongSize(size) }
        do throws(DeliveryError) {
            return try digest(of: path, flag) == file.digest ? nil : .wrongContent
        } catch {
            guard case .fileSystem(_, _, let code) = error else { throw error }
            return .unreadable(code: code)
        }
    }

    /// The files of a tree that are not what its record says, sorted by path.
    static func damage(of record: InstalledRecord, in tree: String) async throws(DeliveryError) -> [DamagedFile] {
        let files = record.plannedFiles
        // A record that names what it may not was not written by this library.
        guard files.count == record.files.count else { throw .integrity(file: LibraryLayout.recordSuffix) }
        return try await offThread { (flag: CancelFlag) throws(DeliveryError) in
            var damaged: [DamagedFile] = []
            for file in files {
                if let fault = try fault(of: file, at: "\(tree)/\(file.path)", flag) {
                    damaged.append(DamagedFile(path: file.path.text, fault: fault))
                }
            }
            return damaged
        }
    }
}
