import Glibc
import HostSystem
import ModelCatalog
import TestSupport
import Testing

@testable import ModelStore

@Suite("promote and rollback: where a channel leads", .waits)
struct ChangeChannelTests {
    /// A step on the command line.
    enum Step: Sendable {
        case promote(String, Int)
        case rollBack
        case withdraw(String)
        case unpublish(String)
    }

    @Test(
        "what everybody had is the history, newest first",
        arguments: [
            ([.promote("1.0", 100)], "1.0"),
            ([.promote("1.0", 100), .promote("1.1", 100)], "1.1 < 1.0"),
            ([.promote("1.0", 100), .promote("1.1", 100), .promote("1.2", 100)], "1.2 < 1.1 < 1.0"),
            // There and back is two changes.
            ([.promote("1.0", 100), .promote("1.1", 100), .promote("1.0", 100)], "1.0 < 1.1 < 1.0"),
            // The same version with another share changes the share only.
            ([.promote("1.0", 100), .promote("1.1", 10)], "1.1 10 % < 1.0"),
            ([.promote("1.0", 100), .promote("1.1", 10), .promote("1.1", 50)], "1.1 50 % < 1.0"),
            ([.promote("1.0", 100), .promote("1.1", 10), .promote("1.1", 100)], "1.1 < 1.0"),
            ([.promote("1.0", 100), .promote("1.1", 100), .promote("1.1", 10)], "1.1 10 % < 1.0"),
            // What only a share had is not what the others stay with, nor what a rollback leads to.
            ([.promote("1.0", 100), .promote("1.1", 10), .promote("1.2", 10)], "1.2 10 % < 1.0"),
            ([.promote("1.0", 100), .promote("1.1", 10), .promote("1.2", 100)], "1.2 < 1.0"),
            // Back to what the others have is a rollback, whatever the share.
            ([.promote("1.0", 100), .promote("1.1", 10), .promote("1.0", 100)], "1.0"),
            ([.promote("1.0", 100), .promote("1.1", 10), .promote("1.0", 20)], "1.0"),
            // A share with nothing before it is everybody's, and so is its place in the history.
            ([.promote("1.0", 10), .promote("1.1", 10)], "1.1 10 % < 1.0"),
            // A rollback moves on.
            ([.promote("1.0", 100), .promote("1.1", 100), .rollBack], "1.0"),
            ([.promote("1.0", 100), .promote("1.1", 100), .promote("1.2", 100), .rollBack, .rollBack], "1.0"),
            ([.promote("1.0", 100), .promote("1.1", 100), .promote("1.2", 30), .rollBack], "1.1 < 1.0"),
            // Past what nobody can download.
            (
                [.promote("1.0", 100), .promote("1.1", 100), .promote("1.2", 100), .withdraw("1.1"), .rollBack],
                "1.0"
            ),
            (
                [.promote("1.0", 100), .promote("1.1", 100), .promote("1.2", 100), .unpublish("1.1"), .rollBack],
                "1.0"
            ),
        ] as [([Step], String)]
    )
    func moves(_ steps: [Step], _ outcome: String) throws {
        let store = try ChangedStore("1.0", "1.1", "1.2")
        for step in steps {
            switch step {
            case .promote(let version, let percent): try store.promote(version, percent)
            case .rollBack: try store.rollBack()
            case .withdraw(let version): try store.withdraw(version)
            case .unpublish(let version): try store.disk.removeManifest(model: "Sam3", version: version)
            }
        }
        #expect(try store.outline() == outcome)
    }

    @Test("each step of the history has the moment at which the channel left it")
    func moments() throws {
        let store = try ChangedStore("1.0", "1.1")
        try store.promote("1.0")
        let later = try #require(Instant("2027-01-01T00:00:00Z"))
        let change = try store.editor.promote(
            ChangedStore.model,
            ChangedStore.version("1.1"),
            to: ChangedStore.stable,
            at: later
        )
        #expect(change.channel?.history.map(\.at) == [later.text])
        #expect(change.previous.map(ChangedStore.outline) == "1.0")
    }

    @Test("the history is bounded, and the oldest goes")
    func bounded() throws {
        let versions = (0...60).map { "1.\($0)" }
        var channel: Channel?
        for version in versions {
            channel =
                ChannelMove.promoting(
                    channel,
                    named: ChangedStore.stable,
                    to: ChangedStore.version(version),
                    share: 100,
                    at: ChangedStore.moment
                ).channel
        }
        #expect(channel?.history.map(\.version.text) == versions.reversed().dropFirst().prefix(50).map { $0 })
    }

    @Test("what is so already is said to be, and the file is left alone")
    func unchanged() throws {
        let store = try ChangedStore("1.0", "1.1")
        try store.promote("1.0")
        #expect(try store.promote("1.1", 20).changed)
        let before = try store.disk.inode("manifests/Sam3/model.json")
        #expect(try !store.promote("1.1", 20).changed)
        #expect(try store.disk.inode("manifests/Sam3/model.json") == before)
        #expect(try store.promote("1.1", 21).changed)
        #expect(try store.disk.inode("manifests/Sam3/model.json") != before)
    }

