internal import HostSystem
internal import ModelCatalog

/// The files that a manifest lists, and the folders that these lie in; by octets, since to `String` the composed and
/// the decomposed "é" are one name.
struct ReleaseListing {
    private var files: Set<[UInt8]> = []
    private var folders: Set<[UInt8]> = [[]]

    /// Takes in a file by its path in the release.
    mutating func add(_ path: String) {
        let path = Array(path.utf8)
        files.insert(path)
        var rest = path[...]
        while let slash = rest.lastIndex(of: UInt8(ascii: "/")) {
            rest = rest[..<slash]
            // Those above are there already.
            guard folders.insert(Array(rest)).inserted else { return }
        }
    }

    func hasFile(_ path: String) -> Bool { files.contains(Array(path.utf8)) }
    func hasFolder(_ path: String) -> Bool { folders.contains(Array(path.utf8)) }
}

/// Finds what lies in a version's tree and in no list.
struct SurplusWalk {
    let documents: StoredDocuments
    let listing: ReleaseListing
    let owner: VerifyPlan.Owner

    private var top: String { StoreLayout.publicFolder(owner.model, owner.version) }

    func walk(_ plan: inout VerifyPlan) {
        var pending = [""]
        while let path = pending.popLast() { look(in: path, &plan, &pending) }
    }

    /// - Parameter path: in the release; "" is its top.
    private func look(in path: String, _ plan: inout VerifyPlan, _ pending: inout [String]) {
        let place = path.isEmpty ? top : top + "/" + path
        do throws(Errno) {
            let folder = try documents.openFolder(place)
            var names: [String] = []
            try folder.forEachName { names.append($0) }
            for name in names {
                let entry = path.isEmpty ? name : path + "/" + name
                // What stands in a listed file's place was looked at when the file was.
                if listing.hasFile(entry) { continue }
                guard listing.hasFolder(entry) else {
                    find(entry, "no manifest lists it; remove it", &plan)
                    continue
                }
                if try folder.status(of: name).kind == .folder {
                    pending.append(entry)
                } else {
                    find(entry, "it stands where a folder of the release belongs; put that back", &plan)
                }
            }
        } catch .noEntry {
            // The files that should be below are missing, each by itself.
        } catch {
            plan.find(
                .damaged,
                StoreLayout.publicFolder + "/" + place,
                "cannot be listed: \(error); the server's user must be able to read it",
                owner: owner
            )
        }
    }

    private func find(_ entry: String, _ message: String, _ plan: inout VerifyPlan) {
        plan.find(.surplus, StoreLayout.publicFolder + "/" + top + "/" + entry, message, owner: owner)
    }
}
