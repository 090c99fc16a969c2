internal import HostSystem

/// The folder that a build has left, open for a look: nothing in it is changed and no link in it is followed.
struct SourceFolder: ~Copyable {
    /// As the operator wrote it.
    let name: String
    private let folder: FileDescriptor

    /// The folder itself may be a link: the operator named it.
    init(_ name: String) throws(InspectionError) {
        self.name = name
        do throws(Errno) {
            folder = try FileDescriptor.openFolder(name)
        } catch {
            throw .cannotRead(path: PrintableText.of(name), error)
        }
    }

    /// What is in it, a folder before what it holds; `FileDescriptor.walk`.
    func walk(_ visit: (WalkedEntry) -> Bool) throws(InspectionError) {
        do throws(WalkFailure) {
            try folder.walk(visit)
        } catch {
            throw failure(error.path, error.error)
        }
    }

    /// The first octets of a file, as many as `FileBeginning` looks at, or fewer where it ends before.
    func beginning(of path: [UInt8]) throws(InspectionError) -> [UInt8] {
        do throws(Errno) {
            return try folder.open(walked: path).readPiece(upTo: FileBeginning.length)
        } catch {
            throw failure(path, error)
        }
    }

    /// A whole file, or nil where it has more than `limit` octets.
    func content(of path: [UInt8], limit: Int) throws(InspectionError) -> [UInt8]? {
        do throws(Errno) {
            return try folder.open(walked: path).readAll(limit: limit)
        } catch {
            throw failure(path, error)
        }
    }

    /// What stands at a name directly in the folder; nil where nothing does.
    func status(of name: String) throws(InspectionError) -> FileStatus? {
        do throws(Errno) {
            return try folder.status(of: name)
        } catch .noEntry {
            return nil
        } catch {
            throw failure(Array(name.utf8), error)
        }
    }

    /// A path in the folder as an error shows it.
    func shown(_ path: [UInt8]) -> String {
        PrintableText.of(path.isEmpty ? name : name + (name.hasSuffix("/") ? "" : "/")) + PrintableText.of(path)
    }

    private func failure(_ path: [UInt8], _ error: Errno) -> InspectionError {
        .cannotRead(path: shown(path), error)
    }
}
