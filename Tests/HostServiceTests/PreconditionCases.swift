/// Preconditions (RFC 9110 13), alone and with Range; the order is that of 13.2.2.
extension RangeCase {
    static let ifRange: [RangeCase] = [
        RangeCase("13.1.5", "the tag", "Range: bytes=500-", "If-Range: {etag}", gives: .part(500, -1)),
        RangeCase(
            "13.1.5",
            "the tag, and several ranges",
            "Range: bytes=0-0,-1",
            "If-Range: {etag}",
            gives: .parts([(0, 0), (-1, -1)])
        ),
        RangeCase(
            "13.1.5",
            "the tag, and a range beyond the end",
            "Range: bytes={N}-",
            "If-Range: {etag}",
            gives: .unsatisfiable
        ),
        RangeCase("13.1.5", "another tag", "Range: bytes=500-", "If-Range: \"old\"", gives: .whole),
        RangeCase(
            "13.1.5",
            "another tag, and a range beyond the end",
            "Range: bytes={N}-",
            "If-Range: \"old\"",
            gives: .whole
        ),
        RangeCase(
            "13.1.5",
            "the tag as a weak one does not do",
            "Range: bytes=500-",
            "If-Range: W/{etag}",
            gives: .whole
        ),
        RangeCase(
            "13.1.5",
            "the tag in other letters is another",
            "Range: bytes=500-",
            "If-Range: {HEX}",
            gives: .whole
        ),
        RangeCase("13.1.5", "the tag without its quotes", "Range: bytes=500-", "If-Range: {hex}", gives: .whole),
        RangeCase("13.1.5", "a list is no validator", "Range: bytes=500-", "If-Range: {etag}, \"old\"", gives: .whole),
        RangeCase("13.1.5", "an asterisk is no validator", "Range: bytes=500-", "If-Range: *", gives: .whole),
        RangeCase("13.1.5", "an empty value", "Range: bytes=500-", "If-Range: ", gives: .whole),
        RangeCase("13.1.5", "the date", "Range: bytes=500-", "If-Range: {date}", gives: .part(500, -1)),
        RangeCase(
            "5.6.7",
            "the date as RFC 850 wrote it",
            "Range: bytes=500-",
            "If-Range: {date850}",
            gives: .part(500, -1)
        ),
        RangeCase(
            "5.6.7",
            "the date as asctime writes it",
            "Range: bytes=500-",
            "If-Range: {asctime}",
            gives: .part(500, -1)
        ),
        RangeCase("13.1.5", "an earlier date", "Range: bytes=500-", "If-Range: {earlier}", gives: .whole),
        RangeCase("13.1.5", "a later date is not the same", "Range: bytes=500-", "If-Range: {later}", gives: .whole),
        RangeCase("13.1.5", "neither tag nor date", "Range: bytes=500-", "If-Range: yesterday", gives: .whole),
        RangeCase("5.3", "two lines", "Range: bytes=500-", "If-Range: {etag}", "If-Range: {etag}", gives: .whole),
        RangeCase("13.1.5", "without Range it is ignored", "If-Range: \"old\"", gives: .whole),
    ]

