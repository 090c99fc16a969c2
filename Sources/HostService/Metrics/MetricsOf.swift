internal import HTTPWire
internal import HostSystem
internal import HostTelemetry
internal import HostTransport
internal import ModelCatalog
internal import ModelStore

/// From figures to metrics: what each is called and what it means. docs/metrics.md says the same for who reads them.
///
/// A series whose labels are known beforehand is there from the start, at 0: of one that appears with its first event,
/// Prometheus could not tell that it has grown.
enum MetricsOf {
    private static let prefix = "aimodel_host_"

    private static func counter(_ name: String, _ help: String, _ samples: [Metric.Sample]) -> Metric {
        Metric(prefix + name, .counter, help, samples)
    }

    private static func gauge(_ name: String, _ help: String, _ samples: [Metric.Sample]) -> Metric {
        Metric(prefix + name, .gauge, help, samples)
    }

    private static func counter(_ name: String, _ help: String, _ value: some BinaryInteger) -> Metric {
        counter(name, help, [Metric.Sample(value)])
    }

    private static func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) -> Metric {
        gauge(name, help, [Metric.Sample(value)])
    }

    static func program(version: String) -> [Metric] {
        [gauge("build_info", "The version that runs; the value is always 1.", [Metric.Sample(1, ("version", version))])]
    }

    static func connections(_ listeners: [(audience: Audience, figures: ConnectionFigures)]) -> [Metric] {
        let all = listeners.map(\.figures)
        return [
            counter(
                "sent_bytes_total",
                "Octets of answers, heads and content, that the kernel has taken.",
                listeners.map { Metric.Sample($0.figures.sent, ("listener", $0.audience.rawValue)) }
            ),
            gauge(
                "connections",
                "Open connections: idle ones wait for a request of which nothing has arrived.",
                [
                    Metric.Sample(all.reduce(0) { $0 + $1.active }, ("state", "active")),
                    Metric.Sample(all.reduce(0) { $0 + $1.idle }, ("state", "idle")),
                ]
            ),
            counter("connections_accepted_total", "Connections accepted.", all.reduce(0) { $0 + $1.accepted }),
            gauge(
                "downloads_active",
                "Answers of the public listener under way that the kernel could not take at once.",
                listeners.reduce(0) { $1.audience == .public ? $0 + $1.figures.sending : $0 }
            ),
        ]
    }

    static func answers(_ listeners: [Audience: AnswerFigures]) -> [Metric] {
        var requests: [Metric.Sample] = []
        var problems: [ProblemCode: UInt64] = [:]
        for audience in Audience.allCases {
            let figures = listeners[audience] ?? AnswerFigures()
            for index in figures.answers.indices {
                requests.append(
                    Metric.Sample(
                        figures.answers[index],
                        ("listener", audience.rawValue),
                        ("code", "\(index + 1)xx")
                    )
                )
            }
            problems.merge(figures.problems, uniquingKeysWith: +)
        }
        return [
            counter("requests_total", "Answers begun, by the class of their status.", requests),
            counter(
                "problems_total",
                "Answers with a problem document, by its code.",
                ProblemCode.allCases.map { Metric.Sample(problems[$0] ?? 0, ("code", $0.rawValue)) }
            ),
        ]
    }

    static func devices(_ misses: MissCounters, _ reports: ReportCounters) -> [Metric] {
        [
            counter(
                "variant_misses_total",
                "Questions for a variant that a version does not hold; those beyond a bound are architecture \"other\".",
                misses.all.map {
                    Metric.Sample($0.count, ("model", $0.pair.model), ("architecture", $0.pair.architecture))
                }
            ),
            counter(
                "reports_total",
                "What devices reported, by what became of it.",
                ReportCounters.Outcome.allCases.map { Metric.Sample(reports[$0], ("outcome", $0.rawValue)) }
            ),
        ]
    }

    static func catalog(_ snapshot: CatalogSnapshot, _ findings: CatalogFindings) -> [Metric] {
        [
            gauge("catalog_generation", "Grows with every change of what is published.", snapshot.generation),
            gauge("catalog_models", "Models that are published.", snapshot.models.count),
            gauge(
                "catalog_versions",
                "Versions that are published, withdrawn ones among them.",
                snapshot.models.values.reduce(0) { $0 + $1.versions.count }
            ),
            gauge(
                "catalog_findings",
                "What is wrong in the store; /readyz names it.",
                Readiness.findingCount(snapshot, findings)
            ),
        ]
    }

    static func process(_ figures: ProcessFigures) -> [Metric] {
        [
            Metric(
                "process_cpu_seconds_total",
                .counter,
                "User and system time of all threads.",
                [Metric.Sample(labels: [], value: .real(figures.processorSeconds))]
            ),
            Metric("process_resident_memory_bytes", .gauge, "Resident memory.", figures.residentMemory),
            Metric("process_open_fds", .gauge, "Open descriptors.", figures.openFiles),
            Metric("process_max_fds", .gauge, "Descriptors that may be open.", ProcessLimits.openFiles()),
            Metric(
                "process_start_time_seconds",
                .gauge,
                "When the process was started, since 1970.",
                [Metric.Sample(labels: [], value: .real(ProcessFigures.startSeconds))]
            ),
        ]
    }

    static func ledger(_ status: LedgerStatus) -> [Metric] {
        [
            gauge("ledger_up", "1 while the ledger can be written, 0 while it cannot.", status.isWritable ? 1 : 0),
            gauge("ledger_queue_rows", "Rows that wait to be written.", status.queuedRows),
            gauge("ledger_queue_capacity", "Rows that may wait; more are dropped.", status.queueCapacity),
            counter("ledger_written_rows_total", "Rows written.", status.writtenRows),
            counter(
                "ledger_dropped_total",
                "What the ledger does not hold, by table and reason; download counts requests.",
                RecordKind.allCases.flatMap { kind in
                    DropReason.allCases.map { reason in
                        Metric.Sample(
                            status.dropped[DropKey(kind, reason)] ?? 0,
                            ("kind", kind.rawValue),
                            ("reason", reason.rawValue)
                        )
                    }
                }
            ),
            gauge("ledger_size_bytes", "The database file.", status.databaseSize),
            gauge("ledger_wal_size_bytes", "The log beside the database file.", status.logSize),
            counter(
                "ledger_begun_anew_total",
                "Times that the file was found gone or replaced, and begun anew.",
                status.timesBegunAnew
            ),
            counter("transfers_begun_total", "Transfers that the ledger has begun.", status.transfersBegun),
            counter("transfers_completed_total", "Transfers that were completed.", status.transfersCompleted),
            gauge(
                "transfers_in_memory",
                "Transfers that the ledger's writer holds in memory.",
                status.transfersInMemory
            ),
        ]
    }
}
