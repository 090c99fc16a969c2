/// A JSON value (RFC 8259) for small answers. Members keep their order.
package enum JSONValue: Sendable {
    case string(String)
    case int(Int64)
    case double(Double)
    case bool(Bool)
    case null
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// The value as JSON text in UTF-8, without white space.
    package func encode() -> [UInt8] {
        var output: [UInt8] = []
        write(into: &output)
        return output
    }

    /// Appends the value's JSON text to `output`.
    package func write(into output: inout [UInt8]) {}
}
