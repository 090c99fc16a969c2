internal import HostSystem
internal import ModelCatalog

/// The inotify watches on a store: on its folder, for `manifests` to come and go, on `manifests`, and on each model's
/// folder. One thread's own.
///
/// inotify takes paths, so a watch may land on another folder than a scan through descriptors sees. Watch first, scan
/// after: if the folder was exchanged between the two, the watch one level up has noticed.
struct FolderNotices: ~Copyable {
    private enum Place: Equatable {
        case store
        case manifests
        case model(ModelName)
    }

    let watch: FolderWatch
    private let layout: StoreLayout
    private var places: [CInt: Place]
    private var manifests: CInt?
    private var models: [ModelName: CInt] = [:]
    private let limit: Int

    /// Watches the store's own folder. Throws when inotify cannot serve: ENOSYS, EMFILE, ENOSPC.
    ///
    /// `limit` is the seam for tests: beyond so many watches ENOSPC comes, as from the kernel beyond its own limit.
    init(layout: StoreLayout, limit: Int = .max) throws(Errno) {
        if limit < 1 { throw .noSpace }
        let watch = try FolderWatch()
        let store = try watch.add(layout.root, followingLink: true, entriesOnly: true)
        self.layout = layout
        self.limit = limit
        self.watch = watch
        places = [store: .store]
    }

    /// Watches `manifests` as it is now. One that is not there is no error: the watch on the store tells when it comes.
    mutating func followManifests() throws(Errno) {
        let new = try add(layout.absoluteManifestsFolder, followingLink: true)
        if let old = manifests, old != new { end(old, .manifests) }
        manifests = new
        if let new { places[new] = .manifests }
    }

    /// Watches the folder of each of these models, and no other.
    mutating func follow(only wanted: Set<ModelName>) throws(Errno) {
        for model in models.keys where !wanted.contains(model) { drop(model) }
        for model in wanted { try follow(model) }
    }

    /// Watches the folder of `model` as it is now; one that is not there any more is let go.
    mutating func follow(_ model: ModelName) throws(Errno) {
        guard let new = try add(layout.absoluteManifestsFolder(of: model), followingLink: false) else {
            drop(model)
            return
        }
        if let old = models[model], old != new { end(old, .model(model)) }
        models[model] = new
        places[new] = .model(model)
    }

    /// Hands over what happened since the last time.
    mutating func drain(into pending: inout PendingChanges, now: ContinuousClock.Instant) throws(Errno) {
        var events: [FolderEvent] = []
        try watch.drain { events.append($0) }
        for event in events {
            if event.overflowed {
                pending.addEverything(at: now)
                continue
            }
            switch places[event.watch] {
            case .store:
                if event.name == StoreLayout.manifestsFolder { pending.addEverything(at: now) }
            case .manifests:
                if event.folderLeft || event.watchEnded {
                    pending.addEverything(at: now)
                } else if let model = ModelName(event.name) {
                    pending.add(model, at: now)
                } else if event.name.utf8.first != UInt8(ascii: ".") {
                    // The folder itself became readable, or a name that is no model's came or went: a matter of findings.
                    pending.addEverything(at: now)
                }
            case .model(let model):
                // Names that begin with a dot are a publisher's drafts.
                if event.name.utf8.first != UInt8(ascii: ".") { pending.add(model, at: now) }
            case nil: break  // A watch that was given up.
            }
            if event.watchEnded { places[event.watch] = nil }
        }
    }

    private mutating func drop(_ model: ModelName) {
        if let old = models.removeValue(forKey: model) { end(old, .model(model)) }
    }

    /// Ends a watch, unless its folder has meanwhile been met under another name: the same folder is the same watch.
    private mutating func end(_ old: CInt, _ place: Place) {
        if places[old] != place { return }
        places[old] = nil
        watch.remove(old)
    }

    private func add(_ path: String, followingLink: Bool) throws(Errno) -> CInt? {
        do throws(Errno) {
            let new = try watch.add(path, followingLink: followingLink)
            if places.count >= limit, places[new] == nil { throw .noSpace }
            return new
        } catch .noEntry, .notFolder, .tooManyLinks, .accessDenied {
            return nil
        }
    }
}
