/// Conditional requests (RFC 9110, section 13).
package enum Preconditions {
    package enum Outcome: Equatable, Sendable {
        /// Answer the method; whether a Range field counts (GET, one line, and an If-Range that holds).
        case proceed(rangeApplies: Bool)
        /// 304.
        case notModified
        /// 412.
        case failed
    }

    /// Evaluates every precondition of `head` in the order of section 13.2.2.
    /// - Parameters:
    ///   - head: a parsed head.
    ///   - bytes: what it was parsed from.
    ///   - etag: the representation's strong entity tag with its quotes.
    ///   - lastModified: its modification date, if it has one.
    ///   - now: Unix seconds.
    package static func evaluate(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        etag: Span<UInt8>,
        lastModified: HTTPDate?,
        now: Int64
    ) -> Outcome { .proceed(rangeApplies: false) }
}