    @Test("channels are apart from each other, and from withdrawals")
    func apart() throws {
        let store = try ChangedStore("1.0", "1.1")
        try store.promote("1.0")
        try store.promote("1.1", to: "beta")
        try store.withdraw("1.1", reason: "it hums")
        try store.promote("1.0", to: "beta")
        #expect(try store.outline() == "1.0")
        #expect(try store.outline("beta") == "1.0 < 1.1")
        #expect(try store.scanned()?.record.withdrawals.map(\.reason) == ["it hums"])
    }

    @Test(
        "what cannot be is refused in words that say what to do, and nothing is written",
        arguments: [
            (.promote("2.0", 100), "Sam3 2.0 is not published; did you mean 1.0?"),
            (.promote("1.2", 100), "Sam3 1.2 is withdrawn; promote 1.1, which replaces it"),
            (.promote("1.0", 0), "0 is no share of the devices; it is a percentage from 1 to 100"),
            (.promote("1.0", 101), "101 is no share of the devices; it is a percentage from 1 to 100"),
            (.rollBack, "stable of Sam3 has nothing to go back to; promote the version that it should lead to"),
        ] as [(Step, String)]
    )
    func refusals(_ step: Step, _ words: String) throws {
        let store = try ChangedStore("1.0", "1.1", "1.2")
        try store.promote("1.0")
        try store.withdraw("1.2", replacement: "1.1")
        let before = try store.disk.inode("manifests/Sam3/model.json")
        let refused = refusal {
            switch step {
            case .promote(let version, let percent): try store.promote(version, percent)
            default: try store.rollBack()
            }
        }
        #expect(refused == words)
        #expect(try store.disk.inode("manifests/Sam3/model.json") == before)
    }

    @Test(
        "reserved names are no channels",
        arguments: ["latest", "main", "resolve"]
    )
    func reserved(_ name: String) throws {
        let store = try ChangedStore("1.0")
        let words = "\(name) is reserved and cannot be pointed anywhere; name another channel, such as stable"
        #expect(refusal { try store.promote("1.0", to: name) } == words)
        #expect(refusal { try store.rollBack(name) } == words)
    }

    @Test("names that are not there are told, with those that may have been meant")
    func unknown() throws {
        let store = try ChangedStore("1.0")
        #expect(
            refusal { try store.rollBack() }
                == "Sam3 has no channel stable; it has none at all: promote a version first"
        )
        try store.promote("1.0", to: "beta")
        #expect(refusal { try store.rollBack() } == "Sam3 has no channel stable; it has beta")
        let mistyped = try #require(ModelName("Sam4"))
        let words = refusal { _ = try store.editor.rollBack(mistyped, channel: ChangedStore.stable) }
        #expect(words == "no model Sam4 is published; did you mean Sam3?")
        #expect(refusal { _ = try RecordEditor(root: store.disk.path("nowhere")) }?.contains("--root") == true)
    }

    @Test("a rollback with nothing but withdrawn versions before it says so")
    func onlyWithdrawn() throws {
        let store = try ChangedStore("1.0", "1.1")
        try store.promote("1.0")
        try store.promote("1.1")
        try store.withdraw("1.0")
        #expect(refusal { try store.rollBack() }?.hasSuffix("(1.0 was passed over: it is withdrawn)") == true)
        #expect(try store.outline() == "1.1 < 1.0")
    }

    @Test(
        "what an operator should know is said",
        arguments: [
            ("1.1", 10, [.neverReachedEverybody(ChangedStore.version("1.2"), share: 5)]),
            ("1.2", 50, []),
            (
                "0.9", 10,
                [
                    .neverReachedEverybody(ChangedStore.version("1.2"), share: 5)
                ]
            ),
        ] as [(String, Int, [ChangeRemark])]
    )
    func remarks(_ version: String, _ percent: Int, _ expected: [ChangeRemark]) throws {
        let store = try ChangedStore("0.9", "1.0", "1.1", "1.2")
        try store.promote("1.0")
        try store.promote("1.2", 5)
        #expect(try store.promote(version, percent).remarks == expected)
    }

    @Test("a share with nothing before it, or nothing that can be had, is remarked on")
    func shares() throws {
        let store = try ChangedStore("1.0", "1.1", "1.2")
        let first = ChangedStore.version("1.0")
        #expect(try store.promote("1.0", 10).remarks == [.nothingBefore(ChangedStore.stable, first)])
        #expect(try store.promote("1.0", 100).remarks.isEmpty)
        #expect(try store.promote("1.1", 10).remarks.isEmpty)
        try store.withdraw("1.0")
        #expect(try store.promote("1.1", 20).remarks == [.othersCannotHave(first, .withdrawn)])
        try store.disk.removeManifest(model: "Sam3", version: "1.0")
        #expect(try store.promote("1.1", 30).remarks == [.othersCannotHave(first, .notPublished)])
        #expect(try store.promote("1.1", 100).remarks.isEmpty)
    }

    @Test("withdrawn architectures of what a channel leads to are remarked on")
    func architectures() throws {
        let store = try ChangedStore()
        try store.disk.publish(.standard())
        try store.withdraw("1.4.0", "h18p")
        let expected = try ChangeRemark.architecturesWithdrawn(
            ChangedStore.version("1.4.0"),
            [#require(Architecture("h18p"))]
        )
        #expect(try store.promote("1.4.0").remarks == [expected])
    }
}
