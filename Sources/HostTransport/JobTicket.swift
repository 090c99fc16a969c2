internal import Synchronization

/// Whether anybody still waits for a job. Held by the connection that the job is for and by the queue; used from any
/// thread.
final class JobTicket: Sendable {
    private let ended = Atomic<Bool>(false)

    /// The client is gone, or has been given another answer.
    var isEnded: Bool { ended.load(ordering: .relaxed) }

    /// Nobody waits any more. A job that has begun runs to its end; one that has not never begins.
    func end() { ended.store(true, ordering: .relaxed) }
}
