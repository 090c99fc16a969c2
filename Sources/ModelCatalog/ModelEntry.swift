/// What tells one state of a manifest's file from another without reading it. Opaque here: whoever looks at the disk
/// fills it in, and compares it.
package struct FileStamp: Hashable, Sendable {
    /// Since 1970, as the file system says.
    package let modifiedNanoseconds: Int64
    /// In bytes.
    package let size: Int64
    package let inode: UInt64

    package init(modifiedNanoseconds: Int64, size: Int64, inode: UInt64) {
        self.modifiedNanoseconds = modifiedNanoseconds
        self.size = size
        self.inode = inode
    }
}

/// A version that is published: 48 bytes, for there may be tens of thousands. Its manifest is read when asked for.
package struct VersionEntry: Hashable, Sendable {
    package let version: Version
    package let stamp: FileStamp

    package init(version: Version, stamp: FileStamp) {
        self.version = version
        self.stamp = stamp
    }
}

/// What a channel's name leads to.
package enum ChannelLookup: Hashable, Sendable {
    case version(Version)
    /// No such channel; or `latest`, with nothing that could be it.
    case unknown
}

/// All that is published of one model at one moment. Never changes; snapshots share it.
package final class ModelEntry: Sendable {
    package let name: ModelName
    /// Newest first, each once.
    package let versions: [VersionEntry]
    package let record: ModelRecord
    /// The highest version that is neither a prerelease nor withdrawn.
    package let latest: Version?

    /// Indices into `versions`, sorted by text. To compare precedence takes ten times as long as to compare texts, and every
    /// request looks its version up.
    private let byText: [UInt32]
    private let withdrawn: [Version: Withdrawal]
    private let withdrawnVariants: [Variant: Withdrawal]

    private struct Variant: Hashable {
        let version: Version
        let architecture: Architecture
    }

    /// - Parameter versions: in any order; of two entries for one version the first counts.
    package init(name: ModelName, versions: [VersionEntry], record: ModelRecord = .empty) {
        var withdrawn: [Version: Withdrawal] = [:]
        var withdrawnVariants: [Variant: Withdrawal] = [:]
        // Where one was declared twice, the newest word counts.
        for withdrawal in record.withdrawals {
            if let architecture = withdrawal.architecture {
                withdrawnVariants[Variant(version: withdrawal.version, architecture: architecture)] = withdrawal
            } else {
                withdrawn[withdrawal.version] = withdrawal
            }
        }
        var sorted: [VersionEntry] = []
        sorted.reserveCapacity(versions.count)
        for entry in versions.sorted(by: { $0.version > $1.version }) where sorted.last?.version != entry.version {
            sorted.append(entry)
        }
        self.name = name
        self.versions = sorted
        self.record = record
        self.latest = sorted.first { !$0.version.isPrerelease && withdrawn[$0.version] == nil }?.version
        self.byText = sorted.indices.map { UInt32($0) }.sorted {
            sorted[Int($0)].version.text < sorted[Int($1)].version.text
        }
        self.withdrawn = withdrawn
        self.withdrawnVariants = withdrawnVariants
    }

    /// The entry of a version, nil where it is not published. A binary search.
    package func version(_ version: Version) -> VersionEntry? {
        // A version is ASCII, and of such texts `String.<` is the order of the bytes.
        var low = 0
        var high = byText.count
        while low < high {
            let middle = low + (high - low) / 2
            if versions[Int(byText[middle])].version.text < version.text { low = middle + 1 } else { high = middle }
        }
        guard low < byText.count, versions[Int(byText[low])].version == version else { return nil }
        return versions[Int(byText[low])]
    }

    /// Where a channel leads for a device: `latest`, or one that the record names. What it leads to may be withdrawn,
    /// or even gone: a channel is never quietly bent to something else.
    package func lookUp(_ channel: ChannelName, device: String? = nil) -> ChannelLookup {
        if channel == .latest { return latest.map { .version($0) } ?? .unknown }
        guard let pointer = record.channels[channel] else { return .unknown }
        return .version(pointer.version(for: device, model: name))
    }

    /// The withdrawal of the whole version.
    package func withdrawal(of version: Version) -> Withdrawal? { withdrawn[version] }

    /// The withdrawal of just this architecture. Whether the whole version is withdrawn is another question.
    package func withdrawal(of version: Version, architecture: Architecture) -> Withdrawal? {
        withdrawnVariants[Variant(version: version, architecture: architecture)]
    }

    /// The channels of the record, sorted by their bytes; `latest` is not among them.
    package var channelNames: [ChannelName] { record.channels.keys.sorted() }
}
