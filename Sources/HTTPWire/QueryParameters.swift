/// A query parameter whose value is not percent-encoded text in UTF-8 without control characters.
package struct MalformedParameter: Error, Equatable, CustomStringConvertible {
    /// The parameter's name.
    package let name: String

    package var description: String {
        "The value of query parameter '\(name)' is not percent-encoded UTF-8 text; encode it as RFC 3986, section 2.1 says."
    }
}

/// The `name=value` pairs of a query, split on `&` and percent-decoded.
///
/// `+` is a plus sign, not a space: versions hold it (`1.4.0+build7`), and clients that build URLs by RFC 3986
/// leave it as it is. A space is `%20`. A parameter that nobody asks for is never looked at, malformed or not.
package struct QueryParameters: Sendable {
    private struct Pair: Sendable {
        let name: String
        /// nil: malformed.
        let value: String?
    }

    private var pairs: [Pair] = []

    /// No parameters.
    package init() {}

    /// Reads the octets after `?`. A pair whose name is malformed is left out: it is no name that anybody knows.
    package init(_ query: Span<UInt8>) {
        var start = 0
        while start < query.count {
            let end = Octets.position(of: UInt8(ascii: "&"), in: query, start..<query.count)
            let equals = Octets.position(of: UInt8(ascii: "="), in: query, start..<end)
            if let name = Self.text(query, start..<equals), !name.isEmpty {
                pairs.append(Pair(name: name, value: Self.text(query, min(equals &+ 1, end)..<end)))
            }
            start = end &+ 1
        }
    }

    /// The value of the first parameter of that name; empty if it has none; nil if there is no such parameter.
    /// - Throws: `MalformedParameter` if its value cannot be decoded.
    package func value(_ name: String) throws(MalformedParameter) -> String? {
        for pair in pairs where pair.name == name {
            guard let value = pair.value else { throw MalformedParameter(name: name) }
            return value
        }
        return nil
    }

    private static func text(_ query: Span<UInt8>, _ range: Range<Int>) -> String? {
        var octets: [UInt8] = []
        octets.reserveCapacity(range.count)
        guard PercentDecoding.decode(query.extracting(range), into: &octets) else { return nil }
        return String(validating: octets, as: UTF8.self)
    }
}
