import ModelCatalog
import Testing

@testable import ModelStore

@Suite("prune: which versions are old")
struct PruneRuleTests {
    /// A model in short words.
    struct Sketch: Sendable, CustomTestStringConvertible {
        /// Separated by blanks; a withdrawn one has an exclamation mark, and its replacement after it: `1.0!1.1`.
        var versions: String
        /// `name=version[@share]<history<...`, separated by blanks.
        var channels = ""
        var keep = 1
        var protected = ""
        /// Oldest last.
        var removed: String

        var testDescription: String { "keep \(keep) of \(versions), \(channels) \(protected)" }

        var entry: ModelEntry {
            var entries: [VersionEntry] = []
            var withdrawals: [Withdrawal] = []
            for word in versions.split(separator: " ") {
                let parts = word.split(separator: "!", omittingEmptySubsequences: false).map(String.init)
                let version = ChangedStore.version(parts[0])
                entries.append(
                    VersionEntry(version: version, stamp: FileStamp(modifiedNanoseconds: 0, size: 0, inode: 0))
                )
                guard parts.count > 1 else { continue }
                withdrawals.append(
                    Withdrawal(
                        version: version,
                        architecture: nil,
                        reason: "wrong",
                        replacement: parts[1].isEmpty ? nil : ChangedStore.version(parts[1]),
                        at: ChangedStore.moment.text
                    )
                )
            }
            var channels: [ChannelName: Channel] = [:]
            for word in self.channels.split(separator: " ") {
                let sides = word.split(separator: "=").map(String.init)
                let steps = sides[1].split(separator: "<").map(String.init)
                let now = steps[0].split(separator: "@").map(String.init)
                channels[ChangedStore.named(sides[0], ChannelName.init)] = Channel(
                    version: ChangedStore.version(now[0]),
                    share: now.count > 1 ? Int(now[1]) ?? 0 : 100,
                    history: steps.dropFirst().map {
                        PastVersion(version: ChangedStore.version($0), at: ChangedStore.moment.text)
                    }
                )
            }
            let record = ModelRecord(channels: channels, withdrawals: withdrawals)
            return ModelEntry(name: ChangedStore.model, versions: entries, record: record)
        }

        func kept() -> [Version: KeepReason] {
            let words = protected.split(separator: " ").map { ChangedStore.version(String($0)) }
            return PruneRule(entry, keep: keep, protected: Set(words)).kept()
        }
    }

