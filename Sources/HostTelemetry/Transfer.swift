internal import HostSystem

/// What finds a transfer: the first 16 octets of a SHA-256 over who asks and for what.
struct TransferKey: Hashable {
    let octets: [UInt8]

    init(octets: [UInt8]) {
        self.octets = octets
    }

    /// The transfer that `AIModel-Download` names, of this asset.
    init(_ download: DownloadIdentifier, _ file: FileIdentity) {
        self.init("download", Self.octets(download.high) + Self.octets(download.low), file)
    }

    /// The one of the same device; where the device is not known, of the same client and user agent.
    init(_ row: AnswerRow) {
        if let device = row.device {
            self.init("device", Array(device.text.utf8), row.file)
        } else {
            let agent = row.userAgent.map { Array($0.text.utf8) } ?? []
            self.init("client", Self.octets(row.client) + agent, row.file)
        }
    }

    private init(_ rule: StaticString, _ who: [UInt8], _ file: FileIdentity) {
        var hash = SHA256()
        // Each part with its length, so that no two lists of parts read the same.
        for part in [Array(rule.description.utf8), who]
            + [file.model, file.version, file.asset ?? ""].map({
                Array($0.utf8)
            })
        {
            hash.update(Self.octets(UInt64(part.count)))
            hash.update(part)
        }
        octets = Array(hash.finish().prefix(16))
    }

    private static func octets(_ value: UInt64) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

/// How much of an asset, in one of its two forms, has arrived.
struct Coverage: Equatable {
    /// Octets of the form; nil while no answer about it was seen.
    var size: UInt64?
    var covered = IntervalSet()
    /// What an answer was to carry behind its first octet when it was cut: an answer that begins there resumes it.
    var cut = IntervalSet()
    /// Octets that a cut answer had handed to the kernel and its peer not acknowledged. A peer acknowledges what has come
    /// some time later, and a reset tells nothing of it: whether it came is told by the answer that goes on behind it.
    var doubt = IntervalSet()

    /// Intervals that one transfer may have. A client that fetches every other octet is not worth more memory.
    static let limit = 4096
    /// Octets behind the last that was acknowledged which may have come. RFC 9293 3.8.6.3 lets a peer keep back the
    /// acknowledgement of one segment, and some keep back that of several, of 1460 octets as a rule.
    static let unacknowledgedLimit: UInt64 = 16 << 10

    var isWhole: Bool { size.map { covered.count >= $0 } ?? false }
}

/// One device's download of one asset, over all its requests.
struct Transfer {
    static let window: Int64 = 24 * 3_600_000

    let id: Int64
    var downloadKey: TransferKey?
    var identityKey: TransferKey
    var lastMilliseconds: Int64
    var requests: UInt64 = 0
    var bytesSent: UInt64 = 0
    var completedMilliseconds: Int64?
    /// The files of the tree, one after the other.
    var tree = Coverage()
    var archive = Coverage()

    /// Answers of late that went on somewhere in the middle, of which no cut was known; the newest last.
    private(set) var beginnings: [Beginning] = []

    // The writer's own notes.
    var isChanged = false
    var lastUse: UInt64 = 0
    /// The day for which its device is counted in `daily`.
    var countedDay: Int64?

    /// The form that has got further stands for the transfer.
    var leading: Coverage { archive.covered.count > tree.covered.count || tree.size == nil ? archive : tree }

    /// Memory it takes, roughly, in intervals.
    var weight: Int {
        [tree, archive].reduce(64) {
            $0 + $1.covered.intervals.count + $1.cut.intervals.count + $1.doubt.intervals.count
        }
    }

    /// Whether a request that bears no `AIModel-Download` may belong to it.
    func takes(_ row: AnswerRow) -> Bool {
        // One that was under way when the last octet arrived is no new download. Neither is one for an empty file: the
        // last octet may arrive before the last file, if that has none.
        if let completedMilliseconds, row.startedMilliseconds >= completedMilliseconds, row.file.bytesTotal > 0 {
            return false
        }
        return row.endedMilliseconds - lastMilliseconds <= Self.window
    }

    /// An answer that did not begin at the first octet.
    struct Beginning {
        let place: Place
        /// Unix milliseconds.
        let started: Int64
        /// The row of `download`.
        let row: Int64
    }

    /// An octet of the tree or of the archive.
    struct Place: Equatable {
        let isOfArchive: Bool
        let octet: UInt64
    }

    /// Answers whose beginning is remembered.
    private static let beginningsLimit = 16
    /// Milliseconds within which loops hand over what they know, one before the other.
    private static let handOverTime: Int64 = 2000

