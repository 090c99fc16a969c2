import Glibc
import HostSystem
import ModelCatalog
import ModelStore
import Synchronization
import TestSupport
import Testing

@Suite("Publishing: what goes wrong is said, and nothing is left", .waits)
struct PublishFailureTests {
    private static let large = ReleaseContent.pattern(3_200_000, seed: 5)
    private static let program = ReleaseContent.pattern(200_000, seed: 6)

    private static func release(_ version: String = "1.0.0") -> ReleaseFixture {
        ReleaseFixture(
            version: version,
            assets: [
                "Sam3.aimodel": ["main.mlirb": large, "metadata.json": "{}"],
                "Sam3.h16p.aimodelc": ["main-h16p.mlirb": program],
            ]
        )
    }

    private static func expectNothing(
        _ bench: PublishBench,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try bench.allFiles() == ["manifests/.lock"], sourceLocation: sourceLocation)
        #expect(bench.names("Public/.staging") == [], sourceLocation: sourceLocation)
        #expect(bench.names("Public/models") == [], sourceLocation: sourceLocation)
        #expect(bench.names("manifests") == [".lock"], sourceLocation: sourceLocation)
    }

    // MARK: The source

    enum Change: CaseIterable, Sendable { case removed, cut, grown, rewritten, replaced, link, folder }

    @Test("A source file that is not what was inspected", arguments: Change.allCases)
    func changedBefore(_ change: Change) throws {
        let bench = try PublishBench()
        let plan = try bench.plan(Self.release())
        let path = plan.folder + "/Sam3.aimodel/metadata.json"
        try Self.apply(change, path, Array("{}".utf8))
        guard case .sourceChanged("Sam3.aimodel/metadata.json") = try bench.failure(plan) else {
            Issue.record("another error")
            return
        }
        try Self.expectNothing(bench)
    }

    private static func apply(_ change: Change, _ path: String, _ bytes: [UInt8]) throws {
        switch change {
        case .removed: unlink(path)
        case .cut: truncate(path, off_t(bytes.count / 2))
        case .grown: try TemporaryFolder.writeInPlace(bytes + [0], to: path)
        case .rewritten:
            var times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
            try TemporaryFolder.writeInPlace(bytes, to: path)
            utimensat(AT_FDCWD, path, &times, 0)
        case .replaced: try TemporaryFolder.write(bytes, to: path)
        case .link:
            rename(path, path + ".moved")
            symlink(path + ".moved", path)
        case .folder:
            unlink(path)
            mkdir(path, 0o755)
        }
    }

    enum Meanwhile: CaseIterable, Sendable { case cut, grown, rewrittenInPlaceWithItsTimePutBack }

    @Test("A source file that changes while it is read", arguments: Meanwhile.allCases, [false, true])
    func changedMeanwhile(_ change: Meanwhile, _ isLikelyDuplicate: Bool) throws {
        let bench = try PublishBench()
        if isLikelyDuplicate { try bench.publish(Self.release("0.9.0")) }
        let before = try bench.allFiles()
        let plan = try bench.plan(Self.release())
        let path = plan.folder + "/Sam3.aimodel/main.mlirb"
        let first = Countdown(1)
        let error = try #require(throws: PublishError.self) {
            try bench.publish(plan) { progress in
                // The large asset comes first, and has four pieces.
                if progress.done >= 1 << 20, first.hit() { Self.apply(change, path) }
            }
        }
        guard case .sourceChanged("Sam3.aimodel/main.mlirb") = error else {
            Issue.record("\(error)")
            return
        }
        if isLikelyDuplicate {
            #expect(try bench.allFiles() == before)
        } else {
            try Self.expectNothing(bench)
        }
    }

    private static func apply(_ change: Meanwhile, _ path: String) {
        switch change {
        case .cut: truncate(path, 2_000_000)
        case .grown: truncate(path, 3_200_001)
        case .rewrittenInPlaceWithItsTimePutBack:
            var before = stat()
            var after = stat()
            stat(path, &before)
            repeat {
                // The kernel's clock ticks a few hundred times a second; a change within one tick leaves no trace.
                let file = open(path, O_WRONLY)
                pwrite(file, "x", 1, 3_100_000)
                let times = [before.st_atim, before.st_mtim]
                futimens(file, times)
                close(file)
                stat(path, &after)
            } while after.st_ctim.tv_nsec == before.st_ctim.tv_nsec && after.st_ctim.tv_sec == before.st_ctim.tv_sec
        }
    }

    @Test("main.hash that does not speak true: refused, or published where that is allowed")
    func hashMismatch() throws {
        let bench = try PublishBench()
        let wrong = ContentDigest.sha256(of: [1])
        let programs = ["Sam3.h16p.aimodelc": (path: "main-h16p.mlirb", wrong)]
        let error = try bench.failure(bench.plan(Self.release(), programs: programs))
        let right = Self.program.digest
        guard case .hashMismatch(let mismatches) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(mismatches.map(\.path) == ["Sam3.h16p.aimodelc/main-h16p.mlirb"])
        #expect(mismatches.map(\.expected) == [wrong] && mismatches.map(\.found) == [right])
        try Self.expectNothing(bench)
        try bench.publish(bench.plan(Self.release(), programs: ["Sam3.h16p.aimodelc": ("main-h16p.mlirb", right)]))
        try bench.publish(
            bench.plan(Self.release("1.0.1"), programs: programs, allowingHashMismatch: true)
        )
        try bench.expectSound(published: ["1.0.0", "1.0.1"])
    }

    @Test("More files than a manifest can hold: refused before a single one is looked at", arguments: [false, true])
    func tooManyFiles(_ dryRun: Bool) throws {
        let bench = try PublishBench()
        let plan = try bench.plan(Self.release())
        let some = plan.assets[0].files[0]
        let folders = Array(repeating: String(repeating: "f", count: 250), count: 15).joined(separator: "/")
        // None of them is there.
        let files = try (10_000..<15_000).map { number in
            let path = "\(folders)/\(number)"
            return SourceFile(path: try #require(RelativePath(path)), source: path, status: some.status)
        }
        let asset = PlannedAsset(name: plan.assets[0].name, compile: nil, files: files, expectedProgramDigest: nil)
        let absurd = ReleasePlan(
            folder: plan.folder,
            model: plan.model,
            version: plan.version,
            minDeploymentVersion: nil,
            assets: [asset],
            companions: [],
            hashMismatchAllowed: false
        )
        guard case .tooManyFiles(let octets) = try bench.failure(absurd, dryRun: dryRun) else {
            Issue.record("another error")
            return
        }
        #expect(octets > 16 * 1024 * 1024)
        if dryRun { #expect(try bench.allFiles() == []) } else { try Self.expectNothing(bench) }
    }

    // MARK: The disk

    @Test("More than is free is refused before anything is copied", arguments: [false, true])
    func notEnoughSpace(_ dryRun: Bool) throws {
        let bench = try PublishBench()
        var release = Self.release()
        release.assets["Sam3.h17p.aimodelc"] = ["resources.bin": .sparse(size: 8 << 40, tail: [1])]
        let copied = Countdown(1)
        let seams = PublishSeams(failure: { call, _ in
            if call == .write { _ = copied.hit() }
            return nil
        })
        let error = try bench.failure(bench.plan(release), dryRun: dryRun, seams: seams)
        guard case .notEnoughSpace(let needed, let available) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(needed > 8 << 40 && available < needed)
        // The first hit is still to come.
        #expect(copied.hit())
        if dryRun { #expect(try bench.allFiles() == []) } else { try Self.expectNothing(bench) }
    }

    @Test(
        "The disk is full, or fails, at the n-th call; said of which file, and nothing is left",
        arguments: [Errno.noSpace, .quotaExceeded, .inputOutput]
    )
    func diskFailure(_ errno: Errno) throws {
        for call in [PublishSeams.Call.write, .synchronize] {
            for number in 1...3 {
                let bench = try PublishBench()
                let countdown = Countdown(number)
                let seams = PublishSeams(failure: { made, _ in made == call && countdown.hit() ? errno : nil })
                let error = try bench.failure(bench.plan(Self.release()), seams: seams)
                switch error {
                case .diskFull: #expect(errno != .inputOutput)
                case .io(let path, .inputOutput): #expect(errno == .inputOutput && path.hasPrefix("Sam3."))
                default: Issue.record("\(error)")
                }
                try Self.expectNothing(bench)
                try bench.publish(Self.release())
                try bench.expectSound(published: ["1.0.0"])
            }
        }
    }

    @Test("The disk is full when the manifest is written: no tree is left where it was to be served from")
    func noRoomForTheManifest() throws {
        let bench = try PublishBench()
        let seams = PublishSeams(failure: { call, path in call == .write && path == "1.0.0.json" ? .noSpace : nil })
        guard case .diskFull = try bench.failure(bench.plan(Self.release()), seams: seams) else {
            Issue.record("another error")
            return
        }
        try Self.expectNothing(bench)
    }

    @Test("A failure takes nothing that other versions hold")
    func failureBesideOthers() throws {
        let bench = try PublishBench()
        try bench.publish(Self.release("0.9.0"))
        let before = try bench.allFiles()
        let seams = PublishSeams(failure: { call, path in call == .write && path == "1.0.0.json" ? .noSpace : nil })
        _ = try bench.failure(bench.plan(Self.release()), seams: seams)
        #expect(try bench.allFiles() == before)
        try bench.expectSound(published: ["0.9.0"])
    }

    @Test("The lock of the staging folder cannot be made: the folder goes again")
    func noStagingLock() throws {
        let bench = try PublishBench()
        let seams = PublishSeams(failure: { call, _ in call == .lock ? .noSpace : nil })
        guard case .diskFull("lock") = try bench.failure(bench.plan(Self.release()), seams: seams) else {
            Issue.record("another error")
            return
        }
        try Self.expectNothing(bench)
    }

    // MARK: The operator

    @Test("Interrupted while another holds the store's lock: it does not wait for that one")
    func interruptedWaiting() throws {
        let bench = try PublishBench()
        let plan = try bench.plan(Self.release())
        let createdAt = try #require(Instant(PublishBench.createdAt))
        let publisher = try ReleasePublisher(root: bench.root)
        publisher.interrupt()
        let lock = try StoreLock(root: bench.root, makingFolder: true)
        let outcome = Monitor<Result<PublishOutcome, PublishError>?>(nil)
        let thread = try OSThread(name: "publisher") {
            let result = Result { () throws(PublishError) in try publisher.publish(plan, createdAt: createdAt) { _ in }
            }
            outcome.update { $0 = result }
        }
        #expect(eventually { outcome.update { $0 != nil } })
        // One that does wait ends now, and the test with it.
        _ = consume lock
        thread.join()
        guard case .failure(.interrupted) = outcome.update({ $0 }) else {
            Issue.record("\(String(describing: outcome.update { $0 }))")
            return
        }
        try bench.publish(plan)
        try bench.expectSound(published: ["1.0.0"])
    }

    @Test("Interrupted: nothing is left")
    func interrupted() throws {
        let bench = try PublishBench()
        let publisher = try ReleasePublisher(root: bench.root)
        let createdAt = try #require(Instant(PublishBench.createdAt))
        let plan = try bench.plan(Self.release())
        let error = #expect(throws: PublishError.self) {
            try publisher.publish(plan, createdAt: createdAt) { _ in publisher.interrupt() }
        }
        #expect(error?.description == "interrupted; nothing is left of the release")
        try Self.expectNothing(bench)
    }
}
