package import HostSystem
package import ModelCatalog

/// Why a release was not published. Nothing of it is left in the store then, but for `.io` after the commit, which says
/// so.
package enum PublishError: Error, Sendable, CustomStringConvertible {
    /// A source file is not what it was at the inspection, or changed or was cut while it was read. `path` is relative
    /// to the release's folder, as in the next.
    case sourceChanged(path: String)
    case sourceUnreadable(path: String, Errno)
    /// `main.hash` beside a program gives another digest than the program has. All such programs, sorted by path; at
    /// least one.
    case hashMismatch([HashMismatch])
    /// Known before anything is copied. Octets.
    case notEnoughSpace(needed: UInt64, available: UInt64)
    /// The disk, or a quota, was exhausted while `path` was written.
    case diskFull(path: String)
    /// The version is published with other content. At least one difference.
    case differs(ModelName, Version, [ReleaseDifference])
    /// The version is published with this content, but not all of it is on the disk any more. Each file's path below the
    /// store's folder, and what is wrong with it; at least one.
    case damaged(ModelName, Version, [(path: String, fault: String)])
    /// The version has a manifest that cannot be read, so nothing can be held against it.
    case manifestUnreadable(path: String, reason: String)
    /// A tree without a manifest stands where the version's belongs, and it was not left by a publisher that died.
    case treeInTheWay(path: String)
    /// The release cannot be written as a manifest.
    case notARelease(ManifestError)
    /// Its manifest would have more octets than any reader takes.
    case tooManyFiles(octets: Int)
    /// The store cannot be locked, or is not there.
    case lock(StoreLock.Failure)
    case noThread(Errno)
    /// A system call on `path`, a path of the store, failed.
    case io(path: String, Errno)
    /// The manifest has its name, but whether that is on the disk already is not known.
    case committedUnsynced(path: String, Errno)
    /// `ReleasePublisher.interrupt()` was called.
    case interrupted

    init(_ error: Errno, writing path: String) {
        self = error == .noSpace || error == .quotaExceeded ? .diskFull(path: path) : .io(path: path, error)
    }

    package var description: String {
        switch self {
        case .sourceChanged(let path):
            "\(path) was changed or cut short while the release was read: let the build end, then publish again"
        case .sourceUnreadable(let path, let error):
            "cannot read \(path): \(error); the user that publishes must be able to read the whole folder"
        case .hashMismatch(let mismatches):
            mismatches.map { "\($0.path) \($0.message)" }.joined(separator: "\n")
        case .notEnoughSpace(let needed, let available):
            Self.notEnoughSpace(needed, available)
        case .diskFull(let path):
            "the store's disk (or its quota) is full, met while \(path) was written; nothing is left of the release: "
                + "free some space (aimodel-host prune), then publish again"
        case .differs(let model, let version, let differences):
            Self.describe(model, version, differences)
        case .damaged(let model, let version, let files):
            "\(model) \(version) is published already with this content, but it is damaged on disk; run aimodel-host "
                + "verify, and restore the files" + Self.list(files.map { "\($0.path) \($0.fault)" })
        case .manifestUnreadable(let path, let reason):
            "\(path) stands for a published version and cannot be read: \(reason); mend it from a backup, or remove it "
                + "and the version's folder"
        case .treeInTheWay(let path):
            "\(path) is there, but no manifest for it: look whose it is, and move it away or choose another version"
        case .notARelease(let error):
            "\(error)"
        case .tooManyFiles(let octets):
            "the manifest of so many files would have \(octets) octets, and \(ManifestReader.maximumSize) are the most that "
                + "is read: pack small files into larger ones"
        case .lock(let failure):
            "\(failure)"
        case .noThread(let error):
            "cannot start a thread: \(error); raise the limit of processes (ulimit -u)"
        case .io(let path, let error):
            "\(path): \(error); nothing is left of the release"
        case .committedUnsynced(let path, let error):
            "\(path) is published, but the disk did not confirm it: \(error); check the disk, then run aimodel-host verify"
        case .interrupted:
            "interrupted; nothing is left of the release"
        }
    }

    /// So many differences are told in words; a release may have thousands.
    private static let described = 20

    private static func describe(_ model: ModelName, _ version: Version, _ all: [ReleaseDifference]) -> String {
        "\(model) \(version) is published already with other content, and what is published never changes: choose "
            + "another version" + list(all.map(\.description))
    }

    private static func list(_ all: [String]) -> String {
        let lines = all.prefix(described).map { "\n  \($0)" }.joined()
        return lines + (all.count > described ? "\n  and \(all.count - described) more" : "")
    }
}

/// Runs `body`, whose failure is one of writing at `path` in the store.
func writing<Result: ~Copyable>(
    _ path: @autoclosure () -> String,
    _ body: () throws(Errno) -> Result
) throws(PublishError) -> Result {
    do throws(Errno) {
        return try body()
    } catch {
        throw PublishError(error, writing: path())
    }
}
