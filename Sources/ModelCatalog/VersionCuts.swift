/// Where a version's text is cut, found once when it is parsed: four bytes beside the text, where to find them anew in
/// each of the comparisons of a sort or a search took most of its time.
struct VersionCuts: Sendable {
    /// Whether the text is a Semantic Version 2.0.
    let isSemantic: Bool
    /// How many bytes stand before the prerelease and the build metadata.
    let coreCount: UInt8
    /// Where what follows the prerelease's hyphen begins, 0 for a release.
    let prereleaseStart: UInt8
    /// How many bytes stand before the first `+`; what follows it has no part in the precedence.
    let bodyCount: UInt8

    /// - Parameter text: of 255 bytes at most.
    init(_ text: String) {
        let all = text[...].utf8
        let plus = all.firstIndex(of: UInt8(ascii: "+"))
        let body = all[..<(plus ?? all.endIndex)]
        let build = plus.map { all[all.index(after: $0)...] }

        // SemVer 2.0, section 2 and 9: three numbers, then whatever follows the first hyphen.
        let hyphen = body.firstIndex(of: UInt8(ascii: "-"))
        let numbers = body[..<(hyphen ?? body.endIndex)]
        let suffix = hyphen.map { body[body.index(after: $0)...] }
        isSemantic =
            Self.areThreeNumbers(numbers) && suffix.map(Self.arePrereleaseIdentifiers) ?? true
            && build.map(Self.areBuildIdentifiers) ?? true
        let end = isSemantic ? hyphen : Self.hyphenBeforeLetter(body)
        let core = body[..<(end ?? body.endIndex)]
        coreCount = UInt8(core.count)
        prereleaseStart = end == nil ? 0 : coreCount + 1
        bodyCount = UInt8(body.count)
    }

    /// Where a version that is no SemVer has its prerelease: a hyphen that a digit follows belongs to a date.
    private static func hyphenBeforeLetter(_ body: VersionOrder.Bytes) -> VersionOrder.Bytes.Index? {
        var rest = body
        while let hyphen = rest.firstIndex(of: UInt8(ascii: "-")) {
            rest = rest[rest.index(after: hyphen)...]
            if let next = rest.first, next.isASCIILetter { return hyphen }
        }
        return nil
    }

    // MARK: Semantic Versioning 2.0

    private static func areThreeNumbers(_ bytes: VersionOrder.Bytes) -> Bool {
        countIdentifiers(bytes) { VersionOrder.isNumber($0) && !hasLeadingZero($0) } == 3
    }

    /// Section 9: identifiers are not empty, and numeric ones bear no leading zero.
    private static func arePrereleaseIdentifiers(_ bytes: VersionOrder.Bytes) -> Bool {
        countIdentifiers(bytes) { !$0.isEmpty && !(VersionOrder.isNumber($0) && hasLeadingZero($0)) } != nil
    }

    /// Section 10: build identifiers are not empty. The alphabet is `Version`'s own, less a second `+`.
    private static func areBuildIdentifiers(_ bytes: VersionOrder.Bytes) -> Bool {
        countIdentifiers(bytes) { !$0.isEmpty && !$0.contains(UInt8(ascii: "+")) } != nil
    }

    /// How many parts the dots make, nil where one does not satisfy. `split` would put them into an array.
    private static func countIdentifiers(
        _ bytes: VersionOrder.Bytes,
        satisfying condition: (VersionOrder.Bytes) -> Bool
    ) -> Int? {
        var rest = bytes
        var count = 0
        while true {
            let dot = rest.firstIndex(of: UInt8(ascii: "."))
            guard condition(rest[..<(dot ?? rest.endIndex)]) else { return nil }
            count += 1
            guard let dot else { return count }
            rest = rest[rest.index(after: dot)...]
        }
    }

    private static func hasLeadingZero(_ bytes: VersionOrder.Bytes) -> Bool {
        bytes.first == UInt8(ascii: "0") && bytes.dropFirst().first != nil
    }
}
