internal import HTTPWire
internal import HostSystem
internal import HostTelemetry
internal import HostTransport
internal import ModelCatalog
internal import ModelStore

/// `/` and `/api/...` of the admin listener: the ops page and the JSON that it is made of. One for all loops.
final class OpsRoutes: Sendable {
    enum Answer: Sendable {
        case document(Document)
        case problem(Problem)
        /// The answer has to be asked for on a thread that may wait; the job's result is an `Answer`.
        case ask(Job)
    }

    private let version: String
    private let publisher: CatalogPublisher
    private let manifests: ManifestCache
    private let findings: CatalogFindings
    private let ledger: Ledger?
    private let connections: @Sendable () -> Int
    private let answers = OpsAnswers()

    /// `version`: the program's; `ledger`: nil where nothing is recorded; `connections`: how many are open now.
    init(
        version: String,
        publisher: CatalogPublisher,
        manifests: ManifestCache,
        findings: CatalogFindings,
        ledger: Ledger?,
        connections: @escaping @Sendable () -> Int
    ) {
        self.version = version
        self.publisher = publisher
        self.manifests = manifests
        self.findings = findings
        self.ledger = ledger
        self.connections = connections
    }

    /// What stands at a path; nil where this has nothing.
    func answer(_ path: RequestPath, _ head: RequestHead, _ bytes: Span<UInt8>) -> Answer? {
        if path.segments.isEmpty { return .document(OpsPage.document) }
        guard path.segments.count == 2, path.segments[0] == "api", !path.isFolder,
            let resource = OpsResource(rawValue: path.segments[1])
        else { return nil }
        let instance = ProblemDetails.instance(path.raw.span)
        let query = head.query.map { QueryParameters(bytes.extracting($0)) } ?? QueryParameters()
        let snapshot = publisher.current()
        let scope: OpsScope
        do throws(Problem) {
            scope = try OpsScope(query, at: instance)
        } catch {
            return .problem(error)
        }
        if let model = scope.model, snapshot.model(model) == nil {
            let close = SpellingSuggestions.close(to: model, among: snapshot.sortedNames)
            return .problem(.unknownModel(model, close: close, at: instance))
        }
        if resource == .status { return .document(Self.document(status(snapshot))) }
        let key = OpsAnswers.Key(resource: resource, scope: scope)
        let now = CoarseClock.monotonicMilliseconds()
        if let fresh = answers.fresh(key, generation: snapshot.generation, now: now) {
            return Self.answer(fresh, at: instance)
        }
        return .ask { [self] in Self.answer(ask(key, snapshot), at: instance) }
    }

    private static func answer(_ outcome: OpsAnswers.Outcome, at instance: String) -> Answer {
        switch outcome {
        case .success(let document): .document(document)
        case .failure(let failure): .problem(failure.problem(at: instance))
        }
    }

    private static func document(_ members: OpsQuestions.Members) -> Document {
        Document(body: JSONValue.object(members).encode(), cacheControl: "no-store")
    }

    // MARK: On a thread that may wait

    private func ask(_ key: OpsAnswers.Key, _ snapshot: CatalogSnapshot) -> OpsAnswers.Outcome {
        let began = CoarseClock.monotonicMilliseconds()
        switch answers.turn(key, generation: snapshot.generation, now: began) {
        case .held(let outcome): return outcome
        case .ask: break
        }
        let outcome: OpsAnswers.Outcome
        do throws(OpsFailure) {
            outcome = .success(Self.document(try members(key, snapshot)))
        } catch {
            outcome = .failure(error)
        }
        let now = CoarseClock.monotonicMilliseconds()
        answers.finish(outcome, key, generation: snapshot.generation, began: began, now: now)
        return outcome
    }

    private func members(_ key: OpsAnswers.Key, _ snapshot: CatalogSnapshot) throws(OpsFailure) -> OpsQuestions.Members
    {
        var scope = key.scope
        // The page shows one model; where it does not say which, the first.
        if key.resource == .overview { scope.model = scope.model ?? snapshot.sortedNames.first }
        let questions = OpsQuestions(
            snapshot: snapshot,
            manifests: manifests,
            ledgerPath: ledger?.path,
            scope: scope,
            now: CoarseClock.unixMilliseconds()
        )
        let entry = scope.model.flatMap { snapshot.model($0) }
        switch key.resource {
        case .adoption: return questions.frame + (try questions.adoption())
        case .bandwidth: return questions.frame + (try questions.bandwidth())
        case .rates: return questions.frame + (try questions.rates())
        case .stuck: return questions.frame + (try questions.stuck())
        case .health: return questions.frame + (try questions.health())
        case .missing: return questions.frame + (try questions.missing())
        case .dropped: return questions.frame + (try questions.dropped())
        case .models:
            let matrix = entry.map { JSONValue.object(questions.matrix(of: $0)) }
            return questions.frame + questions.models() + [("matrix", matrix ?? .null)]
        case .status: return status(snapshot)
        case .overview: return overview(questions, entry, snapshot, key.scope.period)
        }
    }

    /// Each part stands for itself: where the ledger gives no answer to one, the others are there all the same.
    private func overview(
        _ questions: borrowing OpsQuestions,
        _ entry: ModelEntry?,
        _ snapshot: CatalogSnapshot,
        _ period: OpsPeriod
    ) -> OpsQuestions.Members {
        func part(_ members: () throws(OpsFailure) -> OpsQuestions.Members) -> JSONValue {
            do throws(OpsFailure) {
                return .object(try members())
            } catch {
                return .object([("problem", .object([("detail", .string(error.detail))]))])
            }
        }
        let all = OpsQuestions(
            snapshot: snapshot,
            manifests: manifests,
            ledgerPath: ledger?.path,
            scope: OpsScope(period: period),
            now: questions.now
        )
        return questions.frame + [
            ("status", .object(status(snapshot))),
            ("matrix", entry.map { .object(questions.matrix(of: $0)) } ?? .null),
            ("missing", part { () throws(OpsFailure) in try questions.missing() }),
            ("rates", part { () throws(OpsFailure) in try questions.rates() }),
            ("health", part { () throws(OpsFailure) in try questions.health() }),
            ("stuck", part { () throws(OpsFailure) in try questions.stuck() }),
            ("bandwidth", part { () throws(OpsFailure) in try questions.bandwidth() }),
            ("adoption", part { () throws(OpsFailure) in try questions.adoption() }),
            ("dropped", part { () throws(OpsFailure) in try questions.dropped() }),
            ("models", .object(all.models())),
        ]
    }

    // MARK: The server itself

    private func status(_ snapshot: CatalogSnapshot) -> OpsQuestions.Members {
        [
            ("at", OpsReport.moment(CoarseClock.unixMilliseconds())),
            ("version", .string(version)),
            ("connections", .count(connections())),
            (
                "catalog",
                .object([
                    ("generation", .count(snapshot.generation)), ("models", .count(snapshot.models.count)),
                    ("versions", .count(snapshot.models.values.reduce(0) { $0 + $1.versions.count })),
                    ("findings", .count(Readiness.findingCount(snapshot, findings))),
                ])
            ),
            ("ledger", ledgerStatus),
        ]
    }

    private var ledgerStatus: JSONValue {
        guard let ledger else { return .object([("state", .string("off")), ("path", .null), ("status", .null)]) }
        let status = ledger.status
        let state = !status.isWritable ? "failing" : status.databaseSize == 0 ? "new" : "writing"
        return .object([("state", .string(state)), ("path", .string(ledger.path)), ("status", status.json)])
    }
}
