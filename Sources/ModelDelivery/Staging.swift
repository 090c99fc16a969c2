internal import Foundation
internal import ModelCatalog

/// The files of a model that are under way, by their content: `<hex>` was whole, verified and on the disk when it got
/// its name, `<hex>.part` is not. What one version began another may finish. Whose download it is now, a record tells.
struct Staging: Sendable {
    let layout: LibraryLayout
    let folder: String
    let seams: DeliverySeams

    /// Files up to this size, in bytes, are fetched several at a time and written to the disk together.
    static let smallFile: UInt64 = 4 << 20

    init(layout: LibraryLayout, model: ModelName, seams: DeliverySeams) throws(DeliveryError) {
        self.layout = layout
        folder = layout.staging(of: model)
        self.seams = seams
        try SystemFiles.makeFolder(folder)
    }

    var tree: String { folder + "/tree" }

    func whole(_ digest: ContentDigest) -> String { "\(folder)/\(digest.hex)" }
    func part(_ digest: ContentDigest) -> String { "\(folder)/\(digest.hex).part" }

    /// By its name and size: for an estimate, not for an installation.
    func isWhole(_ file: PlannedFile) -> Bool { SystemFiles.size(of: whole(file.digest)) == file.size }

    /// Whether a whole file that another process left is what its name says. It may be one file with that of an
    /// installed version, which somebody has written into since; one that is something else is removed. Blocks.
    func proves(_ file: PlannedFile, _ flag: CancelFlag) throws(DeliveryError) -> Bool {
        let path = whole(file.digest)
        if try Verifier.isWhole(file, at: path, flag) { return true }
        try SystemFiles.removeTree(path)
        return false
    }

    /// Bytes of a file that are here, in whichever form.
    func bytesHere(_ file: PlannedFile) -> UInt64 {
        isWhole(file) ? file.size : min(file.size, SystemFiles.size(of: part(file.digest)) ?? 0)
    }

    /// Bytes of a model that are under way, its tree left out: that has no bytes of its own.
    static func bytes(in folder: String) -> UInt64 {
        SystemFiles.names(in: folder).reduce(0) { $0 + (SystemFiles.size(of: "\(folder)/\($1)") ?? 0) }
    }

    /// Files whose bytes are verified count as whole from here on.
    ///
    /// Their bytes reach the disk before the names do: a name that says "verified" is never there without them.
    func promote(_ files: [PlannedFile]) throws(DeliveryError) {
        guard !files.isEmpty else { return }
        try SystemFiles.syncFiles(files.map { part($0.digest) })
        for file in files { try SystemFiles.rename(part(file.digest), whole(file.digest)) }
        try SystemFiles.syncFolder(folder)
    }

    /// Takes the content of an installed file that was verified: by link or clone, else by a copy that is hashed again.
    func adopt(_ file: PlannedFile, from path: String, _ flag: CancelFlag) throws(DeliveryError) -> Bool {
        guard try Verifier.isWhole(file, at: path, flag) else { return false }
        let target = whole(file.digest)
        try SystemFiles.removeFile(target)
        if try share(path, target) {
            try SystemFiles.syncFolder(folder)
        } else {
            let part = part(file.digest)
            try SystemFiles.removeFile(part)
            try copy(path, part, flag)
            guard try Verifier.isWhole(file, at: part, flag) else { return false }
            try promote([file])
        }
        try SystemFiles.removeFile(part(file.digest))
        return true
    }

    func share(_ from: String, _ to: String) throws(DeliveryError) -> Bool {
        seams.linksFail ? false : try SystemFiles.share(from, to)
    }

    private func copy(_ from: String, _ to: String, _ flag: CancelFlag) throws(DeliveryError) {
        let source = try OpenFile(reading: from)
        let target = try OpenFile(writing: to)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: PartialFile.piece, alignment: 64)
        defer { room.deallocate() }
        var position: UInt64 = 0
        while true {
            try flag.check()
            let count = try source.read(into: room, at: position)
            guard count > 0 else { return }
            try target.write(UnsafeRawBufferPointer(rebasing: room[..<count]), at: position)
            position += UInt64(count)
        }
    }

    // MARK: The tree

    /// Gives back what a tree that was never finished holds and nothing else does, and removes it. Only where the
    /// file system knows no links is there anything of the kind.
    func dismantle(_ files: [PlannedFile]) throws(DeliveryError) {
        for file in files where SystemFiles.size(of: "\(tree)/\(file.path)") == file.size && !isWhole(file) {
            try SystemFiles.rename("\(tree)/\(file.path)", part(file.digest))
        }
        try SystemFiles.removeTree(tree)
    }

    /// Puts the tree together from whole files, and looks whether all of it is there.
    func assemble(_ files: [PlannedFile], _ flag: CancelFlag) throws(DeliveryError) {
        try SystemFiles.makeFolder(tree)
        var uses: [ContentDigest: Int] = [:]
        for file in files { uses[file.digest, default: 0] += 1 }
        for file in files {
            try flag.check()
            let target = "\(tree)/\(file.path)"
            try SystemFiles.makeFolder(target.parentFolder)
            // Two paths that this file system takes for one: a tree that lacks a file must not come of it.
            guard SystemFiles.size(of: target) == nil else {
                throw SystemFiles.failure("link", target, SystemFiles.alreadyExists)
            }
            let left = (uses[file.digest] ?? 1) - 1
            uses[file.digest] = left
            if try share(whole(file.digest), target) { continue }
            if left > 0 {
                try copy(whole(file.digest), target, flag)
                try OpenFile(reading: target).sync()
            } else {
                try SystemFiles.rename(whole(file.digest), target)
            }
        }
        for file in files where SystemFiles.size(of: "\(tree)/\(file.path)") != file.size {
            throw .integrity(file: file.path.text)
        }
    }

    /// Puts whole files in the place of damaged ones in an installed tree: each by a rename, never by writing into what
    /// another version may share.
    func replace(_ files: [PlannedFile], in tree: String, _ flag: CancelFlag) throws(DeliveryError) {
        let draft = folder + "/replacement"
        for file in files {
            try SystemFiles.removeFile(draft)
            if try !share(whole(file.digest), draft) {
                try copy(whole(file.digest), draft, flag)
                try OpenFile(reading: draft).sync()
            }
            let target = "\(tree)/\(file.path)"
            try SystemFiles.makeFolder(target.parentFolder)
            if SystemFiles.isFolder(target) { try SystemFiles.removeTree(target) }
            try SystemFiles.rename(draft, target)
            try SystemFiles.syncFolder(target.parentFolder)
        }
    }

    /// Has the tree's names written to the disk; its bytes are there already.
    func syncTree(_ files: [PlannedFile]) throws(DeliveryError) {
        var folders: Set<String> = [""]
        for file in files {
            var folder = file.path.text.parentFolder
            while folder != ".", folders.insert(folder).inserted { folder = folder.parentFolder }
        }
        for folder in folders.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            try SystemFiles.syncFolder(folder.isEmpty ? tree : "\(tree)/\(folder)")
        }
    }
}
