internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog

/// What a device of each architecture gets of each version of a model, and what it asked for in vain.
struct ModelMatrix: Sendable {
    enum State: String, Sendable {
        /// Every base of the version is compiled for it.
        case compiled
        /// Some bases are.
        case partial
        /// None is, and every base has its portable asset. Nobody has asked.
        case portable
        /// Devices asked for a base that is not compiled for it.
        case missing
        case withdrawn
        /// A base is neither compiled for it nor portable. Nobody has asked.
        case none
        /// The manifest cannot be used.
        case unknown
    }

    struct Cell: Sendable {
        let architecture: Architecture
        let state: State
        var asked: Int64 = 0
        /// The most of any base: the same device asks for each.
        var devices: Int64 = 0
        var withdrawal: Withdrawal?
    }

    struct Row: Sendable {
        let version: Version
        /// nil where it cannot be used.
        let manifest: Manifest?
        let withdrawal: Withdrawal?
        /// Those that lead here, each with its share of the devices in percent.
        let channels: [(name: ChannelName, share: Int)]
        let cells: [Cell]
    }

    /// Sorted.
    let architectures: [Architecture]
    /// Newest first.
    let rows: [Row]
    let architecturesOmitted: Int
    let versionsOmitted: Int

    /// The newest versions are rows, and of the others those that a channel leads to or that a variant is missed of.
    static let newestVersions = 20
    static let versionLimit = 60
    /// Columns of what is compiled, and of what is only asked for: anyone may ask for architectures that do not exist.
    static let compiledLimit = 40
    static let askedLimit = 16

    /// - Parameters:
    ///   - misses: of this model, most asked first.
    ///   - manifest: reads the manifest of a version; nil where it cannot be used.
    init(_ entry: ModelEntry, misses: [MissingVariant], manifest: (VersionEntry) -> Manifest?) {
        let chosen = Self.versions(of: entry, misses: misses)
        let manifests = chosen.map { (entry: $0, manifest: manifest($0)) }
        let compiled = Set(manifests.flatMap { $0.manifest?.architectures ?? [] })
        let wanted = misses.compactMap { Architecture($0.architecture) }.filter { !compiled.contains($0) }
        var asked: [Architecture] = []
        for architecture in wanted where !asked.contains(architecture) { asked.append(architecture) }
        let columns = (compiled.sorted().prefix(Self.compiledLimit) + asked.prefix(Self.askedLimit)).sorted()

        architectures = columns
        architecturesOmitted = compiled.count + asked.count - columns.count
        versionsOmitted = entry.versions.count - chosen.count
        rows = manifests.map { version, manifest in
            Row(
                version: version.version,
                manifest: manifest,
                withdrawal: entry.withdrawal(of: version.version),
                channels: Self.channels(of: entry, leadingTo: version.version),
                cells: columns.map { architecture in
                    let misses = misses.filter {
                        $0.architecture == architecture.text && $0.version == version.version.text
                    }
                    return Self.cell(architecture, of: version.version, manifest, entry, misses)
                }
            )
        }
    }

    private static func versions(of entry: ModelEntry, misses: [MissingVariant]) -> [VersionEntry] {
        var wanted = Set(misses.map(\.version))
        for channel in entry.record.channels.values { wanted.formUnion(channel.targets.map(\.text)) }
        if let latest = entry.latest { wanted.insert(latest.text) }
        let chosen = entry.versions.enumerated().filter { index, version in
            index < newestVersions || wanted.contains(version.version.text)
        }
        return chosen.prefix(versionLimit).map(\.element)
    }

    private static func channels(
        of entry: ModelEntry,
        leadingTo version: Version
    ) -> [(name: ChannelName, share: Int)] {
        let latest: [(name: ChannelName, share: Int)] = entry.latest == version ? [(.latest, 100)] : []
        return latest
            + entry.channelNames.compactMap { name in
                guard let channel = entry.record.channels[name], channel.targets.contains(version) else { return nil }
                if channel.version == version { return (name, channel.targets.count > 1 ? channel.share : 100) }
                return (name, 100 - channel.share)
            }
    }

    private static func cell(
        _ architecture: Architecture,
        of version: Version,
        _ manifest: Manifest?,
        _ entry: ModelEntry,
        _ misses: [MissingVariant]
    ) -> Cell {
        let withdrawal =
            entry.withdrawal(of: version) ?? entry.withdrawal(of: version, architecture: architecture)
        var cell = Cell(architecture: architecture, state: state(architecture, manifest, withdrawal, misses))
        cell.withdrawal = withdrawal
        cell.asked = misses.reduce(0) { $0 + $1.asked }
        cell.devices = misses.map(\.devices).max() ?? 0
        return cell
    }

    private static func state(
        _ architecture: Architecture,
        _ manifest: Manifest?,
        _ withdrawal: Withdrawal?,
        _ misses: [MissingVariant]
    ) -> State {
        if withdrawal != nil { return .withdrawn }
        guard let manifest else { return .unknown }
        let bases = manifest.bases
        let lacking = bases.filter { manifest.asset(base: $0, kind: .compiled(architecture)) == nil }
        if lacking.isEmpty { return .compiled }
        if !misses.isEmpty { return .missing }
        guard lacking.allSatisfy({ manifest.asset(base: $0, kind: .portable) != nil }) else { return .none }
        return lacking.count < bases.count ? .partial : .portable
    }
}
