/// The body of an answer with several ranges (RFC 9110, section 14.6).
package struct MultipartByteranges: Sendable {
    package let ranges: ByteRangeList

    /// - Parameters:
    ///   - ranges: what is sent, in this order.
    ///   - length: octets of the whole representation, in which the ranges lie.
    ///   - contentType: the representation's own media type, said in each part.
    ///   - boundary: 1 to 70 characters of RFC 2046, section 5.1.1, that do not occur in the representation.
    package init(ranges: ByteRangeList, length: UInt64, contentType: String, boundary: String) {
        self.ranges = ranges
    }

    /// Octets of the whole body, exact.
    package var contentLength: UInt64 { 0 }
    /// What stands before the octets of the part at `index`.
    package func partHead(_ index: Int) -> [UInt8] { [] }
    /// What stands after the octets of the last part.
    package var closing: [UInt8] { [] }
    /// The answer's Content-Type.
    package var mediaType: String { "" }
}
