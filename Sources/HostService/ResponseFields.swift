/// Field lines that are made once and sent often.
struct ResponseFields: Sendable {
    /// Each line with its CR LF.
    private(set) var octets: [UInt8] = []

    mutating func add(_ name: String, _ value: some Sequence<UInt8>) {
        octets += Array(name.utf8)
        octets += [UInt8(ascii: ":"), UInt8(ascii: " ")]
        octets += value
        octets += [13, 10]
    }

    mutating func add(_ name: String, _ value: String) {
        add(name, Array(value.utf8))
    }

    mutating func add(_ fields: ResponseFields) {
        octets += fields.octets
    }
}
