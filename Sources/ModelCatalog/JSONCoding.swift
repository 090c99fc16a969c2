#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The one form that this module writes JSON in, and one way to say what is wrong with what it reads.
enum JSONCoding {
    /// Why a document could not be read.
    enum Failure: Error {
        case notJSON(String)
        case malformed(at: String, String)
    }

    /// Compact, keys sorted, slashes as they are, one line feed at the end: the same value gives the same bytes.
    static func encode(_ document: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(document)) + [UInt8(ascii: "\n")]
    }

    static func decode<Document: Decodable>(_ type: Document.Type, from bytes: [UInt8]) throws(Failure) -> Document {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw failure(error, bytes)
        } catch {
            throw .notJSON("\(error)")
        }
    }

    private static func failure(_ error: DecodingError, _ bytes: [UInt8]) -> Failure {
        switch error {
        case .keyNotFound(let key, let context):
            return .malformed(at: place(context.codingPath + [key]), "missing")
        case .valueNotFound(_, let context):
            return .malformed(at: place(context.codingPath), "null, where a value is needed")
        case .typeMismatch(let type, let context):
            return .malformed(at: place(context.codingPath), "not of type \(name(of: type))")
        case .dataCorrupted(let context):
            guard context.codingPath.isEmpty else {
                return .malformed(at: place(context.codingPath), context.debugDescription)
            }
            return .notJSON(whyNotJSON(bytes))
        @unknown default:
            return .notJSON("\(error)")
        }
    }

    /// The decoder itself says no more than "not valid JSON". What happens to files is that they are cut short.
    private static func whyNotJSON(_ bytes: [UInt8]) -> String {
        guard let last = bytes.last(where: { $0 > 0x20 }) else { return "it is empty" }
        guard last == UInt8(ascii: "}") else { return "its \(bytes.count) bytes do not end in a closing brace" }
        return "its \(bytes.count) bytes break the grammar of RFC 8259"
    }

    /// In the words of JSON, not of Swift.
    private static func name(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "string"
        case is Bool.Type: "boolean"
        case is any BinaryInteger.Type: "integer"
        case is any UnkeyedDecodingContainer.Type, is [Any].Type: "array"
        default: "object"
        }
    }

    /// As in `assets[0].files[3].size`.
    static func place(_ path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                // A channel's name is a key, and not yet known to be one.
                text += (text.isEmpty ? "" : ".") + onOneLine(key.stringValue)
            }
        }
        return text.isEmpty ? "the document" : text
    }
}

/// A whole number. The decoder calls a document with `-1` or `1.5` in the place of an unsigned one "not valid JSON",
/// without a word on where; here it is told by its place.
struct JSONInteger<Value: FixedWidthInteger & Codable>: Codable {
    var value: Value

    init(_ value: Value) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            value = try container.decode(Value.self)
        } catch let error as DecodingError {
            throw error
        } catch {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not a whole number from \(Value.min) to \(Value.max)"
            )
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
