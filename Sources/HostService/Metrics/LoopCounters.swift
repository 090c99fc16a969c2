internal import HTTPWire
internal import HostSystem
internal import Synchronization

/// What one loop counts of the answers of one listener. Written on the loop's thread only; any thread reads.
///
/// Made on that thread too, as the transport's tallies are and for the same reason. An answer costs two plain additions;
/// only what is refused, and is made as a text anyway, takes a lock, for which nobody waits but a reader.
final class LoopCounters: Sendable {
    /// By the first digit of the status: there are five classes (RFC 9110 15).
    private let answers = InlineArray<5, Tally> { _ in Tally() }
    private let problems = Mutex<[ProblemCode: UInt64]>([:])

    // MARK: The loop

    /// An answer with this status was begun.
    func began(_ status: Int) { answers[status / 100 - 1].add() }

    /// An answer of this problem was made.
    func refused(_ code: ProblemCode) { problems.withLock { $0[code, default: 0] += 1 } }

    // MARK: Readers

    /// Adds what was counted so far.
    func add(to figures: inout AnswerFigures) {
        for index in answers.indices { figures.answers[index] += answers[index].count }
        figures.problems.merge(problems.withLock { $0 }, uniquingKeysWith: +)
    }
}

/// What was answered on one listener, summed over the loops.
struct AnswerFigures: Sendable {
    /// By the first digit of the status, 1xx first.
    var answers: InlineArray<5, UInt64> = InlineArray(repeating: 0)
    var problems: [ProblemCode: UInt64] = [:]
}
