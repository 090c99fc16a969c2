internal import HostSystem
package import Testing

/// Threads for tests that wait: for a server's next second, a peer, a disk.
///
/// The concurrency runtime has a thread for each core, on the assumption that none of them ever waits. Two tests that
/// wait on a machine of two cores hold up all others, and make what counts the time from a test's begin (its time limit
/// above all) count the time in which it stood in the queue as well.
package final class WaitingThreads: TaskExecutor {
    package static let shared = WaitingThreads(count: 8)

    private let jobs = Monitor<[UnownedJob]>([])

    private init(count: Int) {
        for index in 0..<count {
            do throws(Errno) {
                try OSThread(name: "waiting \(index)") { self.run() }.detach()
            } catch {
                preconditionFailure("no thread for the tests: \(error)")
            }
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.update { $0.append(job) }
    }

    private func run() -> Never {
        while true {
            let job = jobs.await { $0.isEmpty ? nil : $0.removeFirst() }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// Runs a suite's tests on `WaitingThreads`.
package struct WaitingTrait: SuiteTrait, TestScoping {
    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
    }
}

extension Trait where Self == WaitingTrait {
    /// The suite's tests wait for something, so they do not run on the threads that all tests share.
    package static var waits: WaitingTrait { WaitingTrait() }
}
