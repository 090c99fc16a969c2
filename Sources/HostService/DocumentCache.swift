internal import ModelCatalog
internal import ModelStore
internal import Synchronization

/// The large documents that were made lately, shared by all loops and their connections: of a listing that a hundred
/// clients take slowly there is one copy in memory, and it is made once.
///
/// Any thread may use it. Small documents are not kept: to make one anew is cheaper than to look for it.
final class DocumentCache: Sendable {
    /// What a document hangs on. Two questions of equal keys have equal answers.
    struct Key: Hashable, Sendable {
        /// The snapshot's.
        let generation: UInt64
        /// Decoded, without the slash at the end. Octets: `String` takes canonically equivalent names for equal.
        let path: [UInt8]
        let form: Form
    }

    enum Form: Hashable, Sendable {
        case page
        case json
        /// What `resolve` answers of this version: `question` without who asks, and whether it has the version already.
        case resolution(Version, DeviceQuestion, isInstalled: Bool)
    }

    /// Octets. A smaller document is not shared.
    private static let largeFrom = 64 << 10
    /// Octets of all documents held; one above it is held alone.
    private static let limit = 32 << 20

    private let documents = Mutex(BoundedCache<Key, Document>(limit: limit))

    /// The document that was shared under this key, if it is still held.
    func held(_ key: Key) -> Document? {
        documents.withLock { $0.value(for: key) }
    }

    /// `document`, or the one that another thread has shared under this key meanwhile.
    func share(_ document: Document, as key: Key) -> Document {
        guard document.body.count > Self.largeFrom else { return document }
        return documents.withLock { documents in
            if let held = documents.value(for: key) { return held }
            documents.insert(document, for: key, cost: document.body.count)
            return document
        }
    }
}
