/// What tools leave in folders and nobody means to publish: left out, and said so.
enum SystemJunk {
    /// Finder's and Explorer's notes, what macOS puts into a zip archive, and a working copy's history, which would
    /// publish more than anybody meant to.
    private static let names = [".DS_Store", "__MACOSX", "Thumbs.db", "desktop.ini", ".git"].map { Array($0.utf8) }
    /// AppleDouble: what a file system without extended attributes gets instead.
    private static let beginning = Array("._".utf8)
    /// What an export saves before it optimizes, to compile from: `<base>_source.aimodel`.
    private static let ending = Array("_source.aimodel".utf8)

    static func matches(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        names.contains { $0.elementsEqual(name) } || name.starts(with: beginning)
            || name.suffix(ending.count).elementsEqual(ending)
    }
}
