internal import HTTPWire
internal import HostSystem
internal import HostTelemetry
internal import HostTransport
internal import ModelCatalog
internal import ModelStore
internal import Synchronization

/// Whom a listener serves; one handler of each loop for each.
enum Audience: String, CaseIterable, Sendable {
    case `public`, admin

    /// The handler's place, by which listeners refer to it.
    var handler: Int { self == .public ? 0 : 1 }
}

/// What `/metrics` tells: gathered, when it is asked for, from those who count. Any thread.
///
/// Nothing here waits for a disk or a job, so that it answers while the disk does not: that is when it is looked at.
final class Metrics: Sendable {
    let misses = MissCounters()
    let reports = ReportCounters()

    private let version: String
    private let publisher: CatalogPublisher
    private let findings: CatalogFindings
    private let ledger: Ledger?
    private let connections: ConnectionGauge
    private let counters = Mutex<[Audience: [LoopCounters]]>([:])

    /// - Parameters:
    ///   - version: the program's.
    ///   - ledger: nil where none is kept; then nothing is told of one.
    init(
        version: String,
        publisher: CatalogPublisher,
        findings: CatalogFindings,
        ledger: Ledger?,
        connections: ConnectionGauge
    ) {
        self.version = version
        self.publisher = publisher
        self.findings = findings
        self.ledger = ledger
        self.connections = connections
    }

    /// Counters for one loop's handler, made on the loop's thread. What they count stays told after the loop has ended.
    func makeCounters(for audience: Audience) -> LoopCounters {
        let new = LoopCounters()
        counters.withLock { $0[audience, default: []].append(new) }
        return new
    }

    var document: Document {
        Document(mediaType: MetricsText.mediaType, body: MetricsText.encode(all), cacheControl: "no-store")
    }

    private var all: [Metric] {
        let answers = counters.withLock { $0 }.mapValues { loops in
            loops.reduce(into: AnswerFigures()) { $1.add(to: &$0) }
        }
        let connections = Audience.allCases.map { (audience: $0, figures: self.connections.figures(of: $0)) }
        return MetricsOf.program(version: version) + MetricsOf.connections(connections) + MetricsOf.answers(answers)
            + MetricsOf.devices(misses, reports) + MetricsOf.catalog(publisher.current(), findings)
            + (ledger.map { MetricsOf.ledger($0.status) } ?? []) + MetricsOf.process(.now())
    }
}
