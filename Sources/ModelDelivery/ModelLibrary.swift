public import Foundation
internal import ModelCatalog

/// A folder of installed models: installs and updates, rolls back, verifies, repairs and removes.
///
///     let library = try ModelLibrary(folder: URL.applicationSupportDirectory.appending(path: "Models"))
///     let installation = library.install(from: host)
///     for await progress in installation.progress { show(progress.fraction) }
///     let model = try await installation.value
///     let loaded = try await AIModel(contentsOf: model.assets[0].url)
///
/// The version in use is untouched while another is fetched: it is put together beside, verified, renamed into place
/// in one step, and only then does the library's pointer lead to it. A process may end at any instant; the next
/// installation goes on with what is there. Several processes may use one folder.
///
/// What is stored are paths relative to the folder, which may move. On Apple's systems the trees are left out of
/// backups and their records are kept in: `rebuildRecords` tells after a restore what is missing.
///
/// Free to use from any thread. The methods that are not `async` read or write small files only.
public final class ModelLibrary: Sendable {
    public let folder: URL
    public let options: DeliveryOptions
    let layout: LibraryLayout

    /// Opens the folder and makes it where it is not there.
    ///
    /// - Throws: `fileSystem`.
    public init(folder: URL, options: DeliveryOptions = DeliveryOptions()) throws(DeliveryError) {
        self.folder = folder
        self.options = options
        layout = LibraryLayout(folder: folder)
        try layout.prepare()
    }

    // MARK: Installing

    /// Begins to install what the host offers, and to make it current. Where that is installed already, every byte of
    /// it is read, and only what is damaged is fetched. A folder that stands in its place, that this library did not
    /// install and that is not the release to the byte, is left alone: `fileSystem`, before anything is transferred.
    ///
    /// The work goes on whether or not anybody reads the progress; `ModelInstallation.cancel` ends it, and so does the
    /// cancellation of a task that waits for its value.
    public func install(from host: ModelHost) -> ModelInstallation {
        ModelInstallation(seams: options.seams) { [self] meter throws(DeliveryError) in
            try await Installer(library: self, host: host, meter: meter).install()
        }
    }

    /// Begins to fetch anew what is damaged or missing of an installed version, and that only; what should not be in
    /// its folder is removed. Each file is replaced by a rename; one that is whole is not touched.
    public func repair(_ installed: InstalledModel, from host: ModelHost) -> ModelInstallation {
        ModelInstallation(seams: options.seams) { [self] meter throws(DeliveryError) in
            try await Installer(library: self, host: host, meter: meter).repair(installed)
        }
    }

    /// Asks the host what there is for this device, and looks whether it fits. Transfers no model.
    ///
    /// - Throws: what `install` would throw before it transfers anything, but for `insufficientStorage`: that is a
    ///   figure of the answer.
    public func availability(of host: ModelHost) async throws(DeliveryError) -> ModelAvailability {
        try await Installer(library: self, host: host, meter: ProgressMeter(seams: options.seams)).availability()
    }

    // MARK: What is installed

    /// The version that the pointer leads to; nil where none is installed. Reads two small files.
    public func current(_ model: String) -> InstalledModel? {
        guard let name = ModelName(model) else { return nil }
        let pointer = layout.pointer(of: name)
        return pointer.current.flatMap { layout.installed(name, folderName: $0, current: pointer.current) }
    }

    /// The version that was current before and is still installed: where `rollback` leads.
    public func previous(_ model: String) -> InstalledModel? {
        guard let name = ModelName(model) else { return nil }
        let pointer = layout.pointer(of: name)
        return pointer.previous.flatMap { layout.installed(name, folderName: $0, current: pointer.current) }
    }

    /// All installed versions of a model, or of all models: the models by name, the newest version first.
    public func installed(_ model: String? = nil) -> [InstalledModel] {
        let names = model.map { ModelName($0).map { [$0] } ?? [] } ?? layout.models()
        return names.flatMap { layout.installedVersions(of: $0) }
    }

