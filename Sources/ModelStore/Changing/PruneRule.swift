package import ModelCatalog

/// Why a version stays when a model is pruned.
package enum KeepReason: Hashable, Sendable, CustomStringConvertible {
    /// One of the newest, as many as were asked for.
    case newest
    /// A prerelease of what is to come, of which the newest are kept as well.
    case newestPrerelease
    /// Withdrawn, and not older than what is kept: devices that ask for it are told what to take instead.
    case withdrawnLately
    /// A channel leads to it.
    case channel(ChannelName)
    /// The devices outside the share of a channel have it.
    case outsideShare(ChannelName)
    /// A rollback of the channel would go there.
    case rollback(ChannelName)
    /// It replaces a version that is withdrawn and stays.
    case replacement(of: Version)
    /// The caller said so.
    case protected

    package var description: String {
        switch self {
        case .newest: "one of the newest"
        case .newestPrerelease: "one of the newest prereleases"
        case .withdrawnLately: "withdrawn, but newer than the oldest that is kept"
        case .channel(let channel): "\(channel) leads to it"
        case .outsideShare(let channel): "devices outside the share of \(channel) have it"
        case .rollback(let channel): "a rollback of \(channel) would go there"
        case .replacement(let version): "it replaces \(version), which is withdrawn"
        case .protected: "devices still ask for it"
        }
    }
}

/// Which versions of a model are old: the rule, without the disk.
///
/// Of `keep` versions asked for, only releases count that are not withdrawn: a row of betas, or of releases that went
/// wrong, must not push out what devices use. Prereleases that are newer than the newest release are kept by the same
/// number; those of releases that are out are old. What is withdrawn and newer than the oldest that is kept stays too.
/// Everything else goes, unless something leads to it.
struct PruneRule {
    private let entry: ModelEntry
    private let keep: Int
    private let protected: Set<Version>

    /// - Parameter keep: 1 or more.
    init(_ entry: ModelEntry, keep: Int, protected: Set<Version>) {
        self.entry = entry
        self.keep = keep
        self.protected = protected
    }

    /// Why each version that stays does; of several reasons, the weightiest. All others go.
    func kept() -> [Version: KeepReason] {
        var kept: [Version: KeepReason] = [:]
        let versions = entry.versions.map(\.version)
        let releases = versions.filter { !$0.isPrerelease }
        add(newest(of: releases), .newest, &kept)
        let coming = versions.filter { version in
            version.isPrerelease && (entry.latest.map { version > $0 } ?? true)
        }
        add(newest(of: coming), .newestPrerelease, &kept)
        for name in entry.channelNames.reversed() { add(channel: name, &kept) }
        addReplacements(&kept)
        // Only where nothing else keeps it: these are the versions that would go without the caller's word.
        let alone = protected.filter { kept[$0] == nil && entry.version($0) != nil }
        for version in alone { kept[version] = .protected }
        addReplacements(&kept)
        return kept
    }

    /// The newest that are not withdrawn, and those withdrawn that are not older than these.
    private func newest(of versions: [Version]) -> [Version] {
        var counted = 0
        return versions.filter { version in
            guard counted < keep else { return false }
            if entry.withdrawal(of: version) == nil { counted += 1 }
            return true
        }
    }

    private func add(_ versions: [Version], _ reason: KeepReason, _ kept: inout [Version: KeepReason]) {
        for version in versions {
            kept[version] = entry.withdrawal(of: version) == nil ? reason : .withdrawnLately
        }
    }

    private func add(channel name: ChannelName, _ kept: inout [Version: KeepReason]) {
        guard let channel = entry.record.channels[name] else { return }
        let past = channel.history.map(\.version)
        // A rollback passes over what cannot be downloaded.
        if let back = past.first(where: { entry.obstacle(to: $0) == nil }), !isLedTo(kept[back]) {
            kept[back] = .rollback(name)
        }
        if channel.share < 100, let others = past.first, entry.version(others) != nil, !isLedTo(kept[others]) {
            kept[others] = .outsideShare(name)
        }
        if entry.version(channel.version) != nil { kept[channel.version] = .channel(name) }
    }

    private func isLedTo(_ reason: KeepReason?) -> Bool {
        if case .channel = reason { return true }
        return false
    }

    /// A replacement may be withdrawn itself, and have one: so until no more are found.
    private func addReplacements(_ kept: inout [Version: KeepReason]) {
        var found = true
        while found {
            found = false
            for withdrawal in entry.record.withdrawals where kept[withdrawal.version] != nil {
                guard let instead = withdrawal.replacement, entry.version(instead) != nil, kept[instead] == nil else {
                    continue
                }
                kept[instead] = .replacement(of: withdrawal.version)
                found = true
            }
        }
    }
}
