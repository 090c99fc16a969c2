/// What an asset was made for.
package enum AssetKind: Hashable, Sendable {
    /// Compiled ahead of time for one architecture.
    case compiled(Architecture)
    /// The form that any device specializes for itself.
    case portable

    /// How a manifest writes it: `compiled` or `portable`.
    package var text: String {
        switch self {
        case .compiled: "compiled"
        case .portable: "portable"
        }
    }
}

/// The name of an asset: `<base>.<architecture>.aimodelc`, or `<base>.aimodel`.
///
/// The architecture is the last part before the suffix: a base may hold dots. A base is safe as a path segment, and
/// the name with `.tar` behind it still fits the 255 bytes that file systems give one.
package struct AssetName: Hashable, Comparable, CustomStringConvertible, Sendable {
    package let text: String
    package let base: String
    package let kind: AssetKind

    package static let compiledSuffix = ".aimodelc"
    package static let portableSuffix = ".aimodel"
    package static let archiveSuffix = ".tar"

    /// - Returns: nil where `text` names no asset.
    package init?(_ text: String) {
        // By bytes: some characters join the dot after them, and a Character that is "." is then nowhere to be found.
        let bytes = text[...].utf8
        guard bytes.count + Self.archiveSuffix.utf8.count <= RelativePath.maximumSegmentBytes else { return nil }
        if let stem = bytes.dropping(suffix: Self.compiledSuffix) {
            guard
                let dot = stem.lastIndex(of: UInt8(ascii: ".")),
                let architecture = Architecture(String(Substring(stem[stem.index(after: dot)...])))
            else { return nil }
            base = String(Substring(stem[..<dot]))
            kind = .compiled(architecture)
        } else if let stem = bytes.dropping(suffix: Self.portableSuffix) {
            base = String(Substring(stem))
            kind = .portable
        } else {
            return nil
        }
        guard RelativePath.isSafe(segment: base) else { return nil }
        self.text = text
    }

    /// How an asset of this base and kind is named; whether such a name is one, the initializer says.
    static func text(base: String, kind: AssetKind) -> String {
        switch kind {
        case .compiled(let architecture): base + "." + architecture.text + compiledSuffix
        case .portable: base + portableSuffix
        }
    }

    /// The architecture of a compiled asset, nil for the portable one.
    package var architecture: Architecture? {
        switch kind {
        case .compiled(let architecture): architecture
        case .portable: nil
        }
    }

    /// The name of this asset's archive.
    package var archiveName: String { text + Self.archiveSuffix }

    package var description: String { text }

    package static func == (left: AssetName, right: AssetName) -> Bool { sameBytes(left.text, right.text) }

    package static func < (left: AssetName, right: AssetName) -> Bool { precedesByBytes(left.text, right.text) }

    // Equal bytes are equal strings, so the string's own hash serves.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Substring.UTF8View {
    /// What stands before `suffix`, or nil where the bytes do not end in it.
    fileprivate func dropping(suffix: String) -> Substring.UTF8View? {
        let ending = self.suffix(suffix.utf8.count)
        return ending.elementsEqual(suffix.utf8) ? self[..<ending.startIndex] : nil
    }
}
