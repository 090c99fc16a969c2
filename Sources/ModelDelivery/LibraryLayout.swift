internal import Foundation
internal import ModelCatalog

/// Which version of a model is in use, by the names of the folders. The file that holds it is changed by a rename.
struct LibraryPointer: Codable, Hashable {
    var current: String?
    var previous: String?
}

/// Where things lie in a library, and the small files in it.
///
///     <folder>/SAM3/1.4.0/                     a release: its assets and companions, whole, never changed
///     <folder>/SAM3/1.4.0~installed.json       its record; a folder without one is not installed
///     <folder>/SAM3/current.json               the pointer
///     <folder>/.delivery/staging/SAM3/         what is under way: <digest>.part, <digest>, tree/, download.json
///     <folder>/.delivery/locks/ trash/ reports.json
///
/// `~` is in no version, so none of these names meets another.
struct LibraryLayout: Sendable {
    let root: String

    init(folder: URL) {
        var path = folder.standardizedFileURL.path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        root = path
    }

    var hidden: String { root + "/.delivery" }
    var trash: String { hidden + "/trash" }
    private var locks: String { hidden + "/locks" }

    func staging(of model: ModelName) -> String { "\(hidden)/staging/\(model)" }
    func folder(of model: ModelName) -> String { "\(root)/\(model)" }
    func tree(of model: ModelName, folderName: String) -> String { "\(root)/\(model)/\(folderName)" }
    func recordPath(of model: ModelName, folderName: String) -> String {
        tree(of: model, folderName: folderName) + Self.recordSuffix
    }
    func pointerPath(of model: ModelName) -> String { folder(of: model) + "/current.json" }

    static let recordSuffix = "~installed.json"

    func prepare() throws(DeliveryError) {
        for folder in [trash, locks, hidden + "/staging"] { try SystemFiles.makeFolder(folder) }
        SystemFiles.excludeFromBackup(hidden)
    }

    // MARK: Small files

    /// Where a small file is written before it is renamed: a place for each, so that what a process left there is
    /// written over. All of them are written under a lock.
    private func draft(of path: String) -> String {
        "\(hidden)/draft~" + path.dropFirst(root.count + 1).replacing("/", with: "~")
    }

    func write(_ document: some Encodable, to path: String) throws(DeliveryError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(document) else { throw SystemFiles.failure("encode", path, 0) }
        try OpenFile.replace(path, with: Array(data), draft: draft(of: path))
    }

    func read<Document: Decodable>(_ type: Document.Type, at path: String) -> Document? {
        OpenFile.contents(path).flatMap { try? JSONDecoder().decode(type, from: Data($0)) }
    }

    func pointer(of model: ModelName) -> LibraryPointer {
        read(LibraryPointer.self, at: pointerPath(of: model)) ?? LibraryPointer()
    }

    func setPointer(_ pointer: LibraryPointer, of model: ModelName) throws(DeliveryError) {
        try write(pointer, to: pointerPath(of: model))
    }

    func record(of model: ModelName, folderName: String) -> InstalledRecord? {
        guard !folderName.contains("/") else { return nil }
        guard let record = read(InstalledRecord.self, at: recordPath(of: model, folderName: folderName)),
            record.schemaVersion == InstalledRecord.schemaVersion, record.rebuild.model == model.text
        else { return nil }
        return record
    }

    // MARK: What is installed

    /// Those that something is installed of, or under way.
    func models() -> [ModelName] {
        let names = SystemFiles.names(in: root).filter { SystemFiles.isFolder("\(root)/\($0)") }
        return Set(names + SystemFiles.names(in: hidden + "/staging")).compactMap { ModelName($0) }.sorted()
    }

    private func recordedNames(of model: ModelName) -> [String] {
        SystemFiles.names(in: folder(of: model)).filter { $0.hasSuffix(Self.recordSuffix) }
            .map { String($0.dropLast(Self.recordSuffix.count)) }
    }

    /// What stands in a folder, where its record is there too.
    func installed(_ model: ModelName, folderName: String, current: String?) -> InstalledModel? {
        let tree = tree(of: model, folderName: folderName)
        guard let record = record(of: model, folderName: folderName), SystemFiles.isFolder(tree) else { return nil }
        return record.installed(at: tree, folderName: folderName, isCurrent: folderName == current)
    }

    /// The newest first.
    func installedVersions(of model: ModelName) -> [InstalledModel] {
        let current = pointer(of: model).current
        return recordedNames(of: model).compactMap { installed(model, folderName: $0, current: current) }
            .sorted { left, right in
                guard let one = Version(left.version), let other = Version(right.version) else { return false }
                return one == other ? left.folderName < right.folderName : one > other
            }
    }

    func recordsWithoutTree(of model: ModelName) -> [RebuildRecord] {
        recordedNames(of: model).filter { !SystemFiles.isFolder(tree(of: model, folderName: $0)) }
            .compactMap { record(of: model, folderName: $0)?.rebuild }
    }

    // MARK: Changes

    /// Takes a version out of use: the record goes first, so that no half-removed tree ever counts as installed.
    /// Under the pointer's lock.
    func retire(_ model: ModelName, folderName: String) throws(DeliveryError) {
        try SystemFiles.removeFile(recordPath(of: model, folderName: folderName))
        try SystemFiles.syncFolder(folder(of: model))
        var pointer = pointer(of: model)
        if pointer.current == folderName || pointer.previous == folderName {
            if pointer.current == folderName { pointer.current = nil }
            if pointer.previous == folderName { pointer.previous = nil }
            try setPointer(pointer, of: model)
        }
        try discard(tree(of: model, folderName: folderName))
    }

    /// Moves a tree out of sight at once; `emptyTrash` removes it.
    func discard(_ path: String) throws(DeliveryError) {
        guard SystemFiles.isFolder(path) else { return try SystemFiles.removeFile(path) }
        try SystemFiles.rename(path, "\(trash)/\(UUID().uuidString)")
    }

    func emptyTrash() throws(DeliveryError) {
        for name in SystemFiles.names(in: trash) { try SystemFiles.removeTree("\(trash)/\(name)") }
    }

    /// Under the installation's lock.
    func discardStaging(of model: ModelName) throws(DeliveryError) { try discard(staging(of: model)) }

    // MARK: Locks

    /// A lock that is held until it is released or nobody has it any more, process death included.
    final class Lock: Sendable {
        private let file: OpenFile
        fileprivate init(_ file: consuming OpenFile) { self.file = file }

        /// The last use of it: closing the file is what lets others in.
        func release() {}
    }

    /// The right to install a model; nil where another has it.
    func installLock(of model: ModelName) throws(DeliveryError) -> Lock? {
        let file = try OpenFile(writing: "\(locks)/\(model).install")
        guard try file.lock(waiting: false) else { return nil }
        return Lock(file)
    }

    /// The right to change a model's pointer and records. Held for the time of a few small files.
    func withPointerLock<Value>(
        of model: ModelName,
        _ body: () throws(DeliveryError) -> Value
    ) throws(DeliveryError) -> Value {
        let file = try OpenFile(writing: "\(locks)/\(model).pointer")
        guard try file.lock(waiting: true) else { throw .busy(model: model.text) }
        return try body()
    }
}