    static let ifMatch: [RangeCase] = [
        RangeCase("13.1.1", "the tag", "If-Match: {etag}", gives: .whole),
        RangeCase("13.1.1", "the tag, and a range", "If-Match: {etag}", "Range: bytes=0-9", gives: .part(0, 9)),
        RangeCase("13.1.1", "another tag", "If-Match: \"x\"", gives: .failed),
        RangeCase("13.1.1", "another tag, and a range", "If-Match: \"x\"", "Range: bytes=0-9", gives: .failed),
        RangeCase(
            "13.1.1",
            "another tag, and a range beyond the end",
            "If-Match: \"x\"",
            "Range: bytes={N}-",
            gives: .failed
        ),
        RangeCase(
            "13.1.1",
            "the tag, and a range beyond the end",
            "If-Match: {etag}",
            "Range: bytes={N}-",
            gives: .unsatisfiable
        ),
        RangeCase("13.1.1", "an asterisk", "If-Match: *", gives: .whole),
        RangeCase("13.1.1", "an asterisk, and a range", "If-Match: *", "Range: bytes=-1", gives: .part(-1, -1)),
        RangeCase("13.1.1", "the tag in a list", "If-Match: \"x\" , {etag},\"y\"", gives: .whole),
        RangeCase("13.1.1", "a list without it", "If-Match: \"x\", \"y\"", gives: .failed),
        RangeCase("13.1.1", "the tag as a weak one never matches strongly", "If-Match: W/{etag}", gives: .failed),
        RangeCase("13.1.1", "the tag without its quotes", "If-Match: {hex}", gives: .failed),
        RangeCase("5.3", "two lines are one list", "If-Match: \"x\"", "If-Match: {etag}", gives: .whole),
        RangeCase(
            "13.2.2",
            "it hides If-Unmodified-Since",
            "If-Match: {etag}",
            "If-Unmodified-Since: {earlier}",
            gives: .whole
        ),
        RangeCase(
            "13.2.2",
            "it comes before If-None-Match",
            "If-Match: \"x\"",
            "If-None-Match: {etag}",
            gives: .failed
        ),
        RangeCase(
            "13.2.2",
            "when it holds, If-None-Match decides",
            "If-Match: {etag}",
            "If-None-Match: {etag}",
            gives: .notModified
        ),
    ]

    static let ifNoneMatch: [RangeCase] = [
        RangeCase("13.1.2", "the tag", "If-None-Match: {etag}", gives: .notModified),
        RangeCase("13.1.2", "the tag as a weak one, which does here", "If-None-Match: W/{etag}", gives: .notModified),
        RangeCase("13.1.2", "an asterisk", "If-None-Match: *", gives: .notModified),
        RangeCase("13.1.2", "the tag in a list", "If-None-Match: \"a\", {etag}", gives: .notModified),
        RangeCase(
            "13.1.2",
            "the tag after one that holds a comma",
            "If-None-Match: \"a,b\",{etag}",
            gives: .notModified
        ),
        RangeCase(
            "5.3",
            "two lines are one list",
            "If-None-Match: \"a\"",
            "If-None-Match: {etag}",
            gives: .notModified
        ),
        RangeCase("13.1.2", "another tag", "If-None-Match: \"a\"", gives: .whole),
        RangeCase("13.1.2", "another tag, and a range", "If-None-Match: \"a\"", "Range: bytes=0-9", gives: .part(0, 9)),
        RangeCase("13.1.2", "the tag without its quotes", "If-None-Match: {hex}", gives: .whole),
        RangeCase("13.2.2", "the tag, and a range", "If-None-Match: {etag}", "Range: bytes=0-9", gives: .notModified),
        RangeCase(
            "13.2.2",
            "the tag, and a range beyond the end",
            "If-None-Match: {etag}",
            "Range: bytes={N}-",
            gives: .notModified
        ),
        RangeCase(
            "13.1.3",
            "it hides If-Modified-Since",
            "If-None-Match: \"a\"",
            "If-Modified-Since: {date}",
            gives: .whole
        ),
        RangeCase(
            "13.1.3",
            "it hides an earlier If-Modified-Since",
            "If-None-Match: {etag}",
            "If-Modified-Since: {earlier}",
            gives: .notModified
        ),
    ]

