/// What a Range field asks of a representation.
package enum RangeSelection: Sendable {
    /// All of it: the field is of an unknown unit, invalid or asks for too many ranges, and is ignored.
    case whole
    /// 416: nothing that it asks for is there.
    case unsatisfiable
    case single(ByteRange)
    case several(ByteRangeList)
}

/// Reads a Range field (RFC 9110, sections 14.1 and 14.2).
package enum RangeField {
    /// What `value`, the field's octets, selects of a representation of `length` octets.
    package static func select(_ value: Span<UInt8>, length: UInt64) -> RangeSelection { .whole }
}
