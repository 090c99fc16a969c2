/// Writes response heads (RFC 9112, section 4) into one array that is used again and again.
///
/// Values are octets of a field value: CR, LF and NUL among them are written as spaces, so that no value, whatever
/// it was made from, can begin another field or another answer (RFC 9110, section 5.5).
package struct ResponseHead: Sendable {
    /// The head so far.
    package private(set) var bytes: [UInt8] = []

    /// Room for `capacity` octets is made at once; a head that fits allocates nothing.
    package init(capacity: Int = 1024) {
        bytes.reserveCapacity(capacity)
    }

    /// Starts a head with its status line, and forgets the one before.
    /// - Parameter status: 100 to 599.
    package mutating func begin(status: Int) {}
    /// A field with a text value.
    package mutating func field(_ name: String, _ value: String) {}
    /// A field with a value of octets.
    package mutating func field(_ name: String, _ value: Span<UInt8>) {}
    /// A field with a value of octets.
    package mutating func field(_ name: String, _ value: some Collection<UInt8>) {}
    /// A field with a decimal number.
    package mutating func field(_ name: String, _ value: UInt64) {}
    /// A field with a date.
    package mutating func field(_ name: String, _ value: HTTPDate) {}
    /// `Content-Range` of a 206 (RFC 9110, section 14.4); `length` is the whole representation's.
    package mutating func contentRange(_ range: ByteRange, length: UInt64) {}
    /// `Content-Range` of a 416.
    package mutating func contentRange(unsatisfied length: UInt64) {}
    /// Whole field lines, each with its CR LF, prepared beforehand and written as they are.
    package mutating func raw(_ octets: [UInt8]) {}
    /// Whole field lines, each with its CR LF, prepared beforehand and written as they are.
    package mutating func raw(_ octets: Span<UInt8>) {}
    /// Ends the head with its empty line.
    package mutating func end() {}
}
