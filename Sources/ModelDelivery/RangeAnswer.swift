internal import ModelCatalog

/// What an answer to a request for a file, or for the rest of one, is good for. Judged from its head alone, before a
/// byte of it is written:
///
///     on disk   [0 ......... offset)
///     asked                 [offset ............. size)     Range: bytes=offset-   If-Range: "<sha256>"
///     206                   [offset ...... last]            Content-Range: bytes offset-last/size
///     200       [0 ............................... size)    what is on disk goes first
struct RangeAnswer: Hashable {
    enum Verdict: Hashable {
        /// The bytes continue what is on disk; so many will come.
        case append(UInt64)
        /// The file from its beginning: what is on disk is cut to nothing first.
        case startOver
        /// Not the bytes that were asked for; the text says why.
        case refuse(String)
    }

    /// The file's, from the manifest.
    let size: UInt64
    let digest: ContentDigest

    /// The file's strong entity tag: made from its content, so it is known before anybody was asked.
    var entityTag: String { "\"\(digest.hex)\"" }

    /// - Parameter offset: bytes on disk; 0 where no range was asked for.
    func judge(_ head: AnswerHead, offset: UInt64) -> Verdict {
        if let coding = head["content-encoding"], coding.lowercased() != "identity" {
            return .refuse("it has the content coding \(coding), so its bytes are not the file's")
        }
        switch head.status {
        case 206: return judgePart(head, offset: offset)
        case 200: return judgeWhole(head, offset: offset)
        default: return .refuse("status \(head.status) is no answer with a file")
        }
    }

    private func judgePart(_ head: AnswerHead, offset: UInt64) -> Verdict {
        guard offset > 0 else { return .refuse("206, but no range was asked for") }
        // RFC 9110, section 15.3.7: a part that answers If-Range bears the validator of the whole.
        guard head["etag"] == entityTag else {
            return .refuse("206 with the entity tag \(head["etag"] ?? "(none)") instead of \(entityTag)")
        }
        guard let text = head["content-range"], let range = Self.parse(contentRange: text) else {
            return .refuse("206 without a Content-Range that says which bytes these are")
        }
        guard range.first == offset, range.last >= range.first, range.last < size, range.total == size else {
            return .refuse("Content-Range \(text), where the bytes from \(offset) of \(size) were asked for")
        }
        let count = range.last - range.first + 1
        if head["content-length"] != nil, head.contentLength != count {
            return .refuse("Content-Length \(head["content-length"] ?? "") beside Content-Range \(text)")
        }
        return .append(count)
    }

    private func judgeWhole(_ head: AnswerHead, offset: UInt64) -> Verdict {
        if head["content-length"] != nil, head.contentLength != size {
            return .refuse("\(head["content-length"] ?? "") bytes, where the file has \(size)")
        }
        switch head["etag"] {
        // A cache on the way may weaken the tag; the hash over the whole decides in the end.
        case entityTag, "W/" + entityTag: return .startOver
        case nil where offset == 0: return .startOver
        // With bytes at stake an answer must say that it is the file: a page of a hotel's network does not.
        case nil: return .refuse("200 without an entity tag, with \(offset) bytes here already")
        case let other?: return .refuse("the entity tag \(other) instead of \(entityTag)")
        }
    }

    /// `bytes first-last/total` (RFC 9110, section 14.4); nil for everything else, an unknown total included.
    static func parse(contentRange text: String) -> (first: UInt64, last: UInt64, total: UInt64)? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, let total = number(halves[1]) else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return nil }
        return (first, last, total)
    }

    /// Digits only: `UInt64.init` takes a sign too.
    private static func number(_ text: Substring) -> UInt64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(text) : nil
    }
}
