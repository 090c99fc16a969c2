internal import Foundation
internal import ModelCatalog
internal import Synchronization

/// Gets one file of a release into an unfinished file, from wherever that ends to its last byte, and proves it.
struct FileFetch: Sendable {
    let courier: Courier
    let meter: ProgressMeter
    let file: PlannedFile
    /// Percent-encoded, as in `/models/SAM3/1.4.0/SAM3.aimodel/main.mlirb`.
    let path: String
    /// The UUID that all requests of a download bear.
    let download: String

    /// Wrong bytes are fetched once more, from the next host where there is one; then it is said.
    private static let mismatches = 2
    /// How often what is here is thrown away because no host goes on from it. Bytes count as progress, so a host that
    /// ends each answer early and continues none would be asked for ever.
    static let restarts = 2

    /// On return the partial holds exactly what the manifest promises.
    func run(into partial: PartialFile) async throws(DeliveryError) {
        meter.found(partial.length)
        if partial.length > file.size { try discard(partial) }
        let restarts = Restarts(limit: Self.restarts)
        for round in 0..<Self.mismatches {
            let refusals = Mutex(0)
            let received = Mutex<UInt64>(0)
            try await courier.persist(startingAt: round, gained: { received.withLock { $0 } }) {
                base throws(AttemptFailure) in
                while partial.length < file.size {
                    let before = partial.length
                    let starts = restarts.count
                    do throws(AttemptFailure) {
                        try await attempt(base, partial, restarts)
                        received.withLock { $0 += 1 }
                    } catch {
                        // More than there was; after a start from nothing, more than nothing.
                        if partial.length > (restarts.count == starts ? before : 0) { received.withLock { $0 += 1 } }
                        // A host that will not go on from here is asked for the whole, not asked for ever.
                        if case .network(let failure) = error.error, failure.cause == .malformedAnswer, before > 0,
                            partial.length == before,
                            refusals.withLock({
                                $0 += 1; return $0 % 2 == 0
                            })
                        {
                            guard restarts.take() else { throw Restarts.exhausted }
                            do throws(DeliveryError) { try discard(partial) } catch { throw AttemptFailure(error) }
                        }
                        throw error
                    }
                }
            }
            if try await partial.digest() == file.digest { return }
            try discard(partial)
        }
        throw .integrity(file: file.path.text)
    }

    private func discard(_ partial: PartialFile) throws(DeliveryError) {
        meter.lost(partial.length)
        try partial.startOver()
    }

    private func attempt(
        _ base: URL,
        _ partial: PartialFile,
        _ restarts: Restarts
    ) async throws(AttemptFailure) {
        guard let url = HostAddress.url(base, path: path) else {
            throw AttemptFailure(.invalidRequest("\(base.absoluteString) and \(path) make no address"), .none)
        }
        let answer = RangeAnswer(size: file.size, digest: file.digest)
        let offset = partial.length
        var request = ExchangeRequest(url: url, stallTimeout: courier.options.stallTimeout)
        request.fields = [("AIModel-Download", download)]
        if offset > 0 {
            request.fields += [("Range", "bytes=\(offset)-"), ("If-Range", answer.entityTag)]
        }
        let receiver = FileReceiver(answer, partial, offset: offset, meter, restarts, courier.options)
        do throws(DeliveryError) {
            try await courier.send(request, receiver)
        } catch {
            if let failure = receiver.refusal { throw failure }
            throw AttemptFailure(error)
        }
        if let failure = receiver.refusal { throw failure }
        guard partial.length == receiver.end else {
            throw AttemptFailure(
                .network(NetworkFailure(.connectionLost, "the answer ended at byte \(partial.length)"))
            )
        }
    }
}

/// Counts how often a file was begun anew because a host would not go on from what was here.
private final class Restarts: Sendable {
    private let state = Mutex(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0 } }

    /// False where that was too often already.
    func take() -> Bool {
        state.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    /// Final: the next attempt would end as these did.
    static let exhausted = AttemptFailure(
        .network(NetworkFailure(.malformedAnswer, "a file is broken off again and again, and never continued")),
        .none
    )
}

/// Takes an answer for a file: judges its head, then appends, or keeps the refusal.
private final class FileReceiver: AnswerReceiver {
    private enum Mode {
        case waiting
        /// The file grows to `end`.
        case appending(end: UInt64)
        /// Of a refusal the text is kept.
        case refused(AnswerHead, [UInt8], BodyAllowance)
        case unusable(String)
        case exhausted
    }

    private let answer: RangeAnswer
    private let partial: PartialFile
    private let offset: UInt64
    private let meter: ProgressMeter
    private let restarts: Restarts
    private let options: DeliveryOptions
    private let mode = Mutex(Mode.waiting)

    init(
        _ answer: RangeAnswer,
        _ partial: PartialFile,
        offset: UInt64,
        _ meter: ProgressMeter,
        _ restarts: Restarts,
        _ options: DeliveryOptions
    ) {
        self.restarts = restarts
        self.options = options
        self.answer = answer
        self.partial = partial
        self.offset = offset
        self.meter = meter
    }

    /// Where the file ends when all of the answer is there; nil where it was none.
    var end: UInt64? {
        mode.withLock { if case .appending(let end) = $0 { end } else { nil } }
    }

    /// Why the answer was not taken.
    var refusal: AttemptFailure? {
        mode.withLock { mode in
            switch mode {
            case .waiting, .appending:
                return nil
            case .refused(let head, let body, _):
                let problem = ServerProblem(head, body: body)
                return AttemptFailure(problem.error, problem.remedy)
            case .unusable(let why):
                return AttemptFailure(.network(NetworkFailure(.malformedAnswer, why)))
            case .exhausted:
                return Restarts.exhausted
            }
        }
    }

    func begin(_ head: AnswerHead) throws(DeliveryError) {
        let verdict = answer.judge(head, offset: offset)
        switch verdict {
        case .append(let count):
            mode.withLock { $0 = .appending(end: offset + count) }
        case .startOver:
            if offset > 0 {
                guard restarts.take() else {
                    mode.withLock { $0 = .exhausted }
                    throw Restarts.exhausted.error
                }
                meter.lost(offset)
                try partial.startOver()
            }
            mode.withLock { $0 = .appending(end: answer.size) }
        case .refuse(let why):
            // 416 says that the range lies outside of its file, so its file is another one: the whole is asked for.
            guard head.status >= 400, head.status != 416 else {
                mode.withLock { $0 = .unusable(why) }
                // What follows would be read for nothing, perhaps for gigabytes.
                throw .network(NetworkFailure(.malformedAnswer, why))
            }
            let allowance = BodyAllowance(bytes: BodyAllowance.unwanted, options: options)
            mode.withLock { $0 = .refused(head, [], allowance) }
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(DeliveryError) {
        let (end, goesOn): (UInt64?, Bool) = mode.withLock { mode in
            switch mode {
            case .appending(let end):
                return (end, true)
            case .refused(let head, var body, var allowance):
                guard allowance.take(bytes.count) else { return (nil, false) }
                body += bytes
                mode = .refused(head, body, allowance)
                return (nil, true)
            case .waiting, .unusable, .exhausted:
                return (nil, true)
            }
        }
        // The refusal is told; this only ends the exchange.
        if !goesOn { throw BodyAllowance.exceeded }
        guard let end else { return }
        guard UInt64(bytes.count) <= end - partial.length else {
            throw .network(NetworkFailure(.malformedAnswer, "more bytes than the answer was to have"))
        }
        try partial.append(bytes)
        meter.received(bytes.count)
    }
}
