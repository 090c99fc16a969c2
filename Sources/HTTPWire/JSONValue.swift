/// A JSON value (RFC 8259) for small answers. Members keep their order.
package enum JSONValue: Sendable {
    case string(String)
    case int(Int64)
    /// A number; what JSON cannot say (not a number, infinity) becomes `null`.
    case double(Double)
    case bool(Bool)
    case null
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// A count or size. One beyond 2^63 - 1, which no file has, becomes that.
    package static func count(_ value: some BinaryInteger) -> JSONValue { .int(Int64(clamping: value)) }

    /// The string, or `null`.
    package static func optional(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }

    /// The strings as an array.
    package static func strings(_ values: some Sequence<String>) -> JSONValue { .array(values.map(JSONValue.string)) }

    /// The value as JSON text in UTF-8, without white space.
    package func encode() -> [UInt8] {
        var output: [UInt8] = []
        write(into: &output)
        return output
    }

    /// Appends the value's JSON text to `output`.
    package func write(into output: inout [UInt8]) {
        switch self {
        case .string(let value): Self.write(value, into: &output)
        case .int(let value): output.append(contentsOf: String(value).utf8)
        case .double(let value): output.append(contentsOf: value.isFinite ? "\(value)".utf8 : "null".utf8)
        case .bool(let value): output.append(contentsOf: value ? "true".utf8 : "false".utf8)
        case .null: output.append(contentsOf: "null".utf8)
        case .array(let values):
            output.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                value.write(into: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, (name, value)) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(name, into: &output)
                output.append(UInt8(ascii: ":"))
                value.write(into: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// RFC 8259, section 7: quotes, backslashes and control characters are escaped; all else stands for itself.
    private static func write(_ text: String, into output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(octet)
            case 0x08: output.append(contentsOf: "\\b".utf8)
            case 0x09: output.append(contentsOf: "\\t".utf8)
            case 0x0A: output.append(contentsOf: "\\n".utf8)
            case 0x0C: output.append(contentsOf: "\\f".utf8)
            case 0x0D: output.append(contentsOf: "\\r".utf8)
            case 0..<0x20:
                output.append(contentsOf: octet < 0x10 ? "\\u000".utf8 : "\\u001".utf8)
                output.append(octet & 15 < 10 ? 0x30 + (octet & 15) : 0x57 + (octet & 15))
            default:
                output.append(octet)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
