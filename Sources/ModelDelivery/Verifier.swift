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

    /// What of a tree is not what its record says, sorted by path: files that are missing or other, and what should
    /// not be there at all.
    static func damage(of record: InstalledRecord, in tree: String) async throws(DeliveryError) -> [DamagedFile] {
        let files = record.plannedFiles
        // A record that names what it may not was not written by this library.
        guard files.count == record.files.count else { throw .integrity(file: LibraryLayout.recordSuffix) }
        return try await offThread { (flag: CancelFlag) throws(DeliveryError) in
            let surplus = surplus(beside: files, in: tree)
            var damaged = surplus.map { DamagedFile(path: $0, fault: .unexpected) }
            for file in files {
                // A link in the place of a folder leads to files that are not this tree's.
                if surplus.contains(where: { file.path.text.hasPrefix($0 + "/") }) {
                    damaged.append(DamagedFile(path: file.path.text, fault: .missing))
                } else if let fault = try fault(of: file, at: "\(tree)/\(file.path)", flag) {
                    damaged.append(DamagedFile(path: file.path.text, fault: fault))
                }
            }
            return damaged.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        }
    }

    /// The paths of what lies in a tree and is neither one of its files nor a folder on the way to one. Of a folder
    /// that should not be there only the folder itself. What stands in the place of a file is that file's fault.
    private static func surplus(beside files: [PlannedFile], in tree: String) -> [String] {
        let wanted = Set(files.map(\.path.text))
        var folders: Set<String> = []
        for file in files {
            var folder = file.path.text.parentFolder
            while folder != ".", folders.insert(folder).inserted { folder = folder.parentFolder }
        }
        var surplus: [String] = []
        var waiting = [""]
        while let folder = waiting.popLast() {
            for name in SystemFiles.names(in: tree + folder) {
                let path = String("\(folder)/\(name)".dropFirst())
                if folders.contains(path), SystemFiles.isFolder("\(tree)/\(path)") {
                    waiting.append("/" + path)
                } else if !wanted.contains(path) {
                    surplus.append(path)
                }
            }
        }
        return surplus
    }
}