    /// Remembers an answer that went on where no cut was known yet, and its row.
    mutating func note(_ place: Place, startedAt started: Int64, row: Int64) {
        if beginnings.count >= Self.beginningsLimit { beginnings.removeFirst() }
        beginnings.append(Beginning(place: place, started: started, row: row))
    }

    /// The rows of answers that, as is known now, went on where this one was cut.
    private mutating func takeResumed(_ cut: Range<UInt64>, isOfArchive: Bool, endedAt ended: Int64) -> [Int64] {
        var rows: [Int64] = []
        beginnings.removeAll { beginning in
            guard beginning.place.isOfArchive == isOfArchive, cut.contains(beginning.place.octet),
                beginning.started >= ended - Self.handOverTime
            else { return false }
            rows.append(beginning.row)
            return true
        }
        return rows
    }

    /// What an answer did to a transfer.
    struct Effect: Equatable {
        /// It is the first of a transfer.
        var begins = false
        var isResumed = false
        /// Where it went on without a cut that is known. Loops hand over in any order, so that one may come to be known.
        var wentOn: Place?
        /// What it was to carry behind its first octet when it was cut.
        var cut: Range<UInt64>?
        /// The rows of answers known before it that went on where it was cut.
        var resumedRows: [Int64] = []
        var completes = false
        /// Octets that arrived and could not be noted.
        var lost: UInt64 = 0
    }

    /// Adds an answer with content.
    mutating func add(_ row: AnswerRow) -> Effect {
        var effect = Effect()
        isChanged = true
        requests += row.requests
        bytesSent += row.bytesSent
        lastMilliseconds = max(lastMilliseconds, row.endedMilliseconds)
        switch row.file.place {
        case .tree(let offset, let size):
            tree.size = size
            Self.add(row, at: offset, to: &tree, &effect)
        case .archive:
            archive.size = row.file.bytesTotal
            Self.add(row, at: 0, to: &archive, &effect)
        case .companion:
            return effect
        }
        if let cut = effect.cut {
            let isOfArchive = row.file.place == .archive
            effect.resumedRows = takeResumed(cut, isOfArchive: isOfArchive, endedAt: row.endedMilliseconds)
        }
        if completedMilliseconds == nil, tree.isWhole || archive.isWhole {
            completedMilliseconds = lastMilliseconds
            effect.completes = true
        }
        return effect
    }

    private static func add(_ row: AnswerRow, at offset: UInt64, to coverage: inout Coverage, _ effect: inout Effect) {
        func cover(_ first: UInt64, _ count: UInt64) {
            // A range lies inside its file, and what arrived inside the range; a caller that errs must not cover the
            // octets of the next file.
            let end = min(row.file.bytesTotal, first.addingReportingOverflow(count).partialValue)
            guard first < end else { return }
            if !coverage.covered.insert(offset + first..<offset + end, limit: Coverage.limit) {
                effect.lost += end - first
            }
        }
        if !row.parts.isEmpty {
            if row.completed > 0 { for part in row.parts { cover(part.lowerBound, UInt64(part.count)) } }
            return
        }
        if row.status == 206, row.range == nil { return }
        let first = row.range?.lowerBound ?? 0
        let end = min(row.file.bytesTotal, row.range.map { $0.upperBound + 1 } ?? row.file.bytesTotal)
        effect.isResumed = first > 0 && coverage.cut.contains(offset + first)
        if first > 0, !effect.isResumed {
            effect.wentOn = Place(isOfArchive: row.file.place == .archive, octet: offset + first)
        }
        cover(first, min(row.longest, end - min(first, end)))
        if first > 0, let doubt = coverage.doubt.interval(containing: offset + first - 1) {
            coverage.covered.insert(doubt.lowerBound..<offset + first, limit: Coverage.limit)
        }
        if row.completed < row.requests, first + 1 < end {
            let cut = offset + first + 1..<offset + end
            coverage.cut.insert(cut, limit: 256)
            effect.cut = cut
            let lower = offset + min(end, first + row.longest)
            // What begins where its range ends is another segment's, and says nothing of this one's.
            let upper = min(offset + end - 1, offset + first + row.reached, lower + Coverage.unacknowledgedLimit)
            coverage.doubt.insert(lower..<max(lower, upper), limit: 256)
            // Loops hand over once a second, in any order: the answer that goes on may have been known before.
            if let start = coverage.covered.firstStart(after: lower), start <= upper {
                coverage.covered.insert(lower..<start, limit: Coverage.limit)
            }
        }
    }
}
