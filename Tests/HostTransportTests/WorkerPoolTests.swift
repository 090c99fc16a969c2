import HostSystem
import Testing

@testable import HostTransport

@Suite("WorkerPool: tasks on a few threads")
struct WorkerPoolTests {
    @Test("tasks begin in the order in which they came")
    func order() throws {
        let pool = WorkerPool(limit: 100)
        let seen = Monitor<[Int]>([])
        for index in 0..<99 { #expect(pool.submit { seen.update { $0.append(index) } }) }
        #expect(
            pool.submit {
                seen.update { $0.append(99) }
                pool.close()
            }
        )
        pool.work()
        #expect(seen.update { $0 } == Array(0..<100))
    }

    @Test("no more tasks wait than the limit says; one that runs does not count", arguments: [0, 1, 5])
    func limit(limit: Int) throws {
        let pool = WorkerPool(limit: limit)
        let ran = Monitor(0)
        for _ in 0..<limit { #expect(pool.submit { ran.update { $0 += 1 } }) }
        #expect(!pool.submit { ran.update { $0 += 100 } })
        guard limit > 0 else { return }

        let thread = try OSThread(name: "worker") { pool.work() }
        ran.await { $0 == limit ? () : nil }
        let gate = Monitor(false)
        let hasBegun = Monitor(false)
        #expect(
            pool.submit {
                hasBegun.update { $0 = true }
                gate.await { $0 ? () : nil }
            }
        )
        hasBegun.await { $0 ? () : nil }
        for _ in 0..<limit { #expect(pool.submit { ran.update { $0 += 1 } }) }
        #expect(!pool.submit { ran.update { $0 += 100 } })
        gate.update { $0 = true }
        ran.await { $0 == 2 * limit ? () : nil }
        pool.close()
        thread.join()
    }

    @Test("a closed pool takes nothing, drops what waits, and lets its threads end")
    func close() throws {
        let pool = WorkerPool(limit: 10)
        let ran = Monitor(0)
        for _ in 0..<10 { #expect(pool.submit { ran.update { $0 += 1 } }) }
        pool.close()
        #expect(!pool.submit { ran.update { $0 += 100 } })
        let first = try OSThread(name: "worker") { pool.work() }
        let second = try OSThread(name: "worker") { pool.work() }
        first.join()
        second.join()
        #expect(ran.update { $0 } == 0)
    }

    @Test("what a task holds is let go when it has run, although others wait")
    func standingBacklog() {
        final class Held: Sendable {}
        let pool = WorkerPool(limit: 10)
        let isGone = Monitor<Bool?>(nil)
        func submit() {
            let held = Held()
            _ = pool.submit { withExtendedLifetime(held) {} }
            _ = pool.submit { [weak held] in isGone.update { $0 = held == nil } }
        }
        submit()
        _ = pool.submit { pool.close() }
        pool.work()
        #expect(isGone.update { $0 } == true)
    }

    @Test("tasks from many threads each run once")
    func manyThreads() throws {
        let pool = WorkerPool(limit: 10_000)
        let ran = Monitor<[Int: Int]>([:])
        let workers = ThreadGroup()
        let senders = ThreadGroup()
        for _ in 0..<4 { try workers.start { pool.work() } }
        for sender in 0..<4 {
            try senders.start {
                for index in 0..<500 { _ = pool.submit { ran.update { $0[sender * 1000 + index, default: 0] += 1 } } }
            }
        }
        senders.join()
        ran.await { $0.count == 2000 ? () : nil }
        pool.close()
        workers.join()
        let counts = ran.update { $0 }
        #expect(counts.count == 2000)
        #expect(counts.values.allSatisfy { $0 == 1 })
    }
}

/// Threads whose ends are waited for together: an array cannot hold `OSThread`s, which cannot be copied.
private final class ThreadGroup: Sendable {
    private let running = Monitor(0)

    func start(_ body: @escaping @Sendable () -> Void) throws {
        running.update { $0 += 1 }
        let thread = try OSThread(name: "test") { [running] in
            body()
            running.update { $0 -= 1 }
        }
        thread.detach()
    }

    func join() { running.await { $0 == 0 ? () : nil } }
}
