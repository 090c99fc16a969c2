package import ModelCatalog
internal import Synchronization

/// What is wrong in a store, for an operator to mend.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// Below the store's folder, such as `manifests/Sam3/1.4.0.json`.
    package let path: String
    /// What is wrong and what to do.
    package let message: String

    package init(path: String, message: String) {
        self.path = path
        self.message = message
    }

    package var description: String { "\(path): \(message)" }
}

/// The findings that stand, at most `limit` of them; the rest is only counted.
///
/// A finding stands until its file changes or goes. Any thread may use it.
package final class CatalogFindings: Sendable {
    /// The name of a file in a folder, and what it was like when something was found: a finding about a file with that
    /// stamp is none about the file that took its place.
    struct Subject: Hashable {
        var name: String
        var stamp: FileStamp?
    }

    private struct Kept {
        var message: String
        var stamp: FileStamp?
    }

    private struct Folder {
        var kept: [String: Kept] = [:]
        /// Hashes of the subjects beyond the limit: enough to count each once.
        var omitted: Set<Int> = []
    }

    private struct State {
        var folders: [String: Folder] = [:]
        var kept = 0
        var omitted = 0
        var toldOfLimit = false
    }

    private let state = Mutex(State())
    private let limit: Int
    private let onFinding: @Sendable (Finding) -> Void

    /// `onFinding` gets each finding once, when it is new, on the thread that found it; of those beyond the limit it is
    /// told once that there are more.
    package init(limit: Int = 1000, onFinding: @escaping @Sendable (Finding) -> Void = { _ in }) {
        self.limit = limit
        self.onFinding = onFinding
    }

    /// The kept findings, sorted by path.
    package func list() -> [Finding] {
        let all = state.withLock { state in
            state.folders.flatMap { folder, content in
                content.kept.map { Finding(path: Self.join(folder, $0.key), message: $0.value.message) }
            }
        }
        return all.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// How many findings there are beyond those that `list` gives.
    package var omittedCount: Int { state.withLock { $0.omitted } }

    /// Kept and omitted.
    package var count: Int { state.withLock { $0.kept + $0.omitted } }

    /// Records what is wrong with the file at `path`. It stands until `clear`, or, given a stamp, until a scan of the
    /// folder sees another.
    package func report(_ path: String, _ message: String, stamp: FileStamp? = nil) {
        let (folder, name) = Self.split(path)
        announce(state.withLock { Self.report(folder, name, message, stamp, limit, &$0) })
    }

    /// The file at `path` is well; given a stamp, the file as it was then.
    package func clear(_ path: String, stamp: FileStamp? = nil) {
        let (folder, name) = Self.split(path)
        state.withLock { state in
            guard var content = state.folders[folder] else { return }
            if content.kept.removeValue(forKey: name) != nil { state.kept -= 1 }
            if content.omitted.remove(Subject(name: name, stamp: stamp).hashValue) != nil { state.omitted -= 1 }
            Self.store(content, folder, &state)
        }
    }

    /// The outcome of a look at a whole folder: `found` is what is wrong by its names, and of what others found in its
    /// files only that stands whose subject is `present`.
    func settle(_ folder: String, found: [Subject: String], present: () -> Set<Subject>) {
        let new = state.withLock { state -> [Finding] in
            if var content = state.folders[folder] {
                let present = present()
                let keptBefore = content.kept.count
                let omittedBefore = content.omitted.count
                content.kept = content.kept.filter { name, finding in
                    let subject = Subject(name: name, stamp: finding.stamp)
                    return found[subject] != nil || (finding.stamp != nil && present.contains(subject))
                }
                content.omitted.formIntersection(present.union(found.keys).map(\.hashValue))
                state.kept -= keptBefore - content.kept.count
                state.omitted -= omittedBefore - content.omitted.count
                Self.store(content, folder, &state)
            }
            // In the order of names, so that which are kept does not hang on a hash.
            return found.sorted { $0.key.name < $1.key.name }.flatMap { subject, message in
                Self.report(folder, subject.name, message, subject.stamp, limit, &state)
            }
        }
        announce(new)
    }

    /// Drops what was found in folders below `parent` that are not there any more.
    func dropFolders(below parent: String, except present: Set<String>) {
        let prefix = parent + "/"
        state.withLock { state in
            for (folder, content) in state.folders where folder.hasPrefix(prefix) && !present.contains(folder) {
                Self.drop(folder, content, &state)
            }
        }
    }

    private static func drop(_ folder: String, _ content: Folder, _ state: inout State) {
        state.kept -= content.kept.count
        state.omitted -= content.omitted.count
        state.folders[folder] = nil
    }

    /// Drops what was found in the trees of versions that the snapshot does not hold: nobody is served them, so nobody
    /// would meet them mended.
    func dropUnpublished(in snapshot: CatalogSnapshot) {
        state.withLock { state in
            for (folder, content) in state.folders {
                guard let (model, version) = StoreLayout.publishedVersion(of: folder),
                    snapshot.model(model)?.version(version) == nil
                else { continue }
                Self.drop(folder, content, &state)
            }
        }
    }

    /// Drops what was found in the trees of all versions. What is still so is found again when somebody asks for it.
    package func dropPublished() {
        dropFolders(below: StoreLayout.publicFolder, except: [])
    }

    /// Called without the lock: what `onFinding` does may take its time, or report.
    private func announce(_ findings: [Finding]) {
        for finding in findings { onFinding(finding) }
    }

    private static func report(
        _ folder: String,
        _ name: String,
        _ message: String,
        _ stamp: FileStamp?,
        _ limit: Int,
        _ state: inout State
    ) -> [Finding] {
        var content = state.folders[folder] ?? Folder()
        defer { store(content, folder, &state) }
        let hash = Subject(name: name, stamp: stamp).hashValue
        let finding = Finding(path: join(folder, name), message: message)
        if let known = content.kept[name] {
            content.kept[name] = Kept(message: message, stamp: stamp)
            return known.message == message ? [] : [finding]
        }
        if state.kept < limit {
            if content.omitted.remove(hash) != nil { state.omitted -= 1 }
            content.kept[name] = Kept(message: message, stamp: stamp)
            state.kept += 1
            return [finding]
        }
        if content.omitted.insert(hash).inserted { state.omitted += 1 }
        if state.toldOfLimit { return [] }
        state.toldOfLimit = true
        return [
            Finding(
                path: folder.isEmpty ? name : folder,
                message: "there are more than \(limit) findings; those from here on are counted, not listed"
            )
        ]
    }

    private static func store(_ content: Folder, _ folder: String, _ state: inout State) {
        state.folders[folder] = content.kept.isEmpty && content.omitted.isEmpty ? nil : content
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("", path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : folder + "/" + name
    }
}
