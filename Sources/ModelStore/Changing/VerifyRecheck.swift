internal import HostSystem
internal import ModelCatalog

/// Whether what was found still stands once everything was read. No lock was held meanwhile, and where this user may
/// not have it, none before either: what was being published or pruned is no finding.
struct VerifyRecheck {
    private let store: StoreFolder
    private let documents: StoredDocuments
    private let stagings: StagingLook
    /// A prune takes the last names but the pool's away long before it sweeps the pool, its staging folders' locks held.
    private let someoneIsAtWork: Bool

    init(store: StoreFolder, documents: StoredDocuments) {
        self.store = store
        self.documents = documents
        stagings = StagingLook(documents)
        someoneIsAtWork = stagings.isAnyHeld()
    }

    func stands(_ found: VerifyPlan.Found) -> Bool {
        switch found.subject {
        // What cannot be looked at is not known to be gone, nor to be absent.
        case .version(let owner): isPublished(owner) != false
        case .strayTree(let owner): isPublished(owner) == false && hasTree(owner)
        case .staging(let name): stagings.state(of: name) == .abandoned
        case .pooled(let folder, let name): !someoneIsAtWork && isLastName(name, in: folder)
        case .other: true
        }
    }

    /// Nil where it cannot be told.
    private func isPublished(_ owner: VerifyPlan.Owner) -> Bool? {
        do throws(Errno) {
            let folder = try store.openManifests().openFolder(owner.model.text)
            return try folder.has(StoreLayout.manifestFile(of: owner.version))
        } catch {
            // A file or a link in the folder's place holds no manifest.
            return error == .noEntry || error == .notFolder || error == .tooManyLinks ? false : nil
        }
    }

    private func hasTree(_ owner: VerifyPlan.Owner) -> Bool {
        do throws(Errno) {
            let folder = try documents.openFolder(PublishingFolders.modelsName + "/" + owner.model.text)
            return try folder.has(owner.version.text)
        } catch {
            return error != .noEntry
        }
    }

    private func isLastName(_ name: String, in folder: String) -> Bool {
        (try? documents.openFolder(folder).status(of: name).links) == 1
    }
}

/// What there is to be seen of staging folders from outside.
struct StagingLook {
    enum State {
        /// A publisher or a prune is at work there.
        case held
        case abandoned
        /// Gone by now, or another user's.
        case unknown
    }

    private let documents: StoredDocuments

    init(_ documents: StoredDocuments) {
        self.documents = documents
    }

    /// Whether somebody holds the lock of the staging folder of that name. A shared lock is enough to tell, and wants no
    /// permission to write; it is given back at once.
    func state(of name: String) -> State {
        do throws(Errno) {
            let folder = try documents.openFolder(PublishingFolders.stagingName + "/" + name)
            do throws(Errno) {
                let lock = try folder.openFile(StagingFolder.lockName)
                guard try lock.lockIfFree(exclusive: false) else { return .held }
                // Not by closing alone; see StagingFolder.deinit.
                try lock.unlock()
                return .abandoned
            } catch .noEntry {
                return .abandoned
            }
        } catch {
            return error == .notFolder || error == .tooManyLinks ? .abandoned : .unknown
        }
    }

    func isAnyHeld() -> Bool {
        let names = (try? documents.names(in: PublishingFolders.stagingName)) ?? []
        return names.contains { state(of: $0) == .held }
    }
}
