internal import HostTelemetry
internal import ModelCatalog

/// The body of `POST /reports`: one report, or an array of them.
enum ReportReader {
    /// Why nothing of a body is taken.
    struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
        let description: String
    }

    /// In the order sent. Of a body that is no JSON to its last octet nothing is read: half of what was meant might be
    /// lost unseen.
    static func read(_ body: [UInt8]) throws(Fault) -> [Result<ReportItem, ReportRefusal>] {
        let json: StrictJSON
        do throws(StrictJSON.Fault) {
            json = try StrictJSON.parse(body, maximumDepth: ReportLimits.levels)
        } catch {
            throw Fault(description: "The body is not the JSON text that reports are sent as: \(error).")
        }
        switch json {
        case .object:
            return [item(json)]
        case .array(let elements):
            guard !elements.isEmpty else { throw Fault(description: "The array of reports is empty.") }
            guard elements.count <= ReportLimits.items else {
                throw Fault(
                    description: "\(elements.count) reports are more than the \(ReportLimits.items) that are taken in "
                        + "one request. Send them in several."
                )
            }
            return elements.map { item($0) }
        default:
            throw Fault(description: "The body is neither a report, an object, nor an array of reports.")
        }
    }

    private static func item(_ json: StrictJSON) -> Result<ReportItem, ReportRefusal> {
        Result { () throws(ReportRefusal) in try ReportItem(json) }
    }
}

extension ReportItem {
    /// Members that are not known are passed over: a device may be newer than its host. One that is null is absent.
    fileprivate init(_ json: StrictJSON) throws(ReportRefusal) {
        guard case .object = json else {
            throw ReportRefusal(.notAnObject, nil, "A report is an object.")
        }
        model = try json.name("model")
        version = try json.name("version")
        asset = try json.name("asset")
        architecture = try json.architecture("architecture")
        outcome = try json.outcome("outcome")
        errorDomain = try json.text("errorDomain")
        errorCode = try json.integer("errorCode", in: .min ... .max)
        osBuild = try json.text("osBuild")
        coldLoadMilliseconds = try json.integer("coldLoadMilliseconds", in: ReportLimits.loadMilliseconds)
        device = try json.text("device")
    }
}

extension StrictJSON {
    fileprivate func name(_ member: String) throws(ReportRefusal) -> String {
        guard let text = try string(member) else { throw ReportRefusal(.missing, member, "\(member) is needed.") }
        return text
    }

    /// A text that a device says of itself: cut, not refused. An empty one says nothing.
    fileprivate func text(_ member: String) throws(ReportRefusal) -> String? {
        guard let text = try string(member), !text.isEmpty else { return nil }
        return Inquiry.cut(text)
    }

    fileprivate func architecture(_ member: String) throws(ReportRefusal) -> Architecture? {
        guard let text = try string(member) else { return nil }
        guard let architecture = Architecture(text) else {
            throw ReportRefusal(.invalid, member, "\(member) is not the name of one, as h18p is.")
        }
        return architecture
    }

    fileprivate func outcome(_ member: String) throws(ReportRefusal) -> DeviceReport.Outcome {
        guard let outcome = DeviceReport.Outcome(rawValue: try name(member)) else {
            let known = DeviceReport.Outcome.allCases.map(\.rawValue).joined(separator: ", ")
            throw ReportRefusal(.invalid, member, "\(member) is none of: \(known).")
        }
        return outcome
    }

    fileprivate func integer(_ member: String, in range: ClosedRange<Int64>) throws(ReportRefusal) -> Int64? {
        switch self[member] {
        case nil, .null:
            return nil
        case .integer(let value) where range.contains(value):
            return value
        case .integer, .number:
            throw ReportRefusal(
                .outOfRange,
                member,
                "\(member) is not a whole number from \(range.lowerBound) to \(range.upperBound), written in digits."
            )
        default:
            throw ReportRefusal(.wrongType, member, "\(member) is no number.")
        }
    }

    private func string(_ member: String) throws(ReportRefusal) -> String? {
        switch self[member] {
        case nil, .null: return nil
        case .string(let text): return text
        default: throw ReportRefusal(.wrongType, member, "\(member) is no string.")
        }
    }
}
