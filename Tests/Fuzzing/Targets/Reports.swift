import FoundationEssentials

@testable import HTTPWire
@testable import HostService
@testable import HostTelemetry
@testable import ModelCatalog

// What is taken of the body of POST /reports is what Foundation's reader finds in it, within the limits; and a report
// that is written as JSON and read again is the same.

/// A report as `JSONDecoder` finds it: what a member of another type says is not there.
private struct Loose: Decodable {
    var texts: [String: String] = [:]
    var numbers: [String: Int64] = [:]

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: Key.self) else { return }
        for key in container.allKeys {
            if let text = try? container.decode(String.self, forKey: key) { texts[key.stringValue] = text }
            if let number = try? container.decode(Int64.self, forKey: key) { numbers[key.stringValue] = number }
        }
    }
}

private func decoded(_ body: [UInt8]) -> [Loose]? {
    let decoder = JSONDecoder()
    return (try? decoder.decode([Loose].self, from: Data(body)))
        ?? (try? decoder.decode(Loose.self, from: Data(body))).map { [$0] }
}

private func encoded(_ item: ReportItem) -> [UInt8] {
    var members: [(String, JSONValue)] = [
        ("model", .string(item.model)), ("version", .string(item.version)), ("asset", .string(item.asset)),
        ("outcome", .string(item.outcome.rawValue)),
    ]
    let texts = [
        ("architecture", item.architecture?.text), ("errorDomain", item.errorDomain), ("osBuild", item.osBuild),
        ("device", item.device),
    ]
    for (name, text) in texts { if let text { members.append((name, .string(text))) } }
    for (name, number) in [("errorCode", item.errorCode), ("coldLoadMilliseconds", item.coldLoadMilliseconds)] {
        if let number { members.append((name, .int(number))) }
    }
    return JSONValue.object(members).encode()
}

/// At most 256 octets of a text, none if it is empty.
private func isCut(_ text: String?, of whole: String?) -> Bool {
    guard let whole, !whole.isEmpty else { return text == nil }
    guard let text, text.utf8.count <= 256 else { return false }
    // No more of it is lost than the character that the limit falls into.
    return whole.utf8.starts(with: text.utf8) && text.utf8.count >= min(whole.utf8.count, 253)
}

private func check(_ item: ReportItem, _ loose: Loose) {
    hold("the model", item.model == loose.texts["model"])
    hold("the version", item.version == loose.texts["version"])
    hold("the asset", item.asset == loose.texts["asset"])
    hold("the outcome", item.outcome.rawValue == loose.texts["outcome"])
    hold("the architecture", item.architecture?.text == loose.texts["architecture"])
    hold("the error's domain", isCut(item.errorDomain, of: loose.texts["errorDomain"]))
    hold("the system's build", isCut(item.osBuild, of: loose.texts["osBuild"]))
    hold("the device", isCut(item.device, of: loose.texts["device"]))
    hold("the error's code", item.errorCode == loose.numbers["errorCode"])
    hold("the time to load", item.coldLoadMilliseconds == loose.numbers["coldLoadMilliseconds"])
    hold("a time within limits", item.coldLoadMilliseconds.map(ReportLimits.loadMilliseconds.contains) ?? true)

    guard let again = try? ReportReader.read(encoded(item)), again.count == 1, let first = try? again[0].get() else {
        return hold("a report that was taken is taken again", false)
    }
    hold("and is the same", first == item)
}

func examine(_ input: [UInt8]) {
    let results: [Result<ReportItem, ReportRefusal>]
    do throws(ReportReader.Fault) {
        results = try ReportReader.read(input)
    } catch {
        hold("a fault says why", !error.description.isEmpty)
        return
    }
    hold("as many as one request may hold", (1...ReportLimits.items).contains(results.count))
    guard let loose = decoded(input) else { return hold("Foundation reads what is read here", false) }
    hold("each report has its answer", loose.count == results.count)
    for (result, loose) in zip(results, loose) {
        switch result {
        case .success(let item): check(item, loose)
        case .failure(let refusal): hold("a refusal says why", !refusal.detail.isEmpty)
        }
    }
}
