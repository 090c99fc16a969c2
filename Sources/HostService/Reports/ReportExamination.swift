internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog

/// What is known of a request for `/reports` without its body.
struct ReportOrigin: Sendable {
    /// Unix milliseconds.
    let at: Int64
    /// The ledger's number for the client.
    let client: UInt64
    /// As the request's field says.
    let device: String?
    /// nil for a client that cannot be told from others.
    let key: ClientKey?
    let instance: String
}

/// What was found in a body.
enum ReportFindings: Sendable {
    case examined(accepted: [DeviceReport], refused: [(index: Int, why: ReportRefusal)])
    /// Nothing of it is taken.
    case problem(Problem)

    /// 202 even if none was accepted: the request was understood, each report has had its answer, and sent again it
    /// would have the same. A client that takes any other status for "later" must not keep such reports for ever.
    static func document(accepted: Int, _ refused: [(index: Int, why: ReportRefusal)]) -> [UInt8] {
        let listed = refused.map { index, why in
            var members: [(String, JSONValue)] = [("index", .count(index)), ("reason", .string(why.reason.rawValue))]
            if let member = why.member { members.append(("member", .string(member))) }
            members.append(("detail", .string(why.detail)))
            return JSONValue.object(members)
        }
        return JSONValue.object([("accepted", .count(accepted)), ("refused", .array(listed))]).encode()
    }
}

/// Looks at the body of one request, on a thread that may wait for manifests.
struct ReportExamination: Sendable {
    let origin: ReportOrigin
    let check: ReportCheck
    let gate: ReportGate

    func findings(in body: [UInt8]) -> ReportFindings {
        let items: [Result<ReportItem, ReportRefusal>]
        do throws(ReportReader.Fault) {
            items = try ReportReader.read(body)
        } catch {
            gate.counters.count(.refused)
            return .problem(.badRequest("\(error)", at: origin.instance))
        }
        // Refused ones count as well: they cost as much to look at.
        let verdict = gate.take(items.count - 1, for: origin.key, retrying: items.count)
        if let refused = Problem(verdict, at: origin.instance) { return .problem(refused) }
        var accepted: [DeviceReport] = []
        var refused: [(index: Int, why: ReportRefusal)] = []
        for (index, item) in items.enumerated() {
            do throws(ReportCheck.Failure) {
                let item = try item.mapError { ReportCheck.Failure.refused($0) }.get()
                try check.check(item)
                accepted.append(DeviceReport(item, at: origin.at, client: origin.client, device: origin.device))
            } catch {
                switch error {
                case .refused(let why): refused.append((index, why))
                case .exhausted: return .problem(.overCapacity(at: origin.instance))
                }
            }
        }
        return .examined(accepted: accepted, refused: refused)
    }
}

extension DeviceReport {
    /// - Parameter device: what the request's field says, where the report itself does not.
    fileprivate init(_ item: ReportItem, at now: Int64, client: UInt64, device: String?) {
        self.init(
            at: now,
            model: item.model,
            version: item.version,
            asset: item.asset,
            architecture: item.architecture?.text,
            outcome: item.outcome,
            errorDomain: item.errorDomain,
            errorCode: item.errorCode,
            osBuild: item.osBuild,
            coldLoadMilliseconds: item.coldLoadMilliseconds,
            device: item.device ?? device,
            client: client
        )
    }
}
