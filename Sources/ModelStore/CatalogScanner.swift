package import ModelCatalog
internal import HostSystem

/// Makes a snapshot of what is published from the folders of the store. Manifests are looked at, not read: a scan costs
/// one fstatat(2) a version.
///
/// Any thread may use it; it waits for the disk. What is wrong with a part becomes a finding, and the rest is served.
package struct CatalogScanner: Sendable {
    private let store: StoreFolder
    private let findings: CatalogFindings
    private let folderScanner: ModelFolderScanner

    package init(store: StoreFolder, findings: CatalogFindings) {
        self.store = store
        self.findings = findings
        folderScanner = ModelFolderScanner(findings: findings)
    }

    /// All that is published now, as the successor of `previous`, whose entries are taken over where nothing changed;
    /// `previous` itself when nothing changed at all.
    ///
    /// A store without a folder of manifests is an empty one, with a finding. Throws `.cannotList` when the folder is
    /// there and cannot be read: then `previous` holds on.
    package func scan(after previous: CatalogSnapshot = .empty) throws(StoreError) -> CatalogSnapshot {
        try look(after: previous).snapshot
    }

    /// `snapshot` with that model as it is on disk now.
    package func rescan(model: ModelName, in snapshot: CatalogSnapshot) -> CatalogSnapshot {
        look(at: [model], after: snapshot).snapshot
    }

    /// A snapshot, and what a watcher needs to know of how it came about.
    struct Outcome {
        var snapshot: CatalogSnapshot
        /// Each model folder that was seen, whether it holds versions or not.
        var folders: Set<ModelName> = []
        /// Models that could not be read in full just now, whose old state was kept: to be looked at again soon.
        var unread: Set<ModelName> = []
    }

    /// The models that there may be, by the names of their folders; for one who has to watch before he scans.
    func modelNames() throws(Errno) -> [ModelName] {
        var models: [ModelName] = []
        try store.openManifests().forEachName { name in
            if let model = ModelName(name) { models.append(model) }
        }
        return models
    }

    /// As `scan`, with what a watcher needs to know.
    func look(after previous: CatalogSnapshot) throws(StoreError) -> Outcome {
        let manifests: FileDescriptor
        var names: [String] = []
        do throws(Errno) {
            manifests = try store.openManifests(listing: &names)
        } catch .noEntry {
            findings.report(StoreLayout.manifestsFolder, "is not there: nothing is published")
            findings.dropFolders(below: StoreLayout.manifestsFolder, except: [])
            findings.settle(StoreLayout.manifestsFolder, found: [:]) { [] }
            folderScanner.forgetRecords(except: [])
            return Outcome(
                snapshot: previous.models.isEmpty
                    ? previous : CatalogSnapshot(generation: previous.generation &+ 1, entries: [])
            )
        } catch {
            findings.report(StoreLayout.manifestsFolder, "cannot be listed: \(error)")
            throw .cannotList(folder: store.layout.absoluteManifestsFolder, error)
        }
        findings.clear(StoreLayout.manifestsFolder)

        var outcome = Outcome(snapshot: previous)
        var found: [CatalogFindings.Subject: String] = [:]
        var entries: [ModelEntry] = []
        entries.reserveCapacity(names.count)
        for name in names where name.utf8.first != UInt8(ascii: ".") {
            guard let model = ModelName(name) else {
                found[.init(name: name)] = "no name of a model; ignored"
                continue
            }
            let seen = folderScanner.scan(model, in: manifests, previous: previous.model(name))
            if let fault = seen.fault { found[.init(name: name)] = fault }
            if let entry = seen.entry { entries.append(entry) }
            if !seen.complete { outcome.unread.insert(model) }
            if seen.isFolder { outcome.folders.insert(model) }
        }
        findings.settle(StoreLayout.manifestsFolder, found: found) { [] }
        findings.dropFolders(
            below: StoreLayout.manifestsFolder,
            except: Set(outcome.folders.map(StoreLayout.manifestsFolder(of:)))
        )
        folderScanner.forgetRecords(except: outcome.folders)
        if !Self.same(entries, previous) {
            outcome.snapshot = CatalogSnapshot(generation: previous.generation &+ 1, entries: entries)
        }
        return outcome
    }

    /// As `rescan`, of several models at once.
    func look(at models: Set<ModelName>, after previous: CatalogSnapshot) -> Outcome {
        let manifests: FileDescriptor
        do throws(Errno) {
            manifests = try store.openManifests()
        } catch {
            // Gone or out of reach as a whole: a full scan says which, and is asked for by the same event.
            return Outcome(snapshot: previous, unread: models)
        }
        var outcome = Outcome(snapshot: previous)
        var changed: [ModelEntry] = []
        var removed: [ModelName] = []
        for model in models {
            let before = previous.model(model.text)
            let seen = folderScanner.scan(model, in: manifests, previous: before)
            let path = StoreLayout.manifestsFolder(of: model)
            if let fault = seen.fault { findings.report(path, fault) } else { findings.clear(path) }
            if !seen.complete { outcome.unread.insert(model) }
            if seen.isFolder { outcome.folders.insert(model) } else { findings.settle(path, found: [:]) { [] } }
            if let entry = seen.entry {
                if entry !== before { changed.append(entry) }
            } else if before != nil {
                removed.append(model)
            }
        }
        if !changed.isEmpty || !removed.isEmpty {
            outcome.snapshot = previous.replacing(changed, removing: removed)
        }
        return outcome
    }

    private static func same(_ entries: [ModelEntry], _ snapshot: CatalogSnapshot) -> Bool {
        entries.count == snapshot.models.count && entries.allSatisfy { snapshot.model($0.name.text) === $0 }
    }
}
