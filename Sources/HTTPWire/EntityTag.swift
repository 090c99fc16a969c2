/// Entity tags and their comparison (RFC 9110, section 8.8.3).
package enum EntityTag {
    /// True if the list of entity tags `value` is well formed and one of them matches `tag`.
    ///
    /// `*` is not an entity tag: it is the caller's to look for.
    /// - Parameters:
    ///   - value: a field's octets.
    ///   - tag: a strong tag with its quotes.
    ///   - weakly: compare as section 8.8.3.2 says for If-None-Match; otherwise weak tags never match.
    package static func matches(list value: Span<UInt8>, tag: Span<UInt8>, weakly: Bool) -> Bool { false }
}
