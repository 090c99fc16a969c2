internal import HostSystem
internal import ModelCatalog
internal import Synchronization

/// Reads the folder of one model: which versions there are, and its record. Any thread may use it.
struct ModelFolderScanner: Sendable {
    /// What one folder holds.
    struct Seen {
        /// Nil when there is no version.
        var entry: ModelEntry?
        var isFolder = true
        /// False when a part could not be read just now, and its old state was kept.
        var complete = true
        /// What is wrong with the folder itself.
        var fault: String?
    }

    /// Octets. Room for thousands of withdrawals.
    static let maximumRecordSize = 4 * 1024 * 1024

    private let findings: CatalogFindings
    private let records = RecordCache()

    init(findings: CatalogFindings) {
        self.findings = findings
    }

    /// The entry of `model`, which is `previous` itself when nothing changed.
    func scan(_ model: ModelName, in manifests: borrowing FileDescriptor, previous: ModelEntry?) -> Seen {
        let folder: FileDescriptor
        var names: [String] = []
        do throws(Errno) {
            folder = try manifests.openFolder(model.text, listing: &names)
        } catch .noEntry {
            // A model that comes back begins anew.
            records.hold(nil, model)
            return Seen(isFolder: false)
        } catch .notFolder {
            // What open(2) with O_DIRECTORY and O_NOFOLLOW says of a link as well.
            return Seen(isFolder: false, fault: "not a folder (a link is none); ignored")
        } catch {
            let fault = "cannot be listed: \(error); what was known of it is kept"
            return Seen(entry: previous, complete: false, fault: fault)
        }

        var sight = FolderSight(model: model, previous: previous)
        sight.versions.reserveCapacity(names.count)
        for name in names where name.utf8.first != UInt8(ascii: ".") {
            sight.look(at: name, in: folder)
        }
        let record = self.record(in: folder, &sight)
        findings.settle(StoreLayout.manifestsFolder(of: model), found: sight.found) { sight.subjects }
        let entry = sight.entry(record: record)
        return Seen(entry: entry, complete: sight.complete)
    }

    /// Lets go of what is known of the records of other models.
    func forgetRecords(except models: Set<ModelName>) {
        records.keep(only: models)
    }

    /// The record as it is now, or the last good one where it cannot be had; `.unknown` where there is none either: to
    /// take it for empty would serve what was withdrawn.
    private func record(in folder: borrowing FileDescriptor, _ sight: inout FolderSight) -> ModelRecord {
        let held = records.held(sight.model)
        let lastGood = held?.record ?? sight.previous?.record ?? .unknown
        let meanwhile =
            lastGood.isKnown
            ? "the last good one holds" : "no good one is known, so the model is not served until it is mended"
        let stamp: FileStamp
        switch sight.record {
        case .absent:
            records.hold(nil, sight.model)
            return .empty
        case .unknown: return lastGood
        case .file(let seen): stamp = seen
        }
        if let held, held.stamp == stamp { return held.record }
        do throws(Errno) {
            let file = try folder.openFile(StoreLayout.recordFile)
            guard let bytes = try file.readAll(limit: Self.maximumRecordSize) else {
                sight.find(
                    StoreLayout.recordFile,
                    "larger than \(Self.maximumRecordSize) octets; \(meanwhile)"
                )
                return lastGood
            }
            do throws(RecordError) {
                let record = try ModelRecord.decode(bytes, model: sight.model)
                records.hold((stamp, record), sight.model)
                return record
            } catch {
                sight.find(StoreLayout.recordFile, "\(error); \(meanwhile)")
                return lastGood
            }
        } catch {
            sight.find(StoreLayout.recordFile, "cannot be read: \(error); \(meanwhile)")
            // It may become readable without a trace in the folder.
            sight.complete = false
            return lastGood
        }
    }
}

/// What is seen in a model's folder while its names are gone through.
private struct FolderSight {
    enum Record {
        case absent
        /// There is something that is no file, or could not be looked at.
        case unknown
        case file(FileStamp)
    }

    let model: ModelName
    let previous: ModelEntry?
    var versions: [VersionEntry] = []
    var record = Record.absent
    var found: [CatalogFindings.Subject: String] = [:]
    var complete = true

    init(model: ModelName, previous: ModelEntry?) {
        self.model = model
        self.previous = previous
    }

    mutating func find(_ name: String, _ message: String) {
        found[.init(name: name)] = message
    }

    mutating func look(at name: String, in folder: borrowing FileDescriptor) {
        if name == StoreLayout.recordFile {
            switch status(of: name, in: folder) {
            case .file(let stamp): record = .file(stamp)
            case .gone: record = .absent
            case .noFile, .outOfReach: record = .unknown
            }
            return
        }
        let suffix = StoreLayout.manifestSuffix.utf8
        guard name.utf8.count > suffix.count, name.utf8.suffix(suffix.count).elementsEqual(suffix),
            let version = Version(String(decoding: name.utf8.dropLast(suffix.count), as: UTF8.self))
        else {
            find(name, "neither `<version>.json` nor `\(StoreLayout.recordFile)`; ignored")
            return
        }
        switch status(of: name, in: folder) {
        case .file(let stamp): versions.append(VersionEntry(version: version, stamp: stamp))
        case .outOfReach: if let known = previous?.version(version) { versions.append(known) }
        case .gone, .noFile: break
        }
    }

    private enum Status {
        case file(FileStamp)
        /// Removed since its name was read.
        case gone
        case noFile
        /// Until it can be looked at, what was known of it is kept.
        case outOfReach
    }

    private mutating func status(of name: String, in folder: borrowing FileDescriptor) -> Status {
        do throws(Errno) {
            let status = try folder.status(of: name)
            if status.kind == .regular { return .file(FileStamp(status)) }
            find(name, "not a regular file (a link is none); ignored")
            return .noFile
        } catch .noEntry {
            return .gone
        } catch {
            find(name, "cannot be looked at: \(error); what was known of it is kept")
            complete = false
            return .outOfReach
        }
    }

    /// The manifests that are there: what a reader found in one of these, as it is, holds on.
    var subjects: Set<CatalogFindings.Subject> {
        Set(versions.map { CatalogFindings.Subject(name: StoreLayout.manifestFile(of: $0.version), stamp: $0.stamp) })
    }

    /// No entry without a version: there is nothing to serve.
    func entry(record: ModelRecord) -> ModelEntry? {
        if versions.isEmpty { return nil }
        if let previous, previous.record == record, holdsVersions(of: previous) { return previous }
        return ModelEntry(name: model, versions: RoughOrder.newestFirst(versions), record: record)
    }

    /// Told without sorting: after most events nothing of this has changed.
    private func holdsVersions(of previous: ModelEntry) -> Bool {
        previous.versions.count == versions.count && Set(previous.versions).isSuperset(of: versions)
    }
}

/// The last good record of each model, and the file it was read from: a scan reads only those that changed.
private final class RecordCache: Sendable {
    typealias Held = (stamp: FileStamp, record: ModelRecord)

    private let records = Mutex<[ModelName: Held]>([:])

    func held(_ model: ModelName) -> Held? { records.withLock { $0[model] } }

    func hold(_ held: Held?, _ model: ModelName) { records.withLock { $0[model] = held } }

    func keep(only models: Set<ModelName>) {
        records.withLock { records in
            for model in records.keys where !models.contains(model) { records[model] = nil }
        }
    }
}
