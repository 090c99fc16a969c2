internal import HostSystem
internal import ModelCatalog
internal import Synchronization

/// One name for each content that is stored, so that a file whose content is there already becomes a further name of
/// it instead of a further copy: `Public/.pool/<first two hex digits>/<64 hex digits>`.
///
/// A content gets its name here only once it is on the disk, so what a crash leaves here is whole. The names themselves
/// need not outlive a power failure: one that is lost costs a later copy, no more. A content that no release holds any
/// more has one link left, the one here, and whoever removes releases removes that as well.
///
/// Linking takes no lock. Should a content be taken for unused and removed in the moment in which it is linked, the
/// new link holds it on, outside the pool.
///
/// Any thread may use it.
final class ContentPool: Sendable {
    /// What came of looking for a content.
    enum Linked: Equatable {
        case linked
        /// No such content is here, or the one that is must not be trusted.
        case absent
        /// It has as many names as the file system allows.
        case full
        /// The file system has no hard links, or forbids this one.
        case impossible
    }

    /// The time that a stored file is given, in seconds since 1970: 2000-01-01. One with another time was written to
    /// after it was published, so its content is not trusted to be what its name says.
    static let sealSeconds: Int64 = 946_684_800

    private let folder: FileDescriptor
    private let seams: PublishSeams
    /// Ends a reading; then nothing is linked.
    private let interrupted: PublishControl.Flag
    /// What this publication read of contents that it found here: which file, and whether it holds what its name says.
    private let read = Mutex<[ContentDigest: (inode: UInt64, isWhole: Bool)]>([:])
    /// Set once for all: no use to ask for each of ten thousand files.
    private let linkable = Atomic(true)

    /// `folder` is the pool's own. One pool serves one publication: what it read it does not read again.
    init(_ folder: consuming FileDescriptor, seams: PublishSeams, interrupted: PublishControl.Flag = .init()) {
        self.folder = folder
        self.seams = seams
        self.interrupted = interrupted
    }

    static func path(_ digest: ContentDigest) -> String {
        let hex = digest.hex
        return String(hex.prefix(2)) + "/" + hex
    }

    /// Makes `path` below `target` a name of the content, which is read first, for it came from elsewhere: neither size
    /// nor time tell of a disk that lost a block, and a version that shares it would be published damaged. What stands
    /// at `path` is not replaced.
    func link(
        _ digest: ContentDigest,
        size: UInt64,
        to target: borrowing FileDescriptor,
        _ path: String
    ) throws(Errno) -> Linked {
        let linked = try tried(path) { () throws(Errno) in try folder.link(Self.path(digest), to: target, path) }
        guard linked == .linked else { return linked }
        // The file is held by its new name, whatever becomes of the pool's.
        let status = try target.status(of: path)
        if isTrusted(status, size), isWhole(digest, status, path, target) { return .linked }
        try target.removeFile(path)
        return .absent
    }

    private func isWhole(
        _ digest: ContentDigest,
        _ status: FileStatus,
        _ path: String,
        _ target: borrowing FileDescriptor
    ) -> Bool {
        if let known = read.withLock({ $0[digest] }), known.inode == status.inode { return known.isWhole }
        let isWhole = hash(path, in: target) == digest
        if interrupted.isSet { return false }
        read.withLock { $0[digest] = (status.inode, isWhole) }
        return isWhole
    }

    /// Nil where it cannot be read to its end, or nobody wants to know any more.
    private func hash(_ path: String, in target: borrowing FileDescriptor) -> ContentDigest? {
        guard let file = try? target.openFile(path) else { return nil }
        file.expectSequentialReading()
        let buffer = PieceBuffer()
        var hash = SHA256()
        var offset: Int64 = 0
        while !interrupted.isSet {
            guard let count = try? file.fill(buffer.bytes, at: offset) else { return nil }
            hash.update(buffer.octets(count))
            offset += Int64(count)
            if count < PieceBuffer.size { return ContentDigest(finishing: hash) }
        }
        return nil
    }

