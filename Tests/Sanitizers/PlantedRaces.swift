import Glibc
import Synchronization

// Four threads count: behind a Mutex, which is no race however long they wait for it, and, where the argument is
// "planted", beside it as well, which is one.

private final class Counter: Sendable {
    let guarded = Mutex(0)
    // The race that is to be found.
    nonisolated(unsafe) var bare = 0

    func count(planted: Bool) {
        for _ in 0..<200 {
            guarded.withLock { count in
                count += 1
                // Long enough that the others have to wait: they then take Mutex's slow way.
                usleep(50)
            }
            if planted { bare += 1 }
        }
    }
}

private struct Job: Sendable {
    let counter: Counter
    let planted: Bool
}

private func start(_ job: Job) -> pthread_t {
    let argument = UnsafeMutablePointer<Job>.allocate(capacity: 1)
    argument.initialize(to: job)
    var thread = pthread_t()
    let failure = pthread_create(
        &thread,
        nil,
        { argument in
            guard let argument else { return nil }
            let job = argument.assumingMemoryBound(to: Job.self).move()
            argument.deallocate()
            job.counter.count(planted: job.planted)
            return nil
        },
        argument
    )
    guard failure == 0 else { fatalError("pthread_create: \(failure)") }
    return thread
}

@main
enum PlantedRaces {
    static func main() {
        let job = Job(counter: Counter(), planted: CommandLine.arguments.contains("planted"))
        let threads = (0..<4).map { _ in start(job) }
        for thread in threads { pthread_join(thread, nil) }
        print("counted", job.counter.guarded.withLock { $0 })
    }
}
