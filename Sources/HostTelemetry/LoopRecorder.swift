/// Where one loop leaves what the ledger is to know. Used on that loop's thread only; it takes no lock but when it hands
/// rows over, about once a second, and allocates nothing for an answer that equals one of the same second.
package final class LoopRecorder {
    private let queue: LedgerQueue
    private let rowLimit: Int
    private var clientHash: ClientHash
    private var texts: TextTable

    private var pending = Batch()
    private var places: [AnswerRow.Key: Int] = [:]
    /// A keep-alive connection asks for the same again and again: its row is the last one looked up.
    private var last: (key: AnswerRow.Key, place: Int)?

    init(queue: LedgerQueue, hasher: ClientHasher, settings: LedgerSettings) {
        self.queue = queue
        rowLimit = min(settings.rowsPerBatch, settings.rowsThatFit)
        clientHash = ClientHash(hasher)
        texts = TextTable(limit: settings.textsPerLoop)
        places.reserveCapacity(rowLimit)
    }

    /// The number that stands for a client's address for the rest of the day.
    ///
    /// - Parameters:
    ///   - address: its octets in any fixed form, without the port.
    ///   - now: Unix milliseconds.
    package func client(_ address: Span<UInt8>, at now: Int64) -> UInt64 {
        clientHash(address, at: now)
    }

    /// The one object of this loop for a text of a client's, which is cut at 256 octets.
    package func intern(_ octets: Span<UInt8>) -> InternedText {
        texts.intern(octets)
    }

    /// Takes an answer that has ended. HEAD asks about a file and downloads nothing: it leaves no row.
    package func answered(_ answer: FinishedAnswer) {
        if answer.isHead { return }
        let key = AnswerRow.Key(answer)
        if answer.parts.isEmpty {
            if let last, last.key == key {
                pending.answers[last.place].add(answer)
                return
            }
            if let place = places[key] {
                pending.answers[place].add(answer)
                last = (key, place)
                return
            }
        }
        if pending.answers.count >= rowLimit { flush() }
        if answer.parts.isEmpty {
            places[key] = pending.answers.count
            last = (key, pending.answers.count)
        }
        pending.answers.append(AnswerRow(answer))
    }

    /// Takes a question for a version.
    package func versionCheck(_ check: VersionCheck) {
        pending.checks.append(check)
        if pending.checks.count >= rowLimit { flush() }
    }

    /// Takes a question for a variant that is not there.
    package func variantMiss(_ miss: VariantMiss) {
        pending.misses.append(miss)
        if pending.misses.count >= rowLimit { flush() }
    }

    /// Takes devices' reports, all or none, and hands them over at once: what is acknowledged must not wait for the
    /// second to end.
    ///
    /// - Returns: whether they were taken. If not they may be sent again, and are not counted as lost.
    package func report(_ reports: [DeviceReport]) -> Bool {
        queue.offer(reports)
    }

    /// Whether `report` would take one now.
    package var takesReports: Bool { queue.takesReports }

    /// Hands over what has come together. To be called about once a second and when the loop ends.
    package func tick() {
        flush()
    }

    private func flush() {
        guard !pending.isEmpty else { return }
        var batch = Batch()
        batch.answers.reserveCapacity(pending.answers.count)
        swap(&batch, &pending)
        places.removeAll(keepingCapacity: true)
        last = nil
        queue.submit(batch)
    }
}
