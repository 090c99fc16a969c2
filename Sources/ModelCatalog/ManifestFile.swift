/// One file that a manifest promises.
package struct ManifestFile: Hashable, Sendable {
    package let path: RelativePath
    /// In bytes.
    package let size: UInt64
    package let digest: ContentDigest

    package init(path: RelativePath, size: UInt64, digest: ContentDigest) {
        self.path = path
        self.size = size
        self.digest = digest
    }
}

/// What is sought in a list of files that is sorted by the bytes of the paths.
extension Array where Element == ManifestFile {
    /// The file at exactly these bytes, in a logarithmic number of comparisons.
    func file(atUTF8 path: some Collection<UInt8>) -> ManifestFile? {
        let index = firstIndex(notBefore: path)
        guard index < count, self[index].path.text.utf8.elementsEqual(path) else { return nil }
        return self[index]
    }

    /// The index of the first file whose path is not below `path`, `count` where there is none.
    func firstIndex(notBefore path: some Collection<UInt8>) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].path.text.utf8.lexicographicallyPrecedes(path) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Sorted by the bytes of the paths; a list that is sorted already, as every canonical one is, costs one walk.
    func sortedByPath() -> [ManifestFile] {
        zip(self, dropFirst()).allSatisfy { !($1.path < $0.path) } ? self : sorted { $0.path < $1.path }
    }

    /// The two faults that a sorted list of paths can have: the same twice, or one a folder of another.
    ///
    /// Between `a` and `a/b` other paths may stand (`a-b`), so neighbours are not enough. The walk keeps those before
    /// the current path that are a beginning of it: each is put there once and taken away once.
    func pathConflict() -> (path: RelativePath, with: RelativePath)? {
        var beginnings: [RelativePath] = []
        for file in self {
            let path = file.path.text.utf8
            while let last = beginnings.last, !path.starts(with: last.text.utf8) { beginnings.removeLast() }
            for beginning in beginnings {
                let rest = path.dropFirst(beginning.text.utf8.count)
                if rest.isEmpty || rest.first == UInt8(ascii: "/") { return (file.path, beginning) }
            }
            beginnings.append(file.path)
        }
        return nil
    }

    /// The sum of the sizes, or nil where it passes what a file offset can count.
    func totalSize() -> UInt64? {
        var total: UInt64 = 0
        for file in self {
            let (sum, overflow) = total.addingReportingOverflow(file.size)
            guard !overflow, sum <= Manifest.maximumSize else { return nil }
            total = sum
        }
        return total
    }
}
