/// A date of HTTP (RFC 9110, section 5.6.7): whole seconds since 1970-01-01 00:00:00 UTC.
package struct HTTPDate: Equatable, Comparable, Sendable {
    package let seconds: Int64

    package init(seconds: Int64) {
        self.seconds = seconds
    }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.seconds < right.seconds }

    /// Reads any of the three forms; nil for anything else. `now`, in Unix seconds, settles the century of the rfc850 form.
    package static func parse(_ value: Span<UInt8>, now: Int64) -> HTTPDate? { nil }

    /// Appends the 29 octets of the IMF-fixdate.
    package func write(into output: inout [UInt8]) {}
}
