internal import HostSystem
internal import ModelCatalog

/// What there is to hash, and what is wrong already by names and sizes.
///
/// A file that several names lead to is hashed once, whatever promises stand on it: six architectures of a model share
/// the better part of their octets.
struct VerifyPlan {
    /// Whose promise it is.
    struct Owner: Hashable {
        let model: ModelName
        let version: Version

        var manifestPath: String { StoreLayout.manifestPath(model, version) }
    }

    /// The file at `path` has this content.
    struct Promise {
        /// Below the document root.
        let path: String
        let digest: ContentDigest
        /// Nil for an entry of the content pool.
        let owner: Owner?
    }

    /// One file on the disk, and what is promised of it.
    struct StoredFile {
        let size: UInt64
        /// At least one.
        var promises: [Promise]
    }

    /// An asset whose files all seem to be there.
    struct ArchivedAsset {
        let owner: Owner
        let asset: Asset
    }

    /// What a finding is about, and so what it stands by: publishing and pruning go on while octets are read.
    enum Subject {
        /// Stands while the version is published.
        case version(Owner)
        /// Stands while there is a tree of that version, and no manifest.
        case strayTree(Owner)
        /// Stands while the staging folder is there and nobody holds its lock.
        case staging(name: String)
        /// Stands while only the pool has that content, and nobody is taking trees away. Below the document root.
        case pooled(folder: String, name: String)
        /// Stands whatever happens.
        case other
    }

    struct Found {
        let finding: VerifyFinding
        let subject: Subject
    }

    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    private(set) var found: [Found] = []
    private(set) var stored: [StoredFile] = []
    var archives: [ArchivedAsset] = []
    var versions = 0
    var files = 0
    private var places: [Identity: Int] = [:]

    mutating func find(
        _ kind: VerifyFinding.Kind,
        _ path: String,
        _ message: String,
        _ subject: Subject = .other
    ) {
        found.append(Found(finding: VerifyFinding(kind, path, message), subject: subject))
    }

    mutating func find(_ kind: VerifyFinding.Kind, _ path: String, _ message: String, owner: Owner) {
        find(kind, path, message, .version(owner))
    }

    /// Puts `promise` on the file whose status this is.
    mutating func add(_ promise: Promise, to status: FileStatus) {
        let identity = Identity(device: status.device, inode: status.inode)
        if let place = places[identity] {
            stored[place].promises.append(promise)
        } else {
            places[identity] = stored.count
            stored.append(StoredFile(size: UInt64(clamping: status.size), promises: [promise]))
        }
    }
}