    /// The records of versions whose files are gone, as after a restore from a backup: what to install again.
    public func rebuildRecords() -> [RebuildRecord] {
        layout.models().flatMap { layout.recordsWithoutTree(of: $0) }
    }

    // MARK: Changing what is installed

    /// Makes the previous version current, and the current one previous.
    ///
    /// - Throws: `notInstalled` where there is no previous one.
    @discardableResult
    public func rollback(_ model: String) throws(DeliveryError) -> InstalledModel {
        let name = try checked(model)
        return try layout.withPointerLock(of: name) { () throws(DeliveryError) in
            let pointer = layout.pointer(of: name)
            guard let previous = pointer.previous,
                let target = layout.installed(name, folderName: previous, current: previous)
            else { throw .notInstalled(model: model, version: nil) }
            try layout.setPointer(LibraryPointer(current: previous, previous: pointer.current), of: name)
            return target
        }
    }

    /// Removes an installed version: its record first, then the pointer's mention of it, then its files. The app
    /// deletes the entries of its specialization cache before.
    ///
    /// - Throws: `fileSystem`.
    public func remove(_ installed: InstalledModel) async throws(DeliveryError) {
        let name = try checked(installed.model)
        try layout.withPointerLock(of: name) { () throws(DeliveryError) in
            try layout.retire(name, folderName: installed.folderName)
        }
        try await offThread { [layout] () throws(DeliveryError) in try layout.emptyTrash() }
    }

    /// Removes what is neither current nor previous, and what was fetched and never finished; a model whose
    /// installation is under way keeps its unfinished files.
    ///
    /// - Parameters:
    ///   - model: nil for all models.
    ///   - keepingPrevious: false to remove the previous version too.
    /// - Returns: bytes that were set free.
    @discardableResult
    public func reclaim(
        _ model: String? = nil,
        keepingPrevious: Bool = true
    ) async throws(DeliveryError) -> UInt64 {
        let names = try model.map { name throws(DeliveryError) in [try checked(name)] } ?? layout.models()
        let before = storage(model).total
        for name in names {
            try layout.withPointerLock(of: name) { () throws(DeliveryError) in
                let pointer = layout.pointer(of: name)
                for installed in layout.installedVersions(of: name) where !installed.isCurrent {
                    if keepingPrevious, installed.folderName == pointer.previous { continue }
                    try layout.retire(name, folderName: installed.folderName)
                }
            }
            if let lock = try layout.installLock(of: name) {
                try layout.discardStaging(of: name)
                lock.release()
            }
        }
        try await offThread { [layout] () throws(DeliveryError) in try layout.emptyTrash() }
        let after = storage(model).total
        return before > after ? before - after : 0
    }

    /// Reads every byte of an installed version and holds it against the manifest.
    ///
    /// - Returns: what is not as it should be, surplus files included, sorted by path; empty where all is well.
    /// - Throws: `cancelled`, or `notInstalled` where its record is gone.
    public func verify(_ installed: InstalledModel) async throws(DeliveryError) -> [DamagedFile] {
        let name = try checked(installed.model)
        guard let record = layout.record(of: name, folderName: installed.folderName) else {
            throw .notInstalled(model: installed.model, version: installed.version)
        }
        return try await Verifier.damage(of: record, in: layout.tree(of: name, folderName: installed.folderName))
    }

    /// What the library takes on disk, in bytes as the files count them.
    ///
    /// - Parameter model: nil for all models.
    public func storage(_ model: String? = nil) -> StorageUse {
        let names = model.map { ModelName($0).map { [$0] } ?? [] } ?? layout.models()
        return layout.storage(of: names)
    }

    func checked(_ model: String) throws(DeliveryError) -> ModelName {
        guard let name = ModelName(model) else { throw .invalidRequest("\(model) is no name of a model") }
        return name
    }
}
