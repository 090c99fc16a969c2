internal import HostSystem
internal import ModelCatalog

/// One model as it is on disk now, for whoever is about to change it.
///
/// The scan that a server makes goes on with the last good record where the present one is broken; here it is an error,
/// for what is written next takes its place.
struct ModelShelf: ~Copyable {
    /// The folder of the model's manifests, open.
    let folder: FileDescriptor
    let entry: ModelEntry
    private let store: StoreFolder

    private init(folder: consuming FileDescriptor, entry: ModelEntry, store: StoreFolder) {
        self.folder = folder
        self.entry = entry
        self.store = store
    }

    var model: ModelName { entry.name }

    /// Throws `.unknownModel` where no version is published, `.unusableRecord`, `.io`.
    static func take(_ model: ModelName, in store: StoreFolder) throws(ChangeError) -> ModelShelf {
        let folder = try open(model, in: store)
        let scanner = CatalogScanner(store: store, findings: CatalogFindings())
        let outcome = scanner.look(at: [model], after: .empty)
        guard let found = outcome.snapshot.model(model.text) else { throw unknown(model, in: store) }
        let record = try record(of: model, in: folder)
        let entry = ModelEntry(name: model, versions: found.versions, record: record)
        return ModelShelf(folder: folder, entry: entry, store: store)
    }

    /// The entry of a version. Throws `.notPublished`, with names that are close.
    func published(_ version: Version) throws(ChangeError) -> VersionEntry {
        if let found = entry.version(version) { return found }
        let names = entry.versions.map(\.version.text)
        throw .notPublished(model, version, close: SpellingSuggestions.close(to: version.text, among: names))
    }

    /// The manifest of a version. Throws `.notPublished`, `.unusableManifest`.
    func manifest(of version: Version) throws(ChangeError) -> Manifest {
        let entry = try published(version)
        switch ManifestReader(store: store).read(model, entry).result {
        case .success(let loaded): return loaded.manifest
        case .failure(let failure):
            throw .unusableManifest(path: StoreLayout.manifestPath(model, version), failure)
        }
    }

    private static func open(_ model: ModelName, in store: StoreFolder) throws(ChangeError) -> FileDescriptor {
        do throws(Errno) {
            return try store.openManifests().openFolder(model.text)
        } catch {
            if error == .noEntry || error == .notFolder { throw unknown(model, in: store) }
            throw .io(path: StoreLayout.manifestsFolder(of: model), error)
        }
    }

    static func unknown(_ model: ModelName, in store: StoreFolder) -> ChangeError {
        let names = (try? CatalogScanner(store: store, findings: CatalogFindings()).scan())?.sortedNames ?? []
        return .unknownModel(model.text, close: SpellingSuggestions.close(to: model.text, among: names))
    }

    private static func record(
        of model: ModelName,
        in folder: borrowing FileDescriptor
    ) throws(ChangeError) -> ModelRecord {
        let path = StoreLayout.recordPath(model)
        let limit = ModelFolderScanner.maximumRecordSize
        let bytes: [UInt8]?
        do throws(Errno) {
            let file = try folder.openFile(StoreLayout.recordFile)
            bytes = try file.readAll(limit: limit)
        } catch {
            if error == .noEntry { return .empty }
            if error == .tooManyLinks { throw .unusableRecord(path: path, "a link; put the file itself there") }
            throw .io(path: path, error)
        }
        guard let bytes else { throw .unusableRecord(path: path, "larger than \(limit) octets") }
        do throws(RecordError) {
            return try ModelRecord.decode(bytes, model: model)
        } catch {
            throw .unusableRecord(path: path, "\(error)")
        }
    }
}
