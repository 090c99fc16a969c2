internal import ModelCatalog

/// What a channel becomes when it is pointed elsewhere: the rules, without the disk.
///
/// The history holds what everybody had, newest first: what the channel leads the devices outside the share to, and
/// what a rollback goes back to, is always its first element. A version that was offered to a share only and then
/// replaced never enters it; else the next staged version would hand the one that was given up to all the others.
struct ChannelMove: Equatable {
    var channel: Channel
    var remarks: [ChangeRemark] = []

    /// Steps of history that are kept: years of releases, and a record of a few kilobytes.
    static let maximumHistory = 50

    /// `channel` pointed at `version` for `share` percent of the devices.
    ///
    /// - Parameters:
    ///   - channel: nil where there is none of this name yet.
    ///   - share: 1 to 100.
    static func promoting(
        _ channel: Channel?,
        named name: ChannelName,
        to version: Version,
        share: Int,
        at moment: Instant
    ) -> ChannelMove {
        guard let channel else {
            return nothingBefore(Channel(version: version, share: share), name)
        }
        if channel.version == version {
            let changed = Channel(version: version, share: share, history: channel.history)
            return channel.history.isEmpty ? nothingBefore(changed, name) : ChannelMove(channel: changed)
        }
        guard channel.share < 100, let others = channel.history.first else {
            let step = PastVersion(version: channel.version, at: moment.text)
            return ChannelMove(
                channel: Channel(
                    version: version,
                    share: share,
                    history: [step] + channel.history.prefix(maximumHistory - 1)
                )
            )
        }
        let givenUp = ChangeRemark.neverReachedEverybody(channel.version, share: channel.share)
        if others.version == version {
            // Those outside the share have it already, so it is everybody's again, whatever share is asked for.
            return ChannelMove(
                channel: Channel(version: version, share: 100, history: Array(channel.history.dropFirst())),
                remarks: [givenUp]
            )
        }
        return ChannelMove(
            channel: Channel(version: version, share: share, history: channel.history),
            remarks: [givenUp]
        )
    }

    /// `channel` back at the newest version of its history that can be downloaded, for all devices; nil where there is
    /// none. Those that cannot be are passed over and leave the history, so that the next rollback goes further back.
    ///
    /// - Parameter obstacle: why a version cannot be downloaded, nil where it can.
    static func rollingBack(_ channel: Channel, obstacle: (Version) -> Obstacle?) -> ChannelMove? {
        var remarks: [ChangeRemark] = []
        for (index, step) in channel.history.enumerated() {
            if let obstacle = obstacle(step.version) {
                remarks.append(.passedOver(step.version, obstacle))
                continue
            }
            return ChannelMove(
                channel: Channel(
                    version: step.version,
                    share: 100,
                    history: Array(channel.history.dropFirst(index + 1))
                ),
                remarks: remarks
            )
        }
        return nil
    }

    /// A share is a share of a change; where there is nothing to change from, all devices get the version.
    private static func nothingBefore(_ channel: Channel, _ name: ChannelName) -> ChannelMove {
        ChannelMove(channel: channel, remarks: channel.share < 100 ? [.nothingBefore(name, channel.version)] : [])
    }
}
