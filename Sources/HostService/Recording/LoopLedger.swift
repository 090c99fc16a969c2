internal import HTTPWire
internal import HostSystem
internal import HostTelemetry
internal import HostTransport
internal import ModelCatalog

/// What one loop tells the ledger of its answers. Used on that loop's thread only.
///
/// An answer about a file is entered when it begins and told when it has ended; its number is the receipt that the
/// transport carries. Places are used again, so that in the steady state nothing is allocated.
final class LoopLedger {
    private let clock: LoopClock
    private let recorder: LoopRecorder
    /// Answers under way, and milliseconds of the loop's clock when each began.
    private var open: [(answer: FinishedAnswer, started: Int64)?] = []
    private var free: [Int32] = []

    init(clock: LoopClock, recorder: LoopRecorder) {
        self.clock = clock
        self.recorder = recorder
    }

    /// Enters an answer about a file that begins now.
    ///
    /// - Parameter started: milliseconds of the loop's clock when the request's head was there.
    /// - Returns: by which `finished` knows it again; `none` where there is nothing more to be told.
    func begin(
        _ file: PreparedFile,
        _ answer: FileAnswer,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext,
        started: Int64
    ) -> Receipt {
        switch file.description.subject {
        case .manifest(let model, let version):
            let check = VersionCheck(
                at: clock.unixMilliseconds,
                model: model.text,
                offeredVersion: version.text,
                device: device(head, bytes),
                client: client(context),
                outcome: .manifest
            )
            recorder.versionCheck(check)
            return .none
        case .download(let identity):
            // HEAD asks about a file and downloads nothing.
            if head.method == .head { return .none }
            var begun = unanswered(identity, answer.status, head, bytes, context)
            begun.range = answer.range.map { $0.first...$0.last }
            begun.parts = answer.parts
            begun.contentLength = answer.contentLength
            return enter(begun, started)
        }
    }

    /// Tells of an answer that has ended.
    ///
    /// - Parameters:
    ///   - octets: content that the peer has.
    ///   - unacknowledged: content beyond it that the peer may have.
    ///   - milliseconds: of the loop's clock when it ended.
    func finished(_ receipt: Receipt, octets: UInt64, unacknowledged: UInt64, at milliseconds: Int64) {
        let place = Int(receipt.number)
        guard open.indices.contains(place), let begun = open[place] else { return }
        var answer = begun.answer
        open[place] = nil
        free.append(receipt.number)
        // The content of a refusal is none of the file's.
        answer.bytesSent = min(octets, answer.contentLength)
        answer.bytesUnacknowledged = unacknowledged
        answer.endedMilliseconds = clock.unixMilliseconds - (clock.milliseconds - milliseconds)
        answer.durationMilliseconds = max(0, milliseconds - begun.started)
        recorder.answered(answer)
    }

    /// Tells of a question.
    func observed(_ observation: Observation, _ head: RequestHead, _ bytes: Span<UInt8>, _ context: RequestContext) {
        let client = client(context)
        let device = device(head, bytes)
        if var check = observation.check {
            check.at = clock.unixMilliseconds
            check.client = client
            check.device = device
            recorder.versionCheck(check)
        }
        for var miss in observation.misses {
            miss.at = clock.unixMilliseconds
            miss.client = client
            miss.device = device
            recorder.variantMiss(miss)
        }
        guard let refused = observation.refused, head.method != .head else { return }
        recorder.answered(unanswered(refused.file, refused.status, head, bytes, context))
    }

    /// Takes reports, all or none.
    ///
    /// - Returns: whether they will be written.
    func report(_ reports: [DeviceReport]) -> Bool { recorder.report(reports) }

    /// Whether `report` would take one now.
    var takesReports: Bool { recorder.takesReports }

    /// Unix milliseconds by the loop's clock.
    var now: Int64 { clock.unixMilliseconds }

    /// To be called about once a second and when the loop ends.
    func tick() {
        recorder.tick()
    }

    // MARK: Who asks

    /// The number of the client's address for this day.
    func client(_ context: RequestContext) -> UInt64 {
        context.peer.withOctets { recorder.client($0, at: clock.unixMilliseconds) }
    }

    /// What the device calls itself: the field, else the parameter.
    func device(_ head: RequestHead, _ bytes: Span<UInt8>) -> InternedText? {
        if let text = text(.aiModelDevice, head, bytes) { return text }
        guard let range = head.query, let text = try? QueryParameters(bytes.extracting(range)).value("device"),
            !text.isEmpty
        else { return nil }
        return recorder.intern(text.utf8Span.span)
    }

    /// An answer about a file to this request, of which nothing has been sent.
    private func unanswered(
        _ file: FileIdentity,
        _ status: UInt16,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext
    ) -> FinishedAnswer {
        FinishedAnswer(
            file: file,
            status: status,
            contentLength: 0,
            bytesSent: 0,
            endedMilliseconds: clock.unixMilliseconds,
            durationMilliseconds: 0,
            client: client(context),
            userAgent: text(.userAgent, head, bytes),
            device: device(head, bytes),
            download: head.first(.aiModelDownload).flatMap { DownloadIdentifier(bytes.extracting($0)) },
            isTLS: context.isSecure
        )
    }

    private func text(_ name: FieldName, _ head: RequestHead, _ bytes: Span<UInt8>) -> InternedText? {
        guard let range = head.first(name), !range.isEmpty else { return nil }
        return recorder.intern(bytes.extracting(range))
    }

    // MARK: Places

    private func enter(_ answer: FinishedAnswer, _ started: Int64) -> Receipt {
        if let place = free.popLast() {
            open[Int(place)] = (answer, started)
            return Receipt(place)
        }
        open.append((answer, started))
        return Receipt(Int32(open.count - 1))
    }
}
