package import HostSystem
internal import Synchronization

/// The places at which a publication can be cut off, in the order in which they are passed.
package enum PublishStep: String, CaseIterable, Sendable {
    /// The staging folder has its lock.
    case staged
    /// A file of the release lies in the staging folder; once for each.
    case fileStaged
    /// All that was written is on the disk.
    case contentsSynced
    /// A new content has its name in the pool; once for each.
    case pooled
    /// Folders are read-only and on the disk.
    case foldersSynced
    /// The store's lock is held, and the intent is on the disk.
    case intentWritten
    /// The manifest is on the disk under a name that nobody reads.
    case draftWritten
    /// The tree is where it is served from, without a manifest.
    case treeMoved
    /// Its top folder is read-only too.
    case treeSealed
    /// The manifest has its name: the version is published.
    case committed
    /// A part of the staging folder is gone.
    case stagingEmptied
}

/// Where tests take hold of a publication. In life nothing is changed.
package final class PublishSeams: Sendable {
    /// A system call that a test may let fail.
    package enum Call: Sendable { case link, write, synchronize, clone, lock }

    private let passes: @Sendable (PublishStep) -> Bool
    private let failure: @Sendable (Call, String) -> Errno?
    private let gone = Atomic(false)

    package static var none: PublishSeams { PublishSeams() }

    /// - Parameters:
    ///   - passes: called at each step, by any thread; false ends the publication there, and leaves everything as
    ///     a killed process would: nothing is cleaned up, locks are let go.
    ///   - failure: what the call on that path fails with instead of being made; nil lets it pass.
    package init(
        passes: @escaping @Sendable (PublishStep) -> Bool = { _ in true },
        failure: @escaping @Sendable (Call, String) -> Errno? = { _, _ in nil }
    ) {
        self.passes = passes
        self.failure = failure
    }

    /// Whether the publication was cut off, so that nothing more may be done to the disk.
    var isGone: Bool { gone.load(ordering: .acquiring) }

    func at(_ step: PublishStep) throws(PublishError) {
        if isGone { throw .interrupted }
        if passes(step) { return }
        gone.store(true, ordering: .releasing)
        throw .interrupted
    }

    func beforeCall(_ call: Call, _ path: String) throws(Errno) {
        if let error = failure(call, path) { throw error }
    }
}
