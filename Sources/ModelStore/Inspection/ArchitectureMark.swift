internal import ModelCatalog

/// What the name of something in an asset says of the architecture that it was compiled for:
/// `<function>-<arch>.mlirb` and `<function>-<arch>-delegates`. This, not the asset's name, is what a device goes by.
struct ArchitectureMark: Equatable {
    enum Kind: Equatable { case program, delegates }

    let kind: Kind
    let function: String
    let architecture: Architecture

    /// The function that every asset has.
    static let mainFunction = "main"

    /// - Parameters:
    ///   - name: of an entry at the top of the asset.
    ///   - expected: the architecture in the asset's name.
    /// - Returns: nil where the name carries no architecture. Behind `main-` anything that can be one is; behind other
    ///   functions, whose names may hold hyphens themselves, it is what has the known form or is expected.
    init?(_ name: String, expected: Architecture?) {
        let octets = Array(name.utf8)
        let stem: ArraySlice<UInt8>
        if octets.hasSuffix(".mlirb") {
            kind = .program
            stem = octets.dropLast(".mlirb".utf8.count)
        } else if octets.hasSuffix("-delegates") {
            kind = .delegates
            stem = octets.dropLast("-delegates".utf8.count)
        } else {
            return nil
        }
        guard
            let hyphen = stem.lastIndex(of: UInt8(ascii: "-")), hyphen > stem.startIndex,
            let architecture = Architecture(String(decoding: stem[(hyphen + 1)...], as: UTF8.self))
        else { return nil }
        function = String(decoding: stem[..<hyphen], as: UTF8.self)
        self.architecture = architecture
        guard isMain || architecture == expected || architecture.hasKnownForm else { return nil }
    }

    var isMain: Bool { function == Self.mainFunction }
}

extension Architecture {
    /// `h`, digits and one letter, as all have that were seen so far. The set is open: another form is unusual, and no
    /// more than that.
    var hasKnownForm: Bool {
        let octets = Array(text.utf8)
        guard octets.count >= 3, octets[0] == UInt8(ascii: "h"), (0x61...0x7A).contains(octets[octets.count - 1])
        else { return false }
        return octets[1..<(octets.count - 1)].allSatisfy { (0x30...0x39).contains($0) }
    }
}

extension Collection<UInt8> where Self: BidirectionalCollection {
    func hasSuffix(_ suffix: String) -> Bool {
        self.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
