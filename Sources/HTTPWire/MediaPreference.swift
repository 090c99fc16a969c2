/// Which of two media types a client would rather have (RFC 9110, section 12.5.1).
package enum MediaPreference {
    /// True if the Accept fields of `head` rank `text/html` above `application/json`; `fallback` where they rank
    /// both alike or there are none.
    package static func prefersHTML(_ head: RequestHead, _ bytes: Span<UInt8>, default fallback: Bool) -> Bool {
        fallback
    }
}