    /// Whether that content is here, as far as can be told without reading it: a damaged one will be stored anew.
    func holds(_ digest: ContentDigest, size: UInt64) -> Bool {
        guard let status = try? folder.status(of: Self.path(digest)) else { return false }
        return isTrusted(status, size)
    }

    /// Gives the file at `path` below `tree` its name in the pool. It is on the disk already, and sealed.
    ///
    /// - Returns: true where another publisher was faster: then the file has become a further name of that content.
    func add(_ digest: ContentDigest, size: UInt64, from staging: StagingFolder, _ path: String) throws(Errno) -> Bool {
        let name = Self.path(digest)
        _ = try folder.makeFolder(below: String(name.prefix(2)))
        do throws(Errno) {
            let added = try tried(name) { () throws(Errno) in
                try staging.tree.link(path, to: folder, name)
            }
            if added != .absent { return false }
        } catch .exists {}
        if try link(digest, size: size, to: staging.folder, StagingFolder.swapName) == .linked {
            try staging.folder.rename(StagingFolder.swapName, to: staging.tree, path)
            return true
        }
        // The one that is here is full, damaged, or gone since: this one takes its place.
        if try tried(
            name,
            { () throws(Errno) in
                try staging.tree.link(path, to: staging.folder, StagingFolder.swapName)
            }
        ) == .linked {
            try staging.folder.rename(StagingFolder.swapName, to: folder, name)
        }
        return false
    }

    /// The paths here of contents of at least `size` octets that may be trusted, by their size.
    func contents(ofAtLeast size: UInt64) -> [UInt64: [String]] {
        var found: [UInt64: [String]] = [:]
        forEach { path, status in
            let own = UInt64(clamping: status.size)
            if own >= size, isTrusted(status, own) { found[own, default: []].append(path) }
        }
        return found
    }

    /// Opens a content for reading by its path here.
    func open(_ path: String) throws(Errno) -> FileDescriptor {
        try folder.openFile(path)
    }

    /// Removes contents that no release holds. Call it with the store's lock held.
    ///
    /// - Returns: the octets on the disk that came back.
    @discardableResult
    func removeUnused() -> UInt64 {
        var freed: UInt64 = 0
        forEach { path, status in
            guard status.links == 1, (try? folder.removeFile(path)) != nil else { return }
            freed += UInt64(clamping: status.allocated)
        }
        return freed
    }

    private func forEach(_ body: (_ path: String, FileStatus) -> Void) {
        var prefixes: [String] = []
        try? folder.forEachName { prefixes.append($0) }
        for prefix in prefixes {
            guard let sub = try? folder.openFolder(prefix) else { continue }
            var names: [String] = []
            try? sub.forEachName { names.append($0) }
            for name in names {
                if let status = try? sub.status(of: name), status.kind == .regular { body(prefix + "/" + name, status) }
            }
        }
    }

    private func isTrusted(_ status: FileStatus, _ size: UInt64) -> Bool {
        status.kind == .regular && UInt64(clamping: status.size) == size
            && status.modifiedNanoseconds == Self.sealSeconds * 1_000_000_000
    }

    /// The outcome of a link(2) as far as it decides what to do; other errors are thrown, EEXIST among them.
    func tried(_ path: String, _ link: () throws(Errno) -> Void) throws(Errno) -> Linked {
        if !linkable.load(ordering: .relaxed) { return .impossible }
        do throws(Errno) {
            try seams.beforeCall(.link, path)
            try link()
            return .linked
        } catch {
            switch error {
            case .noEntry: return .absent
            case .fileLinkLimit: return .full
            case .crossesBoundary, .notSupported, .noSystemCall:
                linkable.store(false, ordering: .relaxed)
                return .impossible
            // EPERM is said of one file as well: with fs.protected_hardlinks, of another user's.
            case .notPermitted, .accessDenied: return .impossible
            default: throw error
            }
        }
    }
}
