internal import HostSystem
internal import ModelCatalog
internal import Synchronization

/// The contents of one release in its staging folder: each of them once, whatever threads bring it.
///
/// Any thread may use it.
final class StagedContents: Sendable {
    private enum State: Sendable {
        /// A thread is about to bring it; that one waits for no other.
        case coming
        /// Below the tree.
        case at(String)
    }

    private let staging: StagingFolder
    private let pool: ContentPool
    private let tree: StagedTree
    private let control: PublishControl
    private let contents = Monitor<[ContentDigest: State]>([:])
    /// Of each signature that several files have: whether the first to be read is there.
    private let repeated = Monitor<[LikelyDuplicates.Signature: Bool]>([:])
    private let swaps = Atomic(0)

    init(_ staging: StagingFolder, _ pool: ContentPool, _ tree: StagedTree, _ control: PublishControl) {
        self.staging = staging
        self.pool = pool
        self.tree = tree
        self.control = control
    }

    /// Makes the file at `path` for writing, and the folders above it.
    func create(_ path: String) throws(PublishError) -> StagedOutput {
        try tree.makeFolders(above: path)
        return StagedOutput(
            try writing(path) { () throws(Errno) in try staging.tree.createFile(path, permissions: 0o600) },
            path: path,
            seams: control.seams
        )
    }

    /// Tries to make `path` a further name of a content that is staged or stored already. What stands at `path` is
    /// replaced. Without success the content is the caller's to bring there: it must call `bring` or `fail`, for
    /// others may wait.
    func link(_ digest: ContentDigest, size: UInt64, to path: String) throws(PublishError) -> Bool {
        let swap = "\(StagingFolder.swapName)\(swaps.add(1, ordering: .relaxed).oldValue)"
        let linked = try writing(path) { () throws(Errno) in
            guard let staged = claim(digest) else {
                return try pool.link(digest, size: size, to: staging.folder, swap)
            }
            return try pool.tried(swap) { () throws(Errno) in try staging.tree.link(staged, to: staging.folder, swap) }
        }
        guard linked == .linked else { return false }
        try tree.makeFolders(above: path)
        try writing(path) { () throws(Errno) in try staging.folder.rename(swap, to: staging.tree, path) }
        try settle(digest, size, path, isLinked: true)
        return true
    }

    /// The content is at `path` now, written there and sealed.
    func bring(_ digest: ContentDigest, size: UInt64, at path: String) throws(PublishError) {
        try settle(digest, size, path, isLinked: false)
    }

    /// The content does not come. For a content that is there already nothing changes.
    func fail(_ digest: ContentDigest) {
        contents.update { if case .coming = $0[digest] { $0[digest] = nil } }
    }

    private func settle(
        _ digest: ContentDigest,
        _ size: UInt64,
        _ path: String,
        isLinked: Bool
    ) throws(PublishError) {
        contents.update { contents in
            // The newest copy, should the one before have all the names that it can.
            if case .at = contents[digest], isLinked { return }
            contents[digest] = .at(path)
        }
        tree.add(.init(path: path, size: size, digest: digest, isLinked: isLinked))
        try control.seams.at(.fileStaged)
    }

    /// Where the content is staged; nil where it is not, and then it is the caller's to bring.
    private func claim(_ digest: ContentDigest) -> String? {
        let staged: String?? = contents.await { contents in
            switch contents[digest] {
            case .at(let path): return .some(path)
            case .coming: return nil
            case nil:
                contents[digest] = .coming
                return .some(nil)
            }
        }
        return staged ?? nil
    }

    // MARK: Likely duplicates

    /// Whether this is the first of the files with that signature, which is to be copied at once. That one must call
    /// `endRepeated`, whatever comes.
    func beginRepeated(_ signature: LikelyDuplicates.Signature) -> Bool {
        repeated.update { repeated in
            if repeated[signature] != nil { return false }
            repeated[signature] = false
            return true
        }
    }

    func endRepeated(_ signature: LikelyDuplicates.Signature) {
        repeated.update { $0[signature] = true }
    }

    /// Waits until the first has ended. The first waits for nobody, so this ends.
    func awaitRepeated(_ signature: LikelyDuplicates.Signature) {
        _ = repeated.await { $0[signature] == true ? true : nil }
    }
}
