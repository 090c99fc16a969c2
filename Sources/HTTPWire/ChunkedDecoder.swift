/// Takes the chunked coding off a body (RFC 9112, section 7.1), a piece at a time.
package struct ChunkedDecoder: Sendable {
    /// What one step yields.
    package enum Step: Equatable, Sendable {
        /// All bytes are consumed; the body goes on.
        case needsMore
        /// Octets of the body: a range of the bytes given. Call again for what follows.
        case data(Range<Int>)
        /// The body has ended, trailers included; `position` is at the first octet after it.
        case finished
        /// The body is not well formed: the connection is to be closed.
        case invalid
    }

    /// - Parameters:
    ///   - extensionLimit: the most octets of extensions on one chunk.
    ///   - trailerLimit: the most octets of trailer section.
    ///   - trailerFields: the most trailer lines.
    package init(extensionLimit: Int = 1024, trailerLimit: Int = 8192, trailerFields: Int = 100) {}

    /// Consumes `bytes` from `position` on, and moves it behind what was consumed.
    package mutating func next(_ bytes: Span<UInt8>, from position: inout Int) -> Step { .needsMore }
}
