internal import Foundation
internal import ModelCatalog

/// Has every file of a release whole in staging: what was fetched before, what installed versions hold, and the rest
/// from the host.
struct Supply: Sendable {
    let staging: Staging
    let release: ChosenRelease
    let layout: LibraryLayout
    let courier: Courier
    let meter: ProgressMeter

    private var options: DeliveryOptions { courier.options }

    var freeBytes: UInt64 {
        options.seams.freeBytes?(staging.folder) ?? SystemFiles.freeBytes(in: staging.folder)
    }

    /// Bytes that would have to come over the network, by the sizes of what is here.
    func missingBytes(_ files: [PlannedFile]) -> UInt64 {
        let held = holdings(files)
        return distinct(files).reduce(0) { sum, file in
            held[file.digest] == nil ? sum + file.size - staging.bytesHere(file) : sum
        }
    }

    /// A full disk is told with figures, wherever it was met.
    func translated(_ error: DeliveryError, files: [PlannedFile]) -> DeliveryError {
        guard case .fileSystem(_, _, let code) = error, SystemFiles.saysFull(code) else { return error }
        return .insufficientStorage(required: max(missingBytes(files), 1), available: freeBytes)
    }

    /// - Parameter files: of the release, all or some.
    func gather(_ files: [PlannedFile]) async throws(DeliveryError) {
        // Files that are the same are fetched once, but count as often as they are there.
        var copies: [ContentDigest: UInt64] = [:]
        for file in files { copies[file.digest, default: 0] += 1 }
        let held = holdings(files)
        var large: [PlannedFile] = []
        var small: [PlannedFile] = []
        for file in distinct(files) {
            meter.found(((copies[file.digest] ?? 1) - 1) * file.size)
            if staging.isWhole(file), try await proves(file) {
                meter.found(file.size)
            } else if let paths = held[file.digest], try await adopt(file, from: paths) {
                meter.found(file.size)
                try options.seams.reached(.fileStaged)
            } else if file.size > Staging.smallFile {
                large.append(file)
            } else {
                small.append(file)
            }
        }
        guard !large.isEmpty || !small.isEmpty else { return }
        let download = staging.download(of: release)
        for file in large {
            let partial = try await fetch(file, download)
            try await partial.sync()
            try await promote([file])
        }
        try await gatherSmall(small, download)
    }

    /// Several at a time: what small files cost is the way to the host and back, not their bytes.
    private func gatherSmall(_ files: [PlannedFile], _ download: String) async throws(DeliveryError) {
        let outcome = await withTaskGroup(of: Result<PlannedFile, DeliveryError>.self) { group in
            var waiting = files[...]
            var verified: [PlannedFile] = []
            var failure: DeliveryError?
            func startNext() {
                guard failure == nil, let file = waiting.popFirst() else { return }
                group.addTask {
                    do throws(DeliveryError) {
                        _ = try await fetch(file, download)
                        return .success(file)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            for _ in 0..<max(1, options.concurrentSmallFiles) { startNext() }
            while let result = await group.next() {
                switch result {
                case .success(let file):
                    verified.append(file)
                case .failure(let error):
                    // The first tells the cause; the others were cancelled because of it.
                    if failure == nil { failure = error }
                    group.cancelAll()
                }
                startNext()
            }
            return (verified: verified, failure: failure)
        }
        if let failure = outcome.failure { throw failure }
        try await promote(outcome.verified)
    }

    private func fetch(_ file: PlannedFile, _ download: String) async throws(DeliveryError) -> PartialFile {
        let partial = try PartialFile(path: staging.part(file.digest), size: file.size, seams: options.seams)
        let path = release.address(of: file)
        let fetch = FileFetch(courier: courier, meter: meter, file: file, path: path, download: download)
        try await fetch.run(into: partial)
        return partial
    }

    private func promote(_ files: [PlannedFile]) async throws(DeliveryError) {
        try await offThread { [staging] () throws(DeliveryError) in try staging.promote(files) }
        for _ in files { try options.seams.reached(.fileStaged) }
    }

    private func proves(_ file: PlannedFile) async throws(DeliveryError) -> Bool {
        try await offThread { [staging] (flag: CancelFlag) throws(DeliveryError) in try staging.proves(file, flag) }
    }

    /// The first of the installed files that is what it should be.
    private func adopt(_ file: PlannedFile, from paths: [String]) async throws(DeliveryError) -> Bool {
        try await offThread { [staging] (flag: CancelFlag) throws(DeliveryError) in
            for path in paths where try staging.adopt(file, from: path, flag) { return true }
            return false
        }
    }

    /// Where installed versions, of whichever model, hold the contents that are needed; by their records and sizes.
    private func holdings(_ files: [PlannedFile]) -> [ContentDigest: [String]] {
        let needed = Set(files.map(\.digest))
        var held: [ContentDigest: [String]] = [:]
        for model in layout.models() {
            for installed in layout.installedVersions(of: model) {
                let tree = layout.tree(of: model, folderName: installed.folderName)
                for file in layout.record(of: model, folderName: installed.folderName)?.plannedFiles ?? []
                where needed.contains(file.digest) && SystemFiles.size(of: "\(tree)/\(file.path)") == file.size {
                    held[file.digest, default: []].append("\(tree)/\(file.path)")
                }
            }
        }
        return held
    }

    private func distinct(_ files: [PlannedFile]) -> [PlannedFile] {
        var seen: Set<ContentDigest> = []
        return files.filter { seen.insert($0.digest).inserted }
    }
}
