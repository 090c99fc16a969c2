internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog
internal import ModelStore

/// `/healthz` and `/readyz`.
enum Readiness {
    /// On the public listener: yes, with no detail. A server that is not ready does not listen yet, or no more.
    static func publicAnswer(to inquiry: Inquiry) -> Document? {
        guard inquiry.path.segments.count == 1, !inquiry.path.isFolder else { return nil }
        switch inquiry.path.segments[0] {
        case "healthz": return health
        case "readyz": return status([("status", .string("ready"))])
        default: return nil
        }
    }

    static var health: Document { status([("status", .string("ok"))]) }

    /// On the admin listener: what is served, and what is wrong with the rest.
    ///
    /// A ledger that cannot be written makes the server `degraded`, and no less ready: nobody is to be sent elsewhere for
    /// it.
    static func detail(
        _ snapshot: CatalogSnapshot,
        findings: CatalogFindings,
        connections: Int,
        ledger: LedgerStatus?
    ) -> Document {
        let lost = snapshot.sortedNames.compactMap { snapshot.model($0) }.flatMap { lostChannels(of: $0) }
        let all = (findings.list() + lost.prefix(lostChannelsListed)).sorted {
            $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
        }
        let listed = all.map {
            JSONValue.object([("path", .string($0.path)), ("message", .string($0.message))])
        }
        return status([
            ("status", .string(ledger?.isWritable == false ? "degraded" : "ready")),
            ("reasons", .array(ledger?.isWritable == false ? [.string("ledger")] : [])),
            ("ledger", ledger?.json ?? .null),
            ("generation", .int(Int64(clamping: snapshot.generation))),
            ("models", .int(Int64(snapshot.models.count))),
            ("versions", .int(Int64(snapshot.models.values.reduce(0) { $0 + $1.versions.count }))),
            ("connections", .int(Int64(connections))),
            ("findings", .array(listed)),
            ("findingsOmitted", .int(Int64(findings.omittedCount + max(0, lost.count - lostChannelsListed)))),
        ])
    }

    /// How many findings there are, those that `detail` does not list among them.
    static func findingCount(_ snapshot: CatalogSnapshot, _ findings: CatalogFindings) -> Int {
        let lost = snapshot.models.values.reduce(0) { $0 + lostTargets(of: $1).count }
        return findings.count + lost
    }

    /// As many as there may be of what a scan finds.
    private static let lostChannelsListed = 1000

    /// The channels that lead to what is not published. Told from the snapshot each time: such a finding has no file to
    /// change, and goes when either the record or the versions do.
    private static func lostChannels(of entry: ModelEntry) -> [Finding] {
        lostTargets(of: entry).map { channel, version in
            Finding(
                path: StoreLayout.recordPath(entry.name),
                message: "the channel \(channel) leads to \(version), which is not published; publish it, or promote "
                    + "a version that is"
            )
        }
    }

    private static func lostTargets(of entry: ModelEntry) -> [(channel: ChannelName, version: Version)] {
        entry.record.channels.sorted { $0.key < $1.key }.flatMap { name, channel in
            channel.targets.filter { entry.version($0) == nil }.map { (name, $0) }
        }
    }

    private static func status(_ members: [(String, JSONValue)]) -> Document {
        Document(body: JSONValue.object(members).encode(), cacheControl: "no-store")
    }
}
