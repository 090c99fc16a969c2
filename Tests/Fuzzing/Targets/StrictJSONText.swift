import FoundationEssentials

@testable import ModelCatalog

// What the strict reader of JSON takes, Foundation's takes too, and it means the same; what it refuses is refused with a
// place inside the text.

/// Any JSON value as `JSONDecoder` finds it.
private indirect enum Decoded: Decodable {
    case null
    case boolean(Bool)
    case number
    case string(String)
    case array([Decoded])
    case object([String: Decoded])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([Decoded].self) {
            self = .array(value)
        } else if let value = try? container.decode([String: Decoded].self) {
            self = .object(value)
        } else {
            // A number that no type here holds is still one.
            self = .number
        }
    }
}

private func agree(_ strict: StrictJSON, _ decoded: Decoded) -> Bool {
    switch (strict, decoded) {
    case (.null, .null): return true
    case (.boolean(let left), .boolean(let right)): return left == right
    case (.string(let left), .string(let right)): return left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)):
        return left.count == right.count && zip(left, right).allSatisfy(agree)
    case (.object(let left), .object(let right)):
        return left.count == right.count
            && left.allSatisfy { key, value in right[key].map { agree(value, $0) } ?? false }
    case (_, .number):
        switch strict {
        case .null, .boolean, .string, .array, .object: return false
        default: return true
        }
    default: return false
    }
}

func examine(_ input: [UInt8]) {
    do throws(StrictJSON.Fault) {
        let strict = try StrictJSON.parse(input)
        guard let decoded = try? JSONDecoder().decode(Decoded.self, from: Data(input)) else {
            return hold("what the strict reader takes, the other takes", false)
        }
        hold("both read the same", agree(strict, decoded))
    } catch {
        hold("a fault lies in the text", error.offset >= 0 && error.offset <= input.count && !error.reason.isEmpty)
    }
}
