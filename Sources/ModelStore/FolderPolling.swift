internal import HostSystem
internal import ModelCatalog

/// Notices changes by looking at the times of folders, where inotify cannot serve. One thread's own.
///
/// A file that is written in place leaves its folder's time alone. Of those the record is looked at itself; a manifest
/// is put there by rename, and a full scan now and then sees the rest.
struct FolderPolling {
    private struct Look: Equatable {
        var folder: FileStamp
        var record: FileStamp?
    }

    private struct Known {
        var look: Look
        /// A change within the clock's tick of the last look would leave no trace, so what changed is looked at twice.
        var settled: Bool
    }

    private var manifests: Known?
    private var models: [ModelName: Known] = [:]

    /// Puts into `pending` what is not as it was at the last call.
    mutating func look(
        at store: StoreFolder,
        models wanted: Set<ModelName>,
        into pending: inout PendingChanges,
        now: ContinuousClock.Instant
    ) {
        guard let folder = try? store.openManifests(), let status = try? folder.status() else {
            if manifests != nil { pending.addEverything(at: now) }
            manifests = nil
            models = [:]
            return
        }
        if Self.differs(Look(folder: FileStamp(status)), &manifests) { pending.addEverything(at: now) }
        for model in models.keys where !wanted.contains(model) { models[model] = nil }
        for model in wanted {
            guard let status = try? folder.status(of: model.text) else {
                if models.removeValue(forKey: model) != nil { pending.add(model, at: now) }
                continue
            }
            let record = try? folder.status(of: model.text + "/" + StoreLayout.recordFile)
            let look = Look(folder: FileStamp(status), record: record.map { FileStamp($0) })
            if Self.differs(look, &models[model]) { pending.add(model, at: now) }
        }
    }

    private static func differs(_ look: Look, _ known: inout Known?) -> Bool {
        if let before = known, before.look == look {
            known?.settled = true
            return !before.settled
        }
        known = Known(look: look, settled: false)
        return true
    }
}
