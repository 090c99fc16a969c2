internal import HostSystem
package import ModelCatalog

/// What became of a model's record.
package struct RecordChange: Equatable, Sendable {
    /// False where all was already so: then nothing was written.
    package let changed: Bool
    /// The record as it is now.
    package let record: ModelRecord
    /// The channel in question as it is now; nil after a withdrawal.
    package let channel: Channel?
    /// The channel as it was; nil where there was none of this name, and after a withdrawal.
    package let previous: Channel?
    /// What the operator should know; in the order of weight.
    package let remarks: [ChangeRemark]
}

/// Changes what may change about a published model: where its channels lead, and what is withdrawn.
///
/// Each change is one rename of `model.json`, made under the store's lock and on the disk when the call returns: after
/// a crash the record is the one before or the one after, and two changes at once are made one after the other. A
/// running server notices. Any thread may use it; it waits for the disk and for the lock.
package struct RecordEditor: Sendable {
    private let store: StoreFolder

    /// Throws `.store` where the store's folder cannot be opened.
    package init(root: String) throws(ChangeError) {
        do throws(StoreError) {
            store = try StoreFolder(root: root)
        } catch {
            throw .store(error)
        }
    }

    /// Points a channel at a version, for `percent` of the devices; the others stay with what was there before.
    ///
    /// What it pointed at before enters the channel's history, newest first, if everybody had it (see `ChannelMove`).
    /// The same version again changes the share only.
    ///
    /// - Parameters:
    ///   - percent: 1 to 100.
    ///   - moment: when, for the history.
    /// - Throws: `.reservedChannel`, `.shareOutOfRange`, `.unknownModel`, `.notPublished`, `.withdrawn`,
    ///   `.unusableManifest`, `.unusableRecord`, `.lock`, `.io`.
    package func promote(
        _ model: ModelName,
        _ version: Version,
        to channel: ChannelName,
        percent: Int = 100,
        at moment: Instant
    ) throws(ChangeError) -> RecordChange {
        if channel.isReserved { throw .reservedChannel(channel) }
        guard (1...100).contains(percent) else { throw .shareOutOfRange(percent) }
        let lock = try StoreLock.taking(store.layout)
        defer { withExtendedLifetime(lock) {} }
        let shelf = try ModelShelf.take(model, in: store)
        _ = try shelf.published(version)
        if let withdrawal = shelf.entry.withdrawal(of: version) {
            throw .withdrawn(model, version, replacement: withdrawal.replacement)
        }
        // A channel that leads to a manifest nobody can read would refuse every device.
        _ = try shelf.manifest(of: version)
        let previous = shelf.entry.record.channels[channel]
        let move = ChannelMove.promoting(previous, named: channel, to: version, share: percent, at: moment)
        return try apply(move, to: channel, previous, shelf)
    }

    /// Points a channel back at what everybody had before. Again, it goes further back.
    ///
    /// What cannot be downloaded any more is passed over, and said in the remarks.
    ///
    /// - Throws: `.unknownModel`, `.unknownChannel`, `.reservedChannel`, `.nothingToRollBackTo`, `.unusableRecord`,
    ///   `.lock`, `.io`.
    package func rollBack(_ model: ModelName, channel: ChannelName) throws(ChangeError) -> RecordChange {
        if channel.isReserved { throw .reservedChannel(channel) }
        let lock = try StoreLock.taking(store.layout)
        defer { withExtendedLifetime(lock) {} }
        let shelf = try ModelShelf.take(model, in: store)
        guard let previous = shelf.entry.record.channels[channel] else {
            throw .unknownChannel(model, channel, known: shelf.entry.channelNames)
        }
        let entry = shelf.entry
        guard let move = ChannelMove.rollingBack(previous, obstacle: { entry.obstacle(to: $0) }) else {
            let passedOver = previous.history.compactMap { step in
                entry.obstacle(to: step.version).map { ChangeRemark.passedOver(step.version, $0) }
            }
            throw .nothingToRollBackTo(model, channel, passedOver: passedOver)
        }
        return try apply(move, to: channel, previous, shelf)
    }

    /// Takes back a version, or one architecture of it: devices are refused with the reason and the replacement from
    /// now on. Its files stay until it is pruned. Again, the new reason and replacement take the place of the old.
    ///
    /// Channels that lead there go on leading there, and are named in the remarks.
    ///
    /// - Parameters:
    ///   - architecture: nil for the whole version.
    ///   - reason: 1 to 1,000 octets without control characters; blanks around it are taken off.
    ///   - moment: when, for the record.
    /// - Throws: `.unusableReason`, `.replacementIsItself`, `.replacementNotPublished`, `.replacementWithdrawn`,
    ///   `.unknownArchitecture`, `.unknownModel`, `.notPublished`, `.unusableManifest`, `.unusableRecord`, `.lock`, `.io`.
    package func withdraw(
        _ model: ModelName,
        _ version: Version,
        architecture: Architecture? = nil,
        reason: String,
        replacement: Version? = nil,
        at moment: Instant
    ) throws(ChangeError) -> RecordChange {
        let reason = try WithdrawalReason.checked(reason)
        if replacement == version { throw .replacementIsItself(version) }
        let lock = try StoreLock.taking(store.layout)
        defer { withExtendedLifetime(lock) {} }
        let shelf = try ModelShelf.take(model, in: store)
        _ = try shelf.published(version)
        if let architecture {
            let available = try shelf.manifest(of: version).architectures
            guard available.contains(architecture) else {
                throw .unknownArchitecture(model, version, architecture, available: available)
            }
        }
        try check(replacement, of: version, architecture, on: shelf)
        let withdrawal = Withdrawal(
            version: version,
            architecture: architecture,
            reason: reason,
            replacement: replacement,
            at: moment.text
        )
        let record = shelf.entry.record
        var remarks = WithdrawalEffects.remarks(on: withdrawal, in: record)
        if let replacement, let architecture,
            try !shelf.manifest(of: replacement).architectures.contains(architecture)
        {
            remarks.append(.replacementLacks(replacement, architecture))
        }
        let others = record.withdrawals.filter { $0.version != version || $0.architecture != architecture }
        // Of one declared several times by other hands, the last counts.
        let standing = record.withdrawals.last { $0.version == version && $0.architecture == architecture }
        if standing?.reason == reason, standing?.replacement == replacement {
            return RecordChange(changed: false, record: record, channel: nil, previous: nil, remarks: remarks)
        }
        let new = ModelRecord(channels: record.channels, withdrawals: others + [withdrawal])
        try RecordFile.replace(in: shelf.folder, of: model, with: new)
        return RecordChange(changed: true, record: new, channel: nil, previous: nil, remarks: remarks)
    }

    private func check(
        _ replacement: Version?,
        of version: Version,
        _ architecture: Architecture?,
        on shelf: borrowing ModelShelf
    ) throws(ChangeError) {
        guard let replacement else { return }
        switch shelf.entry.obstacle(to: replacement) {
        case nil: return
        case .notPublished: throw .replacementNotPublished(shelf.model, replacement)
        case .withdrawn: throw .replacementWithdrawn(shelf.model, replacement)
        }
    }

    private func apply(
        _ move: ChannelMove,
        to channel: ChannelName,
        _ previous: Channel?,
        _ shelf: borrowing ModelShelf
    ) throws(ChangeError) -> RecordChange {
        let entry = shelf.entry
        var remarks = move.remarks
        if move.channel.share < 100, let others = move.channel.history.first?.version,
            let obstacle = entry.obstacle(to: others)
        {
            remarks.append(.othersCannotHave(others, obstacle))
        }
        let withdrawn = Set(
            entry.record.withdrawals.filter { $0.version == move.channel.version }.compactMap(\.architecture)
        )
        if !withdrawn.isEmpty { remarks.append(.architecturesWithdrawn(move.channel.version, withdrawn.sorted())) }
        guard move.channel != previous else {
            return RecordChange(
                changed: false,
                record: entry.record,
                channel: previous,
                previous: previous,
                remarks: remarks
            )
        }
        var channels = entry.record.channels
        channels[channel] = move.channel
        let record = ModelRecord(channels: channels, withdrawals: entry.record.withdrawals)
        try RecordFile.replace(in: shelf.folder, of: shelf.model, with: record)
        return RecordChange(
            changed: true,
            record: record,
            channel: move.channel,
            previous: previous,
            remarks: remarks
        )
    }
}

extension StoreLock {
    /// Waits for the store's lock. Throws `.lock`.
    static func taking(_ layout: StoreLayout) throws(ChangeError) -> StoreLock {
        do throws(Failure) {
            return try StoreLock(root: layout.root)
        } catch {
            throw .lock(error)
        }
    }
}
