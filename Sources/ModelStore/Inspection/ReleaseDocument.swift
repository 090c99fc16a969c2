internal import HostSystem
internal import ModelCatalog

/// The manifest.json that a build may leave in its folder: what it meant to make. It is held against what is there and
/// not published; keys that are not known are passed over.
struct ReleaseDocument: Equatable {
    var base: String?
    var version: String?
    var minDeploymentVersion: String?
    var architectures: [String]?
    var compile: CompileInformation?

    static let name = "manifest.json"
    /// Octets.
    static let maximumSize = 4 * 1024 * 1024

    init() {}

    /// - Throws: the fault in words, where a key is of another type than it should be.
    init(_ json: StrictJSON) throws(DocumentFault) {
        guard case .object = json else { throw DocumentFault("it is JSON, but no object") }
        base = try json.text("base")
        version = try json.text("version")
        minDeploymentVersion = try json.text("minDeploymentVersion")
        compile = try json.member("compile").map { value throws(DocumentFault) in
            try CompileInformation(value, at: "compile")
        }
        guard let list = json.member("architectures") else { return }
        guard case .array(let elements) = list else { throw DocumentFault("\"architectures\" is no array") }
        architectures = try elements.map { element throws(DocumentFault) in
            guard case .string(let text) = element else {
                throw DocumentFault("\"architectures\" holds something else than strings")
            }
            return text
        }
    }

    /// The document of a folder, an empty one where there is none. What is no regular file is not read: a finding tells
    /// of it.
    ///
    /// - Parameter isNeeded: whether the document must say what the release is. Where it need not, a pointer of Git LFS
    ///   in its place counts as none, since a finding tells of that as well.
    static func read(
        _ folder: borrowing SourceFolder,
        isNeeded: Bool
    ) throws(InspectionError) -> ReleaseDocument {
        guard try folder.status(of: name)?.kind == .regular else { return ReleaseDocument() }
        let content = try folder.content(of: Array(name.utf8), limit: maximumSize)
        if !isNeeded, let content, FileBeginning.mayBePointer(size: Int64(content.count)),
            FileBeginning.isPointer(content)
        {
            return ReleaseDocument()
        }
        do throws(DocumentFault) {
            return try ReleaseDocument(StrictJSON.document(content, limit: maximumSize))
        } catch {
            throw .badDocument(path: folder.shown(Array(name.utf8)), reason: error.description)
        }
    }
}

/// What is wrong with a document, in words.
struct DocumentFault: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension StrictJSON {
    /// - Parameters:
    ///   - content: nil where the file has more than `limit` octets.
    static func document(_ content: [UInt8]?, limit: Int) throws(DocumentFault) -> StrictJSON {
        guard let content else { throw DocumentFault("it has more than \(limit) octets") }
        if FileBeginning.isPointer(content) {
            throw DocumentFault("it is a Git LFS pointer: fetch its content (git lfs pull)")
        }
        do throws(Fault) {
            return try parse(content)
        } catch {
            throw DocumentFault("it is no JSON: \(error)")
        }
    }

    /// The value of a key; null counts as absent.
    func member(_ key: String) -> StrictJSON? {
        guard let value = self[key], value != .null else { return nil }
        return value
    }

    /// The string at a key.
    func text(_ key: String, at place: String = "") throws(DocumentFault) -> String? {
        guard let value = member(key) else { return nil }
        guard case .string(let text) = value else { throw DocumentFault("\"\(place)\(key)\" is no string") }
        return text
    }

    /// The boolean at a key.
    func flag(_ key: String, at place: String = "") throws(DocumentFault) -> Bool? {
        guard let value = member(key) else { return nil }
        guard case .boolean(let flag) = value else {
            throw DocumentFault("\"\(place)\(key)\" is neither true nor false")
        }
        return flag
    }
}
