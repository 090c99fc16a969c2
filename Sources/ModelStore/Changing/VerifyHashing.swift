internal import HostSystem
internal import ModelCatalog
internal import Synchronization

/// Reads what a plan lists on several threads, and says what of it does not hold.
///
/// The largest comes first: what is left at the end is small, so that the threads end together. An archive is read
/// apart from its files, at the same time: SHA-256 cannot be split, and so a release of one large file keeps two cores
/// busy while it comes from the disk once.
final class VerifyHashing: Sendable {
    /// What became of a job; its place in the plan goes with it.
    enum Outcome: Sendable {
        case file(Int, Result<ContentDigest, Failure>)
        case archive(Int, Result<ContentDigest, Failure>)
    }

    enum Failure: Error, Sendable {
        case open(OpenFailure)
        /// Octets of the file.
        case cutShort(at: UInt64)
        case read(Errno)
    }

    private enum Job: Sendable {
        case file(Int, path: String, size: UInt64)
        case archive(Int, VerifyPlan.ArchivedAsset)

        var size: UInt64 {
            switch self {
            case .file(_, _, let size): size
            case .archive(_, let archived): archived.asset.size
            }
        }
    }

    /// Octets. It stays in a core's second cache, where the hash finds it again.
    private static let pieceSize = 256 * 1024

    private let documents: StoredDocuments
    private let jobs: [Job]
    private let next = Atomic(0)
    private let outcomes = Mutex<[Outcome]>([])
    private let reporter: VerifyReporter

    init(_ plan: VerifyPlan, _ documents: StoredDocuments, progress: @escaping @Sendable (VerifyProgress) -> Void) {
        self.documents = documents
        var jobs: [Job] = []
        for (index, file) in plan.stored.enumerated() {
            jobs.append(.file(index, path: file.promises[0].path, size: file.size))
        }
        for (index, archived) in plan.archives.enumerated() { jobs.append(.archive(index, archived)) }
        self.jobs = jobs.sorted { $0.size > $1.size }
        reporter = VerifyReporter(total: jobs.reduce(0) { $0 + $1.size }, progress)
    }

    /// Reads everything, on the calling thread and up to `threads - 1` more, and waits for the last.
    func run(threads: Int) -> [Outcome] {
        reporter.begin()
        work(further: min(threads, jobs.count) - 1)
        return outcomes.withLock { $0 }
    }

    /// Works on this thread and as many further ones. With fewer than asked for it takes longer, no more.
    private func work(further: Int) {
        guard further > 0, let thread = try? OSThread(name: "verify", { self.work() }) else { return work() }
        work(further: further - 1)
        thread.join()
    }

    private func work() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard index < jobs.count else { return }
            let outcome: Outcome =
                switch jobs[index] {
                case .file(let place, let path, let size): .file(place, digest(path, size, buffer))
                case .archive(let place, let archived): .archive(place, digest(archived, buffer))
                }
            outcomes.withLock { $0.append(outcome) }
        }
    }

    private func digest(
        _ path: String,
        _ size: UInt64,
        _ buffer: UnsafeMutableRawBufferPointer
    ) -> Result<ContentDigest, Failure> {
        var hash = SHA256()
        do throws(Failure) {
            try feed(path, size, into: &hash, buffer)
        } catch {
            return .failure(error)
        }
        return .success(ContentDigest(finishing: hash))
    }

    private func digest(
        _ archived: VerifyPlan.ArchivedAsset,
        _ buffer: UnsafeMutableRawBufferPointer
    ) -> Result<ContentDigest, Failure> {
        let layout = ArchiveLayout(asset: archived.asset)
        let owner = archived.owner
        var hash = SHA256()
        do throws(Failure) {
            for placed in layout.spans() {
                switch placed.span {
                case .bytes(let bytes): hash.update(bytes)
                // Two blocks at most.
                case .zeros(let count): hash.update([UInt8](repeating: 0, count: count))
                case .file(let index, let size):
                    let file = layout.files[index].path
                    let path = StoreLayout.publicPath(
                        owner.model,
                        owner.version,
                        asset: archived.asset.name,
                        file: file
                    )
                    try feed(path, size, into: &hash, buffer)
                }
            }
        } catch {
            return .failure(error)
        }
        return .success(ContentDigest(finishing: hash))
    }

    private func feed(
        _ path: String,
        _ size: UInt64,
        into hash: inout SHA256,
        _ buffer: UnsafeMutableRawBufferPointer
    ) throws(Failure) {
        var done: UInt64 = 0
        // What is not read counts as done as well: the end is where it was announced.
        defer { reporter.add(size - min(done, size)) }
        let file: FileDescriptor
        do throws(OpenFailure) {
            file = try documents.openFile(path, expectedSize: size)
        } catch {
            throw .open(error)
        }
        file.expectSequentialReading()
        while done < size {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(buffer.count), size - done))])
            let count: Int
            do throws(Errno) {
                count = try file.fill(piece, at: Int64(done))
            } catch {
                throw .read(error)
            }
            hash.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            done += UInt64(count)
            reporter.add(UInt64(count))
            if count < piece.count { throw .cutShort(at: done) }
        }
    }
}

/// Counts what was read, and tells it now and then, one call at a time and never less than before.
private final class VerifyReporter: Sendable {
    private struct State {
        var done: UInt64 = 0
        var told: UInt64 = 0
    }

    /// Octets between two calls: some hundred a second at most.
    private static let interval: UInt64 = 8 * 1024 * 1024

    private let total: UInt64
    private let progress: @Sendable (VerifyProgress) -> Void
    private let state = Mutex(State())

    init(total: UInt64, _ progress: @escaping @Sendable (VerifyProgress) -> Void) {
        self.total = total
        self.progress = progress
    }

    func begin() {
        progress(VerifyProgress(done: 0, total: total))
    }

    func add(_ count: UInt64) {
        state.withLock { state in
            state.done += count
            guard state.done - state.told >= Self.interval || (count > 0 && state.done == total) else { return }
            state.told = state.done
            progress(VerifyProgress(done: state.done, total: total))
        }
    }
}
