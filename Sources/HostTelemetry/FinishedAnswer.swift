/// One answer about a file or archive whose last octet is out, or whose peer is gone.
package struct FinishedAnswer {
    package var file: FileIdentity
    package var status: UInt16
    /// HEAD: it carries no content, whatever its fields say, and downloads nothing.
    package var isHead: Bool
    /// The one range of a 206; nil for everything else, multipart/byteranges included.
    package var range: ClosedRange<UInt64>?
    /// The ranges of a multipart/byteranges answer, none otherwise. They count as covered when the whole answer was
    /// acknowledged, for the octets of its framing stand between them.
    package var parts: [ClosedRange<UInt64>]
    /// Octets of content that the answer was to carry; 0 for HEAD, 304 and the like.
    package var contentLength: UInt64
    /// Octets of content, heads not counted, that the peer has acknowledged.
    package var bytesSent: UInt64
    /// Octets of content beyond them that were handed to the kernel, of an answer that was cut.
    package var bytesUnacknowledged: UInt64
    /// Unix milliseconds.
    package var endedMilliseconds: Int64
    /// From the request's head to the end, by a clock that is never set back.
    package var durationMilliseconds: Int64
    /// What `LoopRecorder.client(_:at:)` made of the address.
    package var client: UInt64
    package var userAgent: InternedText?
    package var device: InternedText?
    package var download: DownloadIdentifier?
    package var isTLS: Bool

    package init(
        file: FileIdentity,
        status: UInt16,
        isHead: Bool = false,
        range: ClosedRange<UInt64>? = nil,
        parts: [ClosedRange<UInt64>] = [],
        contentLength: UInt64,
        bytesSent: UInt64,
        bytesUnacknowledged: UInt64 = 0,
        endedMilliseconds: Int64,
        durationMilliseconds: Int64,
        client: UInt64,
        userAgent: InternedText? = nil,
        device: InternedText? = nil,
        download: DownloadIdentifier? = nil,
        isTLS: Bool = false
    ) {
        self.file = file
        self.status = status
        self.isHead = isHead
        self.range = range
        self.parts = parts
        self.contentLength = contentLength
        self.bytesSent = bytesSent
        self.bytesUnacknowledged = bytesUnacknowledged
        self.endedMilliseconds = endedMilliseconds
        self.durationMilliseconds = max(0, durationMilliseconds)
        self.client = client
        self.userAgent = userAgent
        self.device = device
        self.download = download
        self.isTLS = isTLS
    }

    /// A GET that was answered with content: what a transfer is made of.
    var carriesContent: Bool { !isHead && (status == 200 || status == 206) }

    var isComplete: Bool { carriesContent && bytesSent >= contentLength }
}

/// Equal answers of about a second, as they go to the ledger: one row of `download`.
struct AnswerRow: Sendable {
    let file: FileIdentity
    let status: UInt16
    let carriesContent: Bool
    let range: ClosedRange<UInt64>?
    let parts: [ClosedRange<UInt64>]
    let contentLength: UInt64
    let client: UInt64
    let userAgent: InternedText?
    let device: InternedText?
    let download: DownloadIdentifier?
    let isTLS: Bool
    /// When the first of them began.
    let startedMilliseconds: Int64
    var endedMilliseconds: Int64
    /// Of the longest of them.
    var durationMilliseconds: Int64
    var requests: UInt64
    var completed: UInt64
    /// Of all of them.
    var bytesSent: UInt64
    /// Of the one that got furthest: they began at the same octet.
    var longest: UInt64
    /// How far the one got, at most, that was handed over furthest.
    var reached: UInt64

    init(_ answer: FinishedAnswer) {
        file = answer.file
        status = answer.status
        carriesContent = answer.carriesContent
        range = answer.range
        parts = answer.parts
        contentLength = answer.contentLength
        client = answer.client
        userAgent = answer.userAgent
        device = answer.device
        download = answer.download
        isTLS = answer.isTLS
        startedMilliseconds = answer.endedMilliseconds - answer.durationMilliseconds
        endedMilliseconds = answer.endedMilliseconds
        durationMilliseconds = answer.durationMilliseconds
        requests = 1
        completed = answer.isComplete ? 1 : 0
        bytesSent = answer.bytesSent
        longest = answer.bytesSent
        reached = answer.bytesSent + answer.bytesUnacknowledged
    }

    mutating func add(_ answer: borrowing FinishedAnswer) {
        endedMilliseconds = max(endedMilliseconds, answer.endedMilliseconds)
        durationMilliseconds = max(durationMilliseconds, answer.durationMilliseconds)
        requests += 1
        if answer.isComplete { completed += 1 }
        bytesSent += answer.bytesSent
        longest = max(longest, answer.bytesSent)
        reached = max(reached, answer.bytesSent + answer.bytesUnacknowledged)
    }

    /// What makes answers equal: the octets of the request that the ledger looks at, and the status.
    struct Key: Hashable {
        let file: ObjectIdentifier
        let userAgent: ObjectIdentifier?
        let device: ObjectIdentifier?
        let client: UInt64
        let download: DownloadIdentifier?
        let first: UInt64
        let last: UInt64
        let status: UInt16
        let isTLS: Bool

        init(_ answer: borrowing FinishedAnswer) {
            file = ObjectIdentifier(answer.file)
            userAgent = answer.userAgent.map { ObjectIdentifier($0) }
            device = answer.device.map { ObjectIdentifier($0) }
            client = answer.client
            download = answer.download
            // No range ends before it begins, so this one stands for none.
            first = answer.range?.lowerBound ?? 1
            last = answer.range?.upperBound ?? 0
            status = answer.status
            isTLS = answer.isTLS
        }

        // Equality looks at all; the hash at what differs most often, for it is made for each request.
        func hash(into hasher: inout Hasher) {
            hasher.combine(file)
            hasher.combine(client)
            hasher.combine(first)
        }
    }
}