    static let dates: [RangeCase] = [
        RangeCase("13.1.3", "modified since the same date: no", "If-Modified-Since: {date}", gives: .notModified),
        RangeCase("13.1.3", "modified since a later date: no", "If-Modified-Since: {later}", gives: .notModified),
        RangeCase(
            "13.1.3",
            "modified since the year 9999: no",
            "If-Modified-Since: Fri, 31 Dec 9999 23:59:59 GMT",
            gives: .notModified
        ),
        RangeCase("13.1.3", "modified since an earlier date: yes", "If-Modified-Since: {earlier}", gives: .whole),
        RangeCase(
            "13.1.3",
            "modified since 1970: yes",
            "If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT",
            gives: .whole
        ),
        RangeCase("13.1.3", "no date is ignored", "If-Modified-Since: yesterday", gives: .whole),
        RangeCase(
            "13.1.3",
            "a date of another zone is no HTTP date",
            "If-Modified-Since: Mon, 01 Dec 2025 10:30:00 CET",
            gives: .whole
        ),
        RangeCase(
            "13.1.3",
            "two lines are ignored",
            "If-Modified-Since: {date}",
            "If-Modified-Since: {date}",
            gives: .whole
        ),
        RangeCase("5.6.7", "the date as RFC 850 wrote it", "If-Modified-Since: {date850}", gives: .notModified),
        RangeCase("5.6.7", "the date as asctime writes it", "If-Modified-Since: {asctime}", gives: .notModified),
        RangeCase(
            "13.2.2",
            "not modified, and a range",
            "If-Modified-Since: {date}",
            "Range: bytes=0-9",
            gives: .notModified
        ),
        RangeCase(
            "13.2.2",
            "modified, and a range",
            "If-Modified-Since: {earlier}",
            "Range: bytes=0-9",
            gives: .part(0, 9)
        ),
        RangeCase("13.1.4", "unmodified since the same date: yes", "If-Unmodified-Since: {date}", gives: .whole),
        RangeCase("13.1.4", "unmodified since a later date: yes", "If-Unmodified-Since: {later}", gives: .whole),
        RangeCase("13.1.4", "unmodified since an earlier date: no", "If-Unmodified-Since: {earlier}", gives: .failed),
        RangeCase("5.6.7", "an earlier date as RFC 850 wrote it", "If-Unmodified-Since: {earlier850}", gives: .failed),
        RangeCase(
            "5.6.7",
            "an earlier date as asctime writes it",
            "If-Unmodified-Since: {earlierAsctime}",
            gives: .failed
        ),
        RangeCase("13.1.4", "no date is ignored", "If-Unmodified-Since: 2025-12-01", gives: .whole),
        RangeCase(
            "13.1.4",
            "two lines are ignored",
            "If-Unmodified-Since: {earlier}",
            "If-Unmodified-Since: {earlier}",
            gives: .whole
        ),
        RangeCase(
            "13.2.2",
            "unmodified, and a range",
            "If-Unmodified-Since: {date}",
            "Range: bytes=0-9",
            gives: .part(0, 9)
        ),
        RangeCase(
            "13.2.2",
            "modified since, and a range",
            "If-Unmodified-Since: {earlier}",
            "Range: bytes=0-9",
            gives: .failed
        ),
        RangeCase(
            "13.2.2",
            "If-Unmodified-Since comes before If-None-Match",
            "If-Unmodified-Since: {earlier}",
            "If-None-Match: {etag}",
            gives: .failed
        ),
        RangeCase(
            "13.2.2",
            "when it holds, If-None-Match decides",
            "If-Unmodified-Since: {date}",
            "If-None-Match: {etag}",
            gives: .notModified
        ),
        RangeCase(
            "13.2.2",
            "both dates of a cache that is up to date",
            "If-Unmodified-Since: {date}",
            "If-Modified-Since: {date}",
            gives: .notModified
        ),
    ]

    /// No content coding, ever: ranges are over the octets on the disk.
    static let negotiation: [RangeCase] = [
        RangeCase("12.5.3", "gzip is asked for", "Accept-Encoding: gzip, br, zstd", gives: .whole),
        RangeCase(
            "12.5.3",
            "gzip is asked for, and a range",
            "Accept-Encoding: gzip",
            "Range: bytes=500-",
            gives: .part(500, -1)
        ),
        RangeCase(
            "12.5.3",
            "everything but gzip is refused",
            "Accept-Encoding: gzip, identity;q=0, *;q=0",
            gives: .whole
        ),
        RangeCase("12.5.1", "another media type is asked for", "Accept: text/html;q=1, */*;q=0", gives: .whole),
        RangeCase(
            "12.5.1",
            "another media type, and a range",
            "Accept: text/html",
            "Range: bytes=-10",
            gives: .part(-10, -1)
        ),
    ]
}
