/// How much of a request head is taken before it is refused. Sizes are octets.
package struct RequestLimits: Sendable, Equatable {
    /// The longest request target. RFC 9112, section 3 asks for 8000 octets of request line at least.
    package var target: Int
    /// The longest head, request line and final empty line included.
    package var head: Int
    /// The most field lines, `RequestHead.fieldCapacity` at most.
    package var fields: Int
    /// The most empty lines in front of the request line (RFC 9112, section 2.2 asks for one to be ignored).
    package var emptyLinesBefore: Int

    /// Limits out of range are brought into it: nothing is below 0, and no more than `fieldCapacity` fields.
    package init(target: Int = 8192, head: Int = 32768, fields: Int = 100, emptyLinesBefore: Int = 4) {
        self.target = max(0, target)
        self.head = min(max(0, head), Int(UInt32.max))
        self.fields = min(max(0, fields), RequestHead.fieldCapacity)
        self.emptyLinesBefore = max(0, emptyLinesBefore)
    }
}
