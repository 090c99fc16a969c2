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

    /// Wrong bytes are fetched once more, from the next host where there is one; then it is said.
    private static let mismatches = 2

    /// On return the partial holds exactly what the manifest promises.
    func run(into partial: PartialFile) async throws(DeliveryError) {
        meter.found(partial.length)
        for round in 0..<Self.mismatches {
            let refusals = Mutex(0)
            let received = Mutex<UInt64>(0)
            try await courier.persist(startingAt: round, gained: { received.withLock { $0 } }) {
                base throws(AttemptFailure) in
                if partial.length > file.size { try forget(partial) }
                while partial.length < file.size {
                    let before = partial.length
                    do throws(AttemptFailure) {
                        try await attempt(base, partial)
                        received.withLock { $0 += 1 }
                    } catch {
                        if partial.length > before { received.withLock { $0 += 1 } }
                        // A host that will not go on from here is asked for the whole, not asked for ever.
                        if case .network(let failure) = error.error, failure.cause == .malformedAnswer, before > 0,
                            partial.length == before,
                            refusals.withLock({
                                $0 += 1; return $0 % 2 == 0
                            })
                        {
                            try forget(partial)
                        }
                        throw error
                    }
                }
            }
            if try await partial.digest() == file.digest { return }
            meter.lost(partial.length)
            try partial.startOver()
        }
        throw .integrity(file: file.path.text)
    }

    private func forget(_ partial: PartialFile) throws(AttemptFailure) {
        meter.lost(partial.length)
        do throws(DeliveryError) {
            try partial.startOver()
        } catch {
            throw AttemptFailure(error)
        }
    }

    private func attempt(_ base: URL, _ partial: PartialFile) async throws(AttemptFailure) {
        guard let url = HostAddress.url(base, path: path) else {
            throw AttemptFailure(.invalidRequest("\(base.absoluteString) and \(path) make no address"), .none)
        }
        let answer = RangeAnswer(size: file.size, digest: file.digest)
        let offset = partial.length
        var request = ExchangeRequest(url: url, stallTimeout: courier.options.stallTimeout)
        if offset > 0 {
            request.fields = [("Range", "bytes=\(offset)-"), ("If-Range", answer.entityTag)]
        }
        let receiver = FileReceiver(answer, partial, offset: offset, meter)
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

/// Takes an answer for a file: judges its head, then appends, or keeps the refusal.
private final class FileReceiver: AnswerReceiver {
    private enum Mode {
        case waiting
        /// The file grows to `end`.
        case appending(end: UInt64)
        /// Of a refusal the text is kept.
        case refused(AnswerHead, [UInt8])
        case unusable(String)
    }

    private let answer: RangeAnswer
    private let partial: PartialFile
    private let offset: UInt64
    private let meter: ProgressMeter
    private let mode = Mutex(Mode.waiting)

    init(_ answer: RangeAnswer, _ partial: PartialFile, offset: UInt64, _ meter: ProgressMeter) {
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
            case .refused(let head, let body):
                let problem = ServerProblem(head, body: body)
                return AttemptFailure(problem.error, problem.remedy)
            case .unusable(let why):
                return AttemptFailure(.network(NetworkFailure(.malformedAnswer, why)))
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
            mode.withLock { $0 = .refused(head, []) }
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(DeliveryError) {
        let end: UInt64? = mode.withLock { mode in
            switch mode {
            case .appending(let end):
                return end
            case .refused(let head, var body):
                if body.count + bytes.count <= ServerProblem.limit { body += bytes }
                mode = .refused(head, body)
                return nil
            case .waiting, .unusable:
                return nil
            }
        }
        guard let end else { return }
        guard UInt64(bytes.count) <= end - partial.length else {
            throw .network(NetworkFailure(.malformedAnswer, "more bytes than the answer was to have"))
        }
        try partial.append(bytes)
        meter.received(bytes.count)
    }
}
