package import ModelCatalog

/// Why nobody can download a version.
package enum Obstacle: Hashable, Sendable, CustomStringConvertible {
    /// The whole version.
    case withdrawn
    /// It was pruned, or its manifest is gone.
    case notPublished

    package var description: String {
        switch self {
        case .withdrawn: "withdrawn"
        case .notPublished: "not published any more"
        }
    }
}

/// What an operator should know of a change that was made. None of these keeps it from being made.
package enum ChangeRemark: Hashable, Sendable, CustomStringConvertible {
    /// A share is given, and there is nothing before for the others.
    case nothingBefore(ChannelName, Version)
    /// The devices outside the share are led to a version that they cannot have.
    case othersCannotHave(Version, Obstacle)
    /// A staged version was replaced before everybody had it; no rollback leads to it.
    case neverReachedEverybody(Version, share: Int)
    /// A rollback went past it.
    case passedOver(Version, Obstacle)
    /// Of the version that a channel now leads to, these architectures are withdrawn.
    case architecturesWithdrawn(Version, [Architecture])
    /// The channel leads to what was just withdrawn: all devices, or those outside the share.
    case channelLeadsThere(ChannelName, Version, replacement: Version?)
    /// Another version was withdrawn in favour of the one that was just withdrawn.
    case replacedByWithdrawn(Version, replacement: Version)
    /// The replacement has nothing for the architecture that was withdrawn.
    case replacementLacks(Version, Architecture)

    package var description: String {
        switch self {
        case .nothingBefore(let channel, let version):
            "\(channel) has no version before \(version), so every device gets it, whatever the share"
        case .othersCannotHave(let version, let obstacle):
            "the devices outside the share are led to \(version), which is \(obstacle); promote with --percent 100, or "
                + "promote another version first"
        case .neverReachedEverybody(let version, let share):
            "\(version) had reached \(share) % of the devices only; a rollback will not lead back to it"
        case .passedOver(let version, let obstacle):
            "\(version) was passed over: it is \(obstacle)"
        case .architecturesWithdrawn(let version, let architectures):
            "of \(version), \(architectures.map(\.text).joined(separator: ", ")) is withdrawn: those devices get the "
                + "portable asset, or nothing"
        case .channelLeadsThere(let channel, let version, let replacement):
            "\(channel) leads to \(version): its devices are refused (410) until you "
                + (replacement.map { "promote \($0) there" } ?? "promote another version there, or roll it back")
        case .replacedByWithdrawn(let version, let replacement):
            "\(version) was withdrawn in favour of \(replacement): withdraw it again with another --replacement"
        case .replacementLacks(let version, let architecture):
            "\(version) has no asset for \(architecture): those devices get its portable asset, or nothing"
        }
    }
}