    @Test(
        "the newest releases stay, and what something leads to",
        arguments: [
            Sketch(versions: "1.0", removed: ""),
            Sketch(versions: "1.0 1.1 1.2", removed: "1.1 1.0"),
            Sketch(versions: "1.0 1.1 1.2", keep: 2, removed: "1.0"),
            Sketch(versions: "1.0 1.1 1.2", keep: 3, removed: ""),
            Sketch(versions: "1.0 1.1 1.2", keep: 1000, removed: ""),
            Sketch(versions: "1.9 1.10 1.2", keep: 2, removed: "1.2"),
            // Prereleases of what is out are old; of what is to come, as many stay as releases do.
            Sketch(versions: "1.0.0-rc.1 1.0.0 1.1.0-rc.1", removed: "1.0.0-rc.1"),
            Sketch(versions: "1.0.0 1.1.0-a.1 1.1.0-a.2 1.1.0-a.3", keep: 2, removed: "1.1.0-a.1"),
            Sketch(versions: "1.0.0 1.1.0 2.0.0-a.1", keep: 1, removed: "1.0.0"),
            Sketch(versions: "1.0.0-a.1 1.0.0-a.2 1.0.0-a.3", keep: 2, removed: "1.0.0-a.1"),
            // What is withdrawn does not count, and stays while it is not older than what counts.
            Sketch(versions: "1.0 1.1 1.2!", removed: "1.0"),
            Sketch(versions: "1.0 1.1! 1.2", removed: "1.1 1.0"),
            Sketch(versions: "1.0 1.1! 1.2", keep: 2, removed: ""),
            Sketch(versions: "1.0! 1.1! 1.2!", removed: ""),
            Sketch(versions: "1.0 1.1.0-a.1 1.1.0-a.2!", keep: 1, removed: ""),
            // Channels.
            Sketch(versions: "1.0 1.1 1.2", channels: "stable=1.0", removed: "1.1"),
            Sketch(versions: "1.0 1.1 1.2", channels: "stable=1.2<1.0", removed: "1.1"),
            Sketch(versions: "1.0 1.1 1.2 1.3", channels: "stable=1.3<1.1<1.0", removed: "1.2 1.0"),
            Sketch(versions: "1.0 1.1 1.2 1.3", channels: "stable=1.3@10<1.1<1.0", removed: "1.2 1.0"),
            Sketch(versions: "1.0 1.1 1.2 1.3", channels: "beta=1.1 stable=1.2<1.0", removed: ""),
            Sketch(versions: "1.0! 1.1", channels: "stable=1.0", removed: ""),
            // A rollback passes over what is withdrawn or gone, and so does this.
            Sketch(versions: "1.0 1.1! 1.2", channels: "stable=1.2<1.1<1.0", removed: "1.1"),
            Sketch(versions: "1.0 1.2", channels: "stable=1.2<1.1<1.0", removed: ""),
            // But devices outside a share have it.
            Sketch(versions: "1.0 1.1! 1.2", channels: "stable=1.2@10<1.1<1.0", removed: ""),
            // A channel that leads to nothing keeps nothing.
            Sketch(versions: "1.0 1.1", channels: "stable=0.9<0.8", removed: "1.0"),
            // What a refusal offers instead stays as long as the refusal does.
            Sketch(versions: "1.0 1.1 1.2 1.3!1.0", removed: "1.1"),
            Sketch(versions: "1.0!1.1 1.1 1.2", removed: "1.1 1.0"),
            Sketch(versions: "0.9 1.0!0.9 1.1 1.2 1.3!1.0", removed: "1.1"),
            Sketch(versions: "1.0 1.1!0.9 1.2", channels: "stable=1.1", removed: "1.0"),
            // Protected.
            Sketch(versions: "1.0 1.1 1.2", protected: "1.0 0.9", removed: "1.1"),
            Sketch(versions: "1.0 1.1 1.2 1.3!1.0", protected: "1.1", removed: ""),
            Sketch(versions: "1.0 1.1!1.0 1.2", protected: "1.1", removed: ""),
        ]
    )
    func rule(_ sketch: Sketch) {
        let kept = sketch.kept()
        let removed = sketch.entry.versions.map(\.version).filter { kept[$0] == nil }
        #expect(removed.map(\.text).joined(separator: " ") == sketch.removed)
        // No reason without a version.
        #expect(kept.count + removed.count == sketch.entry.versions.count)
    }

    @Test("the latest, and what a channel leads to, stay whatever happens")
    func always() {
        for keep in 1...6 {
            for pointed in 0..<6 {
                for share in [10, 100] {
                    let sketch = Sketch(
                        versions: "1.0 1.1 1.2! 1.3 1.4!1.3 1.5.0-a.1",
                        channels: "stable=\(["1.0", "1.1", "1.2", "1.3", "1.4", "1.5.0-a.1"][pointed])@\(share)<1.0",
                        keep: keep,
                        removed: ""
                    )
                    let kept = sketch.kept()
                    for version in [sketch.entry.latest, sketch.entry.record.channels[ChangedStore.stable]?.version] {
                        #expect(version.map { kept[$0] != nil } == true)
                    }
                    #expect(kept[ChangedStore.version("1.0")] != nil)
                }
            }
        }
    }

    @Test("that somebody asked for a version is told only where nothing else keeps it")
    func protectedAlone() {
        let sketch = Sketch(
            versions: "0.8 0.9 1.0 1.1 1.2 1.3!0.8",
            channels: "stable=1.1<1.0",
            protected: "0.8 0.9 1.0 1.1 1.2 1.3",
            removed: ""
        )
        let reasons = sketch.kept()
        #expect(reasons.filter { $0.value == .protected }.map(\.key.text) == ["0.9"])
        #expect(reasons.count == 6)
    }

    @Test("of several reasons the weightiest is told")
    func reasons() {
        let sketch = Sketch(
            versions: "0.8 0.9 1.0 1.1 1.2!0.8 1.3 1.4!",
            channels: "beta=1.1@10<1.0<0.9 stable=1.3",
            protected: "1.3",
            removed: ""
        )
        let reasons = sketch.kept()
        func reason(_ version: String) -> KeepReason? { reasons[ChangedStore.version(version)] }
        let beta = ChangedStore.named("beta", ChannelName.init)
        #expect(reason("1.4") == .withdrawnLately)
        #expect(reason("1.3") == .channel(ChangedStore.stable))
        #expect(reason("1.2") == nil)
        #expect(reason("1.1") == .channel(beta))
        #expect(reason("1.0") == .outsideShare(beta))
        #expect(reason("0.9") == nil)
        #expect(reason("0.8") == nil)
    }
}
