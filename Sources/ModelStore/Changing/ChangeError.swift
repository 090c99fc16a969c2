package import HostSystem
package import ModelCatalog

/// Why something that is published could not be changed, or looked at. Nothing was changed then, unless a case says so.
package enum ChangeError: Error, Sendable, CustomStringConvertible {
    // What was asked for.
    /// `close` are names of models that may have been meant.
    case unknownModel(String, close: [String])
    case notPublished(ModelName, Version, close: [String])
    case withdrawn(ModelName, Version, replacement: Version?)
    case reservedChannel(ChannelName)
    /// `known` are the channels that there are.
    case unknownChannel(ModelName, ChannelName, known: [ChannelName])
    case shareOutOfRange(Int)
    case nothingToRollBackTo(ModelName, ChannelName, passedOver: [ChangeRemark])
    case unusableReason(rule: String)
    case unknownArchitecture(ModelName, Version, Architecture, available: [Architecture])
    case replacementIsItself(Version)
    case replacementNotPublished(ModelName, Version)
    case replacementWithdrawn(ModelName, Version)
    /// Less than one version is to be kept.
    case keepOutOfRange(Int)

    // What stands in the way.
    case store(StoreError)
    /// The folder has none of manifests in it: very likely another one was meant.
    case noStore(folder: String)
    case lock(StoreLock.Failure)
    case unusableManifest(path: String, ManifestFailure)
    /// The record is not understood, and to write a new one would undo withdrawals.
    case unusableRecord(path: String, String)
    case io(path: String, Errno)
    /// The version is not published any more, but not all of its files could be removed. The next prune does.
    case notRemoved(path: String, Errno)
    /// The folders that a change writes in cannot be had.
    case unprepared(String)
    /// Cut off by a test, as a kill would.
    case interrupted

    /// Whether the command line is to be mended rather than the store: exit status 2.
    package var isUsage: Bool {
        switch self {
        case .reservedChannel, .shareOutOfRange, .keepOutOfRange, .unusableReason, .replacementIsItself: true
        default: false
        }
    }

    /// Whether the disk, or a quota, is full.
    var isForWantOfRoom: Bool {
        guard case .io(_, let error) = self else { return false }
        return error == .noSpace || error == .quotaExceeded
    }

    package var description: String {
        switch self {
        case .unknownModel(let name, let close):
            "no model \(name) is published" + Self.question(close)
        case .notPublished(let model, let version, let close):
            "\(model) \(version) is not published" + Self.question(close)
        case .withdrawn(let model, let version, let replacement):
            "\(model) \(version) is withdrawn; "
                + (replacement.map { "promote \($0), which replaces it" } ?? "promote another version")
        case .reservedChannel(let channel):
            "\(channel) is reserved and cannot be pointed anywhere; name another channel, such as stable"
        case .unknownChannel(let model, let channel, let known):
            "\(model) has no channel \(channel); "
                + (known.isEmpty
                    ? "it has none at all: promote a version first"
                    : "it has \(known.map(\.text).joined(separator: ", "))")
        case .shareOutOfRange(let share):
            "\(share) is no share of the devices; it is a percentage from 1 to 100"
        case .nothingToRollBackTo(let model, let channel, let passedOver):
            "\(channel) of \(model) has nothing to go back to; promote the version that it should lead to"
                + passedOver.map { " (\($0))" }.joined()
        case .unusableReason(let rule):
            "the reason is \(rule); devices and their developers are told it"
        case .unknownArchitecture(let model, let version, let architecture, let available):
            "\(model) \(version) has no asset for \(architecture); "
                + (available.isEmpty
                    ? "it has no compiled asset at all" : "it has \(available.map(\.text).joined(separator: ", "))")
        case .replacementIsItself(let version):
            "\(version) cannot replace itself; name another version, or none"
        case .replacementNotPublished(let model, let version):
            "the replacement \(model) \(version) is not published; publish it first, or name another"
        case .replacementWithdrawn(let model, let version):
            "the replacement \(model) \(version) is withdrawn itself; name another"
        case .keepOutOfRange(let count):
            "cannot keep \(count) versions; it is a number from 1 on"
        case .store(let error): "\(error)"
        case .noStore(let folder):
            "\(folder) is no store, for it has no folder \(StoreLayout.manifestsFolder): name the folder of the store "
                + "with --root, or publish something first"
        case .lock(let failure): "\(failure)"
        case .unusableManifest(let path, let failure):
            "\(path): \(failure)"
        case .unusableRecord(let path, let detail):
            "\(path): \(detail); to write over it could undo what was withdrawn"
        case .io(let path, let error):
            "\(path): \(error)" + (isForWantOfRoom ? "; make room and try again" : "")
        case .notRemoved(let path, let error):
            "\(path) is not published any more, but cannot be removed: \(error); mend that and prune again"
        case .unprepared(let words): words
        case .interrupted: "interrupted"
        }
    }

    private static func question(_ close: [String]) -> String {
        close.isEmpty ? "" : "; did you mean \(close.joined(separator: " or "))?"
    }
}
