internal import ModelCatalog

/// What the name of a folder's entry makes of it, as far as assets are concerned.
enum AssetNaming: Equatable {
    /// `<base>.aimodel` or `<base>.<arch>.aimodelc`.
    case asset(AssetName)
    /// `<base>.aimodelc`, or what stands before the suffix is no architecture.
    case noArchitecture
    /// No base before the suffix, or one that leaves no room for `.tar` behind the name.
    case noBase
    /// An asset's suffix in other letters: a device knows the lower-case ones only.
    case misspelledSuffix
    /// The name of an asset's archive, which the server makes itself.
    case archive
    case other

    /// - Parameter name: one segment of a path.
    init(_ name: String) {
        let octets = Array(name.utf8)
        if let asset = AssetName(name) {
            self = .asset(asset)
        } else if Self.isBundle(octets) {
            self = Self.hasArchitecture(octets) ? .noBase : .noArchitecture
        } else if Self.isBundle(octets.map(Self.lowercased)) {
            self = .misspelledSuffix
        } else if Self.stem(octets, before: AssetName.archiveSuffix).map({ Self.isBundle(Array($0)) }) == true {
            self = .archive
        } else {
            self = .other
        }
    }

    /// Whether a name ends as an asset's does.
    static func isBundle(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        stem(name, before: AssetName.compiledSuffix) != nil || stem(name, before: AssetName.portableSuffix) != nil
    }

    /// A portable asset needs none.
    private static func hasArchitecture(_ name: [UInt8]) -> Bool {
        guard let stem = stem(name, before: AssetName.compiledSuffix) else { return true }
        guard let dot = stem.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return Architecture(String(decoding: stem[(dot + 1)...], as: UTF8.self)) != nil
    }

    private static func stem<Name: BidirectionalCollection<UInt8>>(
        _ name: Name,
        before suffix: String
    ) -> Name.SubSequence? {
        let length = suffix.utf8.count
        return name.suffix(length).elementsEqual(suffix.utf8) ? name.dropLast(length) : nil
    }

    private static func lowercased(_ octet: UInt8) -> UInt8 {
        (0x41...0x5A).contains(octet) ? octet | 0x20 : octet
    }
}
