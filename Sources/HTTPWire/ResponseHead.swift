/// Writes response heads (RFC 9112, section 4) into one array that is used again and again.
///
/// Values are octets of a field value: control octets other than HTAB among them are written as spaces, so that no
/// value, whatever it was made from, can begin another field or another answer (RFC 9110, section 5.5).
/// Names are literals of the caller.
package struct ResponseHead: Sendable {
    /// The head so far.
    package private(set) var bytes: [UInt8] = []

    /// Room for `capacity` octets is made at once; a head that fits allocates nothing.
    package init(capacity: Int = 1024) {
        bytes.reserveCapacity(capacity)
    }

    /// Starts a head with its status line, and forgets the one before.
    /// - Parameter status: 100 to 599.
    package mutating func begin(status: Int) {
        precondition((100...599).contains(status), "\(status) is not a status code of an answer")
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: "HTTP/1.1 ".utf8)
        Decimal.append(status, width: 3, to: &bytes)
        // The space stays where there is no phrase (RFC 9112, section 4).
        bytes.append(Octets.space)
        bytes.append(contentsOf: ReasonPhrase.text(status).utf8)
        endLine()
    }

    /// A field with a text value.
    package mutating func field(_ name: String, _ value: String) {
        startField(name)
        for octet in value.utf8 { bytes.append(Self.safe(octet)) }
        endLine()
    }

    /// A field with a value of octets.
    package mutating func field(_ name: String, _ value: Span<UInt8>) {
        startField(name)
        for index in 0..<value.count { bytes.append(Self.safe(value[index])) }
        endLine()
    }

    /// A field with a value of octets.
    package mutating func field(_ name: String, _ value: some Collection<UInt8>) {
        startField(name)
        for octet in value { bytes.append(Self.safe(octet)) }
        endLine()
    }

    /// A field with a decimal number.
    package mutating func field(_ name: String, _ value: UInt64) {
        startField(name)
        Decimal.append(value, to: &bytes)
        endLine()
    }

    /// A field with a date.
    package mutating func field(_ name: String, _ value: HTTPDate) {
        startField(name)
        value.write(into: &bytes)
        endLine()
    }

    /// `Content-Range` of a 206 (RFC 9110, section 14.4); `length` is the whole representation's, in octets.
    package mutating func contentRange(_ range: ByteRange, length: UInt64) {
        startField("Content-Range")
        ContentRange.append(range, length: length, to: &bytes)
        endLine()
    }

    /// `Content-Range` of a 416, which says the length in octets of what is there.
    package mutating func contentRange(unsatisfied length: UInt64) {
        startField("Content-Range")
        ContentRange.append(unsatisfied: length, to: &bytes)
        endLine()
    }

    /// Whole field lines, each with its CR LF, prepared beforehand and written as they are.
    package mutating func raw(_ octets: [UInt8]) {
        bytes.append(contentsOf: octets)
    }

    /// Whole field lines, each with its CR LF, prepared beforehand and written as they are.
    package mutating func raw(_ octets: Span<UInt8>) {
        for index in 0..<octets.count { bytes.append(octets[index]) }
    }

    /// Ends the head with its empty line.
    package mutating func end() {
        endLine()
    }

    private mutating func startField(_ name: String) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(Octets.space)
    }

    private mutating func endLine() {
        bytes.append(Octets.cr)
        bytes.append(Octets.lf)
    }

    private static func safe(_ octet: UInt8) -> UInt8 {
        (octet < Octets.space && octet != Octets.tab) || octet == 0x7F ? Octets.space : octet
    }
}
