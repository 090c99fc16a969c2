/// The body of an answer with several ranges (RFC 9110, section 14.6), as it goes over the wire:
///
///     --BOUNDARY CR LF                          \
///     Content-Type: type of the file CR LF       | partHead(0)
///     Content-Range: bytes 0-9/1000 CR LF        |
///     CR LF                                     /
///     ten octets of the file                      ranges[0]
///     CR LF                                     \
///     --BOUNDARY CR LF                           |
///     Content-Type: type of the file CR LF       | partHead(1)
///     Content-Range: bytes 20-29/1000 CR LF      |
///     CR LF                                     /
///     ten octets of the file                      ranges[1]
///     CR LF                                     \ closing
///     --BOUNDARY-- CR LF                        /
///
/// The answer itself has no Content-Range (section 15.3.7.2), and a Content-Length: `contentLength`.
package struct MultipartByteranges: Sendable {
    /// What is sent, in this order.
    package let ranges: ByteRangeList
    /// Octets of the whole body, exact.
    package let contentLength: UInt64
    /// What stands after the octets of the last part.
    package let closing: [UInt8]
    private let opening: [UInt8]
    private let length: UInt64
    private let boundary: String

    /// - Parameters:
    ///   - ranges: what is sent; no range touches another.
    ///   - length: octets of the whole representation, in which the ranges lie.
    ///   - contentType: the representation's own media type, said in each part.
    ///   - boundary: 1 to 70 characters of RFC 2046, section 5.1.1, that do not occur in the representation.
    package init(ranges: ByteRangeList, length: UInt64, contentType: String, boundary: String) {
        self.ranges = ranges
        self.length = length
        self.boundary = boundary
        opening = Array("--\(boundary)\r\nContent-Type: \(contentType)\r\nContent-Range: ".utf8)
        closing = Array("\r\n--\(boundary)--\r\n".utf8)
        var sum = UInt64(closing.count)
        for index in 0..<ranges.count {
            let head = Self.partHead(index, opening, ranges[index], length)
            // Ranges that do not touch add up to `length` at most, and a file is far below 2^64: this cannot trap
            // for anything that can be opened.
            sum += UInt64(head.count) + ranges[index].count
        }
        contentLength = sum
    }

    /// What stands before the octets of the part at `index`, which is below `ranges.count`.
    package func partHead(_ index: Int) -> [UInt8] {
        Self.partHead(index, opening, ranges[index], length)
    }

    /// The answer's Content-Type.
    package var mediaType: String { "multipart/byteranges; boundary=\(boundary)" }

    private static func partHead(_ index: Int, _ opening: [UInt8], _ range: ByteRange, _ length: UInt64) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(opening.count + 80)
        // The CR LF before a boundary belongs to the boundary (RFC 2046, section 5.1.1); the first needs none.
        if index > 0 { head.append(contentsOf: "\r\n".utf8) }
        head.append(contentsOf: opening)
        ContentRange.append(range, length: length, to: &head)
        head.append(contentsOf: "\r\n\r\n".utf8)
        return head
    }
}

/// `Content-Range = "bytes" SP ( first "-" last "/" length / "*/" length )` (RFC 9110, section 14.4).
enum ContentRange {
    static func append(_ range: ByteRange, length: UInt64, to output: inout [UInt8]) {
        output.append(contentsOf: "bytes ".utf8)
        Decimal.append(range.first, to: &output)
        output.append(UInt8(ascii: "-"))
        Decimal.append(range.last, to: &output)
        output.append(UInt8(ascii: "/"))
        Decimal.append(length, to: &output)
    }

    static func append(unsatisfied length: UInt64, to output: inout [UInt8]) {
        output.append(contentsOf: "bytes */".utf8)
        Decimal.append(length, to: &output)
    }
}
