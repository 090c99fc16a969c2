/// One line of a folder's listing.
package struct FolderEntry: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case file(ManifestFile)
        /// How many files lie below, at any depth, and the sum of their bytes.
        case folder(fileCount: Int, size: UInt64)
    }

    /// A single segment.
    package let name: String
    package let kind: Kind
}

extension Array where Element == ManifestFile {
    /// Whether any file lies below the folder, in a logarithmic number of comparisons.
    func hasFolder(_ folder: String) -> Bool {
        if folder.isEmpty { return !isEmpty }
        let prefix = [UInt8]((folder + "/").utf8)
        let index = firstIndex(notBefore: prefix)
        return index < count && self[index].path.text.utf8.starts(with: prefix)
    }

    /// What the folder holds, sorted by the bytes of the names; nil where no file lies below it. "" is the top.
    func folderEntries(in folder: String) -> [FolderEntry]? {
        let prefix: [UInt8] = folder.isEmpty ? [] : [UInt8]((folder + "/").utf8)
        var entries: [FolderEntry] = []
        var index = firstIndex(notBefore: prefix)
        while index < count, self[index].path.text.utf8.starts(with: prefix) {
            let rest = self[index].path.text[...].utf8.dropFirst(prefix.count)
            let segment = rest.prefix { $0 != UInt8(ascii: "/") }
            let name = String(Substring(segment))
            guard segment.endIndex < rest.endIndex else {
                entries.append(FolderEntry(name: name, kind: .file(self[index])))
                index += 1
                continue
            }
            // All that begin with "name/" stand together in the order of bytes.
            let inside = prefix + [UInt8](segment) + [UInt8(ascii: "/")]
            var fileCount = 0
            var size: UInt64 = 0
            while index < count, self[index].path.text.utf8.starts(with: inside) {
                fileCount += 1
                size += self[index].size
                index += 1
            }
            entries.append(FolderEntry(name: name, kind: .folder(fileCount: fileCount, size: size)))
        }
        guard !entries.isEmpty else { return nil }
        return entries.sorted { precedesByBytes($0.name, $1.name) }
    }
}
