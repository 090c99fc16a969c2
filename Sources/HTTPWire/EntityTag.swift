/// Entity tags and their comparison (RFC 9110, section 8.8.3).
///
///     entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE
///     etagc      = %x21 / %x23-7E / %x80-FF       a comma is one of them, a quote and a space are not
package enum EntityTag {
    /// True if the list of entity tags `value` is well formed and one of them matches `tag`.
    ///
    /// `*` is not an entity tag: it is the caller's to look for.
    /// - Parameters:
    ///   - value: a field's octets.
    ///   - tag: a strong tag with its quotes.
    ///   - weakly: compare as section 8.8.3.2 says for If-None-Match; otherwise weak tags never match.
    package static func matches(list value: Span<UInt8>, tag: Span<UInt8>, weakly: Bool) -> Bool {
        compare(list: value, tag: tag, weakly: weakly) == .match
    }

    enum Comparison: Equatable {
        case match
        case noMatch
        /// Not a list of entity tags; nothing that it holds can be relied on.
        case malformed
    }

    static func compare(list value: Span<UInt8>, tag: Span<UInt8>, weakly: Bool) -> Comparison {
        var result = Comparison.noMatch
        var position = 0
        while true {
            skipWhitespace(value, &position)
            guard position < value.count else { return result }
            if value[position] != UInt8(ascii: ",") {
                guard let element = parse(value, &position) else { return .malformed }
                if weakly || !element.isWeak, Octets.equal(value.extracting(element.opaque), tag) { result = .match }
                skipWhitespace(value, &position)
                guard position < value.count else { return result }
                guard value[position] == UInt8(ascii: ",") else { return .malformed }
            }
            position &+= 1
        }
    }

    /// Reads one entity tag at `position` and moves behind it; nil if there is none. `opaque` includes the quotes.
    private static func parse(_ value: Span<UInt8>, _ position: inout Int) -> (isWeak: Bool, opaque: Range<Int>)? {
        // `W` is case-sensitive (section 8.8.3).
        let isWeak =
            value.count &- position > 1 && value[position] == UInt8(ascii: "W")
            && value[position &+ 1] == UInt8(ascii: "/")
        let start = isWeak ? position &+ 2 : position
        guard start < value.count, value[start] == UInt8(ascii: "\"") else { return nil }
        var end = start &+ 1
        while end < value.count, value[end] != UInt8(ascii: "\"") {
            guard value[end] > Octets.space, value[end] != 0x7F else { return nil }
            end &+= 1
        }
        guard end < value.count else { return nil }
        position = end &+ 1
        return (isWeak, start..<position)
    }

    private static func skipWhitespace(_ value: Span<UInt8>, _ position: inout Int) {
        while position < value.count, Octets.isWhitespace(value[position]) { position &+= 1 }
    }
}
