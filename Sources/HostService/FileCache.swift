internal import HostSystem
internal import HostTransport

/// The files that one loop has served lately, found by the path as it was sent: what makes a steady GET a look-up of
/// octets, without decoding, without a catalog, without a lock and without memory of its own.
///
/// Set-associative: a path can stand in one of four places, and a new one takes the place used longest ago among them.
/// So its size is fixed, and no request pays for a clean-up. Used on the loop's thread only.
struct FileCache {
    private struct Entry {
        var hash: UInt64
        let path: [UInt8]
        let file: PreparedFile
        /// Milliseconds of the loop's clock when it was last used, and when the file was last looked at.
        var used: Int64
        var checked: Int64
    }

    private static let ways = 4
    private let setMask: Int
    private var entries: [Entry?]
    private let seed: UInt64
    private let opener: FileOpener

    /// How long a path is trusted to lead to the file that it led to, and the file to be what it was, in milliseconds.
    /// An immutable tree changes by mistake or for repair only, so that a look at each request would be dear.
    private static let trust: Int64 = 1000
    /// Longer paths are served, but not kept.
    private static let longestPath = 1024

    /// - Parameters:
    ///   - capacity: files, and so open descriptors, at most; rounded down to a power of two, at least four.
    ///   - opener: what opened the files, and looks at them again.
    init(capacity: Int, opener: FileOpener) {
        self.opener = opener
        var sets = 1
        while sets * 2 * Self.ways <= capacity { sets *= 2 }
        setMask = sets - 1
        entries = Array(repeating: nil, count: sets * Self.ways)
        // So that nobody outside can choose paths that all fall into one set.
        seed = UInt64.random(in: .min ... .max)
    }

    /// The file that `path`, as sent, named before; nil if it has to be located.
    mutating func find(_ path: Span<UInt8>, now: Int64) -> PreparedFile? {
        let hash = hash(path)
        let start = Int(truncatingIfNeeded: hash) & setMask * Self.ways
        for index in start..<start + Self.ways {
            guard let found = entries[index]?.hash, found == hash else { continue }
            guard let entry = entries[index], Self.isEqual(entry.path, path) else { continue }
            if now - entry.checked >= Self.trust {
                guard opener.isUnchanged(entry.file) else {
                    entries[index] = nil
                    return nil
                }
                entries[index]?.checked = now
            }
            entries[index]?.used = now
            return entry.file
        }
        return nil
    }

    /// Keeps `file` for the next request of `path`.
    mutating func insert(_ file: PreparedFile, path: Span<UInt8>, now: Int64) {
        guard path.count <= Self.longestPath else { return }
        let hash = hash(path)
        let start = Int(truncatingIfNeeded: hash) & setMask * Self.ways
        var place = start
        for index in start..<start + Self.ways {
            guard let entry = entries[index] else {
                place = index
                break
            }
            if entry.hash == hash, Self.isEqual(entry.path, path) {
                place = index
                break
            }
            if let oldest = entries[place], entry.used < oldest.used { place = index }
        }
        var copy: [UInt8] = []
        copy.reserveCapacity(path.count)
        for index in path.indices { copy.append(path[index]) }
        entries[place] = Entry(hash: hash, path: copy, file: file, used: now, checked: now)
    }

    /// Forgets everything: what a path names may have changed.
    mutating func removeAll() {
        for index in entries.indices { entries[index] = nil }
    }

    /// Closes files that are gone from the disk, so that their space returns. Whether a path leads elsewhere by now is
    /// looked at when it is asked for.
    mutating func closeRemoved() {
        for index in entries.indices where entries[index]?.file.isRemoved == true { entries[index] = nil }
    }

    // FNV-1a with a secret start; good enough for a table that bounds every look-up at four places.
    private func hash(_ path: Span<UInt8>) -> UInt64 {
        var value = seed ^ 0xcbf2_9ce4_8422_2325
        for index in path.indices {
            value = (value ^ UInt64(path[index])) &* 0x100_0000_01b3
        }
        return value ^ value >> 32
    }

    private static func isEqual(_ left: [UInt8], _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in right.indices where left[index] != right[index] { return false }
        return true
    }
}

extension PreparedFile {
    /// Whether nothing leads to the open file any more, so that its space returns when it is closed.
    fileprivate var isRemoved: Bool {
        guard case .file(let file) = content else { return false }
        return (try? file.descriptor.status())?.links ?? 0 == 0
    }
}
