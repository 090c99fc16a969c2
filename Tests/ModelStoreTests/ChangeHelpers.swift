import HostSystem
import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

/// A store in which something is to be changed, and short words for what is asked of it.
struct ChangedStore {
    let disk: ReleaseStore
    let editor: RecordEditor

    static let model = named("Sam3", ModelName.init)
    static let stable = named("stable", ChannelName.init)
    static let moment = named("2026-12-01T09:30:00Z", { Instant($0) })

    /// Each of the versions published, the least that there can be.
    init(_ versions: String...) throws {
        disk = try ReleaseStore()
        for version in versions { try disk.publish(.minimal(version: version)) }
        editor = try RecordEditor(root: disk.root)
    }

    @discardableResult
    func promote(_ version: String, _ percent: Int = 100, to channel: String = "stable") throws -> RecordChange {
        try editor.promote(
            Self.model,
            Self.version(version),
            to: Self.named(channel, ChannelName.init),
            percent: percent,
            at: Self.moment
        )
    }

    @discardableResult
    func rollBack(_ channel: String = "stable") throws -> RecordChange {
        try editor.rollBack(Self.model, channel: Self.named(channel, ChannelName.init))
    }

    @discardableResult
    func withdraw(
        _ version: String,
        _ architecture: String? = nil,
        reason: String = "wrong weights",
        replacement: String? = nil
    ) throws -> RecordChange {
        try editor.withdraw(
            Self.model,
            Self.version(version),
            architecture: architecture.map { Self.named($0, Architecture.init) },
            reason: reason,
            replacement: replacement.map(Self.version),
            at: Self.moment
        )
    }

    /// What a server makes of the store now.
    func scanned() throws -> ModelEntry? {
        let store = try StoreFolder(root: disk.root)
        return try CatalogScanner(store: store, findings: CatalogFindings()).scan().model("Sam3")
    }

    /// `version share % < history`, as a server reads it; nil where there is no such channel.
    func outline(_ channel: String = "stable") throws -> String? {
        try scanned()?.record.channels[Self.named(channel, ChannelName.init)].map(Self.outline)
    }

    static func outline(_ channel: Channel) -> String {
        ([channel.version.text + (channel.share < 100 ? " \(channel.share) %" : "")]
            + channel.history.map(\.version.text))
            .joined(separator: " < ")
    }

    static func version(_ text: String) -> Version { named(text, Version.init) }

    /// A name that a test wrote; one that is none is the test's own fault.
    static func named<Name>(_ text: String, _ make: (String) -> Name?) -> Name {
        guard let name = make(text) else { preconditionFailure("\(text) is no \(Name.self)") }
        return name
    }
}

/// The error that `body` throws, in its own words, or nil.
func refusal(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return "\(error)"
    }
}

extension ReleaseStore {
    /// Of what lies at `path` below the store's folder.
    func inode(_ path: String) throws -> UInt64 {
        try FileDescriptor.openFolder(root).status(of: path).inode
    }

    /// The names in a folder below the store's, sorted.
    func names(_ path: String) throws -> [String] {
        var names: [String] = []
        try FileDescriptor.openFolder(self.path(path)).forEachName { names.append($0) }
        return names.sorted()
    }

    /// The content of a small file below the store's folder.
    func text(_ path: String) throws -> String {
        let file = try FileDescriptor.openFolder(root).openFile(path)
        return String(decoding: try file.readAll(limit: 1 << 20) ?? [], as: UTF8.self)
    }
}
