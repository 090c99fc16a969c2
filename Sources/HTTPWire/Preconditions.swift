/// Conditional requests (RFC 9110, section 13) against one representation that exists.
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
    ///   - now: Unix seconds; settles the century of dates with two digits of year.
    package static func evaluate(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        etag: Span<UInt8>,
        lastModified: HTTPDate?,
        now: Int64
    ) -> Outcome {
        // Steps 1 and 2: If-Match hides If-Unmodified-Since (13.1.4).
        if head.contains(.ifMatch) {
            guard matches(head, .ifMatch, bytes, etag, weakly: false) else { return .failed }
        } else if let lastModified, let limit = date(head, .ifUnmodifiedSince, bytes, now), lastModified > limit {
            return .failed
        }
        // Steps 3 and 4: If-None-Match hides If-Modified-Since (13.1.3), which is for GET and HEAD alone.
        let isRetrieval = head.method == .get || head.method == .head
        if head.contains(.ifNoneMatch) {
            if matches(head, .ifNoneMatch, bytes, etag, weakly: true) { return isRetrieval ? .notModified : .failed }
        } else if isRetrieval, let lastModified, let limit = date(head, .ifModifiedSince, bytes, now),
            lastModified <= limit
        {
            return .notModified
        }
        // Step 5.
        return .proceed(rangeApplies: rangeApplies(head, bytes, etag, lastModified, now))
    }

    /// True if the field's lines are `*`, or together a well-formed list with a tag that matches.
    ///
    /// A list with anything else in it matches nothing: 412 for If-Match, the whole answer for If-None-Match.
    private static func matches(
        _ head: RequestHead,
        _ name: FieldName,
        _ bytes: Span<UInt8>,
        _ etag: Span<UInt8>,
        weakly: Bool
    ) -> Bool {
        if let value = only(head, name), Octets.equal(bytes.extracting(value), "*") { return true }
        var hasMatch = false
        var isMalformed = false
        head.forEach(name) { value in
            switch EntityTag.compare(list: bytes.extracting(value), tag: etag, weakly: weakly) {
            case .match: hasMatch = true
            case .noMatch: break
            case .malformed: isMalformed = true
            }
        }
        return hasMatch && !isMalformed
    }

    /// The date of a field; nil, which is to ignore it, if there are several lines or it is no date (13.1.3, 13.1.4).
    private static func date(_ head: RequestHead, _ name: FieldName, _ bytes: Span<UInt8>, _ now: Int64) -> HTTPDate? {
        only(head, name).flatMap { HTTPDate.parse(bytes.extracting($0), now: now) }
    }

    /// Range is defined for GET alone (14.2) and has one value; If-Range decides whether it is wanted (13.1.5).
    private static func rangeApplies(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ etag: Span<UInt8>,
        _ lastModified: HTTPDate?,
        _ now: Int64
    ) -> Bool {
        guard head.method == .get, only(head, .range) != nil else { return false }
        guard head.contains(.ifRange) else { return true }
        guard let value = only(head, .ifRange) else { return false }
        let validator = bytes.extracting(value)
        // The strong tag itself, octet for octet: neither a weak one nor a list can be equal to it.
        if Octets.equal(validator, etag) { return true }
        // Published bytes never change, so the date is a strong validator here (8.8.2.2), if it is the same date.
        guard let lastModified, let date = HTTPDate.parse(validator, now: now) else { return false }
        return date == lastModified
    }

    /// The value of the field's only line.
    private static func only(_ head: RequestHead, _ name: FieldName) -> Range<Int>? {
        head.count(of: name) == 1 ? head.first(name) : nil
    }
}
