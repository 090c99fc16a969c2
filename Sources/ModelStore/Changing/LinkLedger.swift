internal import HostSystem
internal import ModelCatalog

/// Counts the names that lead to each stored file, in order to tell what room some versions take, and what would come
/// back without them.
struct LinkLedger {
    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ status: FileStatus) {
            device = status.device
            inode = status.inode
        }
    }

    private struct Counted {
        let status: FileStatus
        var names: UInt64
    }

    private var files: [Identity: Counted] = [:]

    /// Takes in all files below the folder at `path` below the document root; one that is not there has none.
    mutating func add(_ path: String, in documents: StoredDocuments) throws(Errno) {
        var pending = [path]
        while let next = pending.popLast() {
            do throws(Errno) {
                let folder = try documents.openFolder(next)
                var names: [String] = []
                try folder.forEachName { names.append($0) }
                for name in names {
                    // Gone meanwhile, or no UTF-8: nothing that a release has.
                    guard let status = try? folder.status(of: name) else { continue }
                    if status.kind == .folder { pending.append(next + "/" + name) } else { count(status) }
                }
            } catch .noEntry {}
        }
    }

    private mutating func count(_ status: FileStatus) {
        files[Identity(status), default: Counted(status: status, names: 0)].names += 1
    }

    /// Octets on the disk, each stored file once. Where the file system has not placed a file yet and says nothing, its
    /// size.
    var stored: UInt64 {
        files.values.reduce(0) { sum, file in
            let allocated = UInt64(clamping: file.status.allocated)
            return sum + (allocated > 0 ? allocated : UInt64(clamping: file.status.size))
        }
    }

    /// Octets on the disk that come back when the counted names go: of files to which no other name leads, but for the
    /// one in the pool, which goes with the last.
    func reclaimable(pool: PoolContents) -> UInt64 {
        files.reduce(0) { sum, file in
            let others = file.value.status.links - min(file.value.names, file.value.status.links)
            guard others == 0 || (others == 1 && pool.holds(file.key)) else { return sum }
            return sum + UInt64(clamping: file.value.status.allocated)
        }
    }
}

/// The contents in the pool, by the files that hold them.
struct PoolContents {
    private var files: Set<LinkLedger.Identity> = []
    /// Octets on the disk of contents that no version holds.
    private(set) var unused: UInt64 = 0

    /// Looks at each entry of the pool once.
    init(_ documents: StoredDocuments) throws(Errno) {
        let prefixes = try Self.names(PublishingFolders.poolName, documents)
        for prefix in prefixes {
            let path = PublishingFolders.poolName + "/" + prefix
            for name in try Self.names(path, documents) {
                guard let status = try? documents.openFolder(path).status(of: name), status.kind == .regular else {
                    continue
                }
                files.insert(LinkLedger.Identity(status))
                if status.links == 1 { unused += UInt64(clamping: status.allocated) }
            }
        }
    }

    func holds(_ file: LinkLedger.Identity) -> Bool { files.contains(file) }

    private static func names(_ path: String, _ documents: StoredDocuments) throws(Errno) -> [String] {
        do throws(Errno) {
            return try documents.names(in: path)
        } catch {
            if error == .noEntry || error == .notFolder { return [] }
            throw error
        }
    }
}
