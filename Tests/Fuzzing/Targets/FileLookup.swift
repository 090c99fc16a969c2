@testable import ModelCatalog

// What is found in a list of files by halving is what a walk over the whole list finds; what is a conflict of paths is
// what comparing each with each finds.
//
// An input is lines: the paths of an asset's files, and at last what is sought in it.

private func model(_ paths: [[UInt8]], folder: [UInt8]) -> [[UInt8]: (isFile: Bool, files: Int)]? {
    let prefix = folder.isEmpty ? [] : folder + [UInt8(ascii: "/")]
    var entries: [[UInt8]: (isFile: Bool, files: Int)] = [:]
    for path in paths where path.starts(with: prefix) {
        let parts = Array(path.dropFirst(prefix.count)).parts(UInt8(ascii: "/"))
        entries[parts[0]] = (parts.count == 1, (entries[parts[0]]?.files ?? 0) + 1)
    }
    return entries.isEmpty ? nil : entries
}

private func check(_ asset: Asset, _ paths: [[UInt8]], _ sought: [UInt8]) {
    hold("the files are sorted", asset.files.map { Array($0.path.text.utf8) } == paths)
    let found = asset.file(atUTF8: sought).map { Array($0.path.text.utf8) }
    hold("a file is found where it is listed, and there alone", found == (paths.contains(sought) ? sought : nil))
    guard let text = String(validating: sought, as: UTF8.self) else { return }
    hold("text and its bytes find the same", asset.file(at: text) == asset.file(atUTF8: sought))

    let expected = model(paths, folder: sought)
    let entries = asset.folderEntries(in: text)
    hold("a folder is one where a file is below it", asset.hasFolder(text) == (expected != nil))
    hold("and where there is one it is listed", (entries == nil) == (expected == nil))
    guard let expected, let entries else { return }
    hold("each name once", entries.count == expected.count)
    for entry in entries {
        let model = expected[Array(entry.name.utf8)]
        switch entry.kind {
        case .file: hold("a file of the list", model?.isFile == true && model?.files == 1)
        case .folder(let count, let size):
            hold("a folder of the list", model?.isFile == false && model?.files == count && size == UInt64(count))
        }
    }
}

func examine(_ input: [UInt8]) {
    var lines = input.parts(UInt8(ascii: "\n"))
    let sought = lines.removeLast()
    guard lines.count <= 64, let name = AssetName("a.aimodel"),
        let digest = ContentDigest(bytes: [UInt8](repeating: 7, count: ContentDigest.byteCount))
    else { return }
    let paths = lines.compactMap { String(validating: $0, as: UTF8.self).flatMap(RelativePath.init) }
    let files = paths.map { ManifestFile(path: $0, size: 1, digest: digest) }

    let texts = paths.map { Array($0.text.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    var hasConflict = false
    for (index, one) in texts.enumerated() {
        for (other, path) in texts.enumerated() where other != index {
            if path == one || path.starts(with: one + [UInt8(ascii: "/")]) { hasConflict = true }
        }
    }
    do throws(ManifestError) {
        let asset = try Asset(name: name, files: files, digest: digest, archiveDigest: digest)
        hold("no file is a folder, none is there twice", !hasConflict)
        check(asset, texts, sought)
    } catch {
        switch error {
        case .conflictingPaths: hold("a conflict is one", hasConflict)
        case .noFiles: hold("no files are none", files.isEmpty)
        default: hold("nothing else is wrong with it: \(error)", false)
        }
    }
}
