/// The parts of a version that its precedence depends on. Slices only: nothing is copied, and a number is never
/// converted, so one of sixty digits is compared as exactly as one of two.
struct VersionOrder {
    typealias Bytes = Substring.UTF8View

    enum Outcome { case less, even, greater }

    private let isSemantic: Bool
    private let core: Bytes
    /// What follows the hyphen, or nil for a release.
    private let prerelease: Bytes?

    init(_ text: String, _ cuts: VersionCuts) {
        let bytes = text[...].utf8
        isSemantic = cuts.isSemantic
        core = bytes.prefix(Int(cuts.coreCount))
        prerelease =
            cuts.prereleaseStart == 0
            ? nil : bytes.prefix(Int(cuts.bodyCount)).dropFirst(Int(cuts.prereleaseStart))
    }

    /// The precedence, without the last word that the bytes have. Each step orders by one key, so that the whole is
    /// transitive; mixing rules by what the two sides happen to look like would not be.
    static func compare(_ left: VersionOrder, _ right: VersionOrder) -> Outcome {
        guard left.isSemantic == right.isSemantic else { return left.isSemantic ? .greater : .less }
        // Of two lists of three numbers, the rule for everything else says what section 11.2 says.
        let cores = compareNatural(left.core, right.core)
        guard cores == .even else { return cores }
        switch (left.prerelease, right.prerelease) {
        case (nil, nil): return .even
        // SemVer 2.0, section 11.3: a prerelease comes before its release.
        case (nil, _?): return .greater
        case (_?, nil): return .less
        case (let earlier?, let later?):
            return left.isSemantic ? compareDotted(earlier, later) : compareNatural(earlier, later)
        }
    }

    // MARK: Semantic Versioning 2.0

    static func isNumber(_ bytes: Bytes) -> Bool { !bytes.isEmpty && bytes.allSatisfy(\.isASCIIDigit) }

    /// Section 11.4: identifier by identifier; numbers below texts; the longer list wins an even start.
    private static func compareDotted(_ left: Bytes, _ right: Bytes) -> Outcome {
        var left = left
        var right = right
        while true {
            let one = takeIdentifier(&left)
            let other = takeIdentifier(&right)
            switch (one, other) {
            case (nil, nil): return .even
            case (nil, _?): return .less
            case (_?, nil): return .greater
            case (let one?, let other?):
                let outcome: Outcome =
                    switch (isNumber(one), isNumber(other)) {
                    case (true, true): compareNumbers(one, other)
                    case (true, false): .less
                    case (false, true): .greater
                    case (false, false): compareTexts(one, other)
                    }
                guard outcome == .even else { return outcome }
            }
        }
    }

    /// Takes what stands before the next dot, and the dot.
    private static func takeIdentifier(_ rest: inout Bytes) -> Bytes? {
        guard !rest.isEmpty else { return nil }
        guard let dot = rest.firstIndex(of: UInt8(ascii: ".")) else {
            defer { rest = rest[rest.endIndex...] }
            return rest
        }
        defer { rest = rest[rest.index(after: dot)...] }
        return rest[..<dot]
    }

    // MARK: Everything else

    /// Run by run: digits as a number, other bytes one by one, a number above any other byte, an end below all.
    private static func compareNatural(_ left: Bytes, _ right: Bytes) -> Outcome {
        var left = left
        var right = right
        while let one = left.first, let other = right.first {
            switch (one.isASCIIDigit, other.isASCIIDigit) {
            case (true, true):
                let outcome = compareNumbers(takeDigits(&left), takeDigits(&right))
                guard outcome == .even else { return outcome }
            case (true, false): return .greater
            case (false, true): return .less
            case (false, false):
                guard one == other else { return one < other ? .less : .greater }
                left = left.dropFirst()
                right = right.dropFirst()
            }
        }
        return left.isEmpty ? (right.isEmpty ? .even : .less) : .greater
    }

    private static func takeDigits(_ rest: inout Bytes) -> Bytes {
        let digits = rest.prefix(while: \.isASCIIDigit)
        rest = rest[digits.endIndex...]
        return digits
    }

    /// Numbers of any length: without leading zeros the longer is the greater, and of equal length the bytes decide.
    private static func compareNumbers(_ left: Bytes, _ right: Bytes) -> Outcome {
        let left = left.drop { $0 == UInt8(ascii: "0") }
        let right = right.drop { $0 == UInt8(ascii: "0") }
        guard left.count == right.count else { return left.count < right.count ? .less : .greater }
        return compareTexts(left, right)
    }

    private static func compareTexts(_ left: Bytes, _ right: Bytes) -> Outcome {
        if left.lexicographicallyPrecedes(right) { return .less }
        return right.lexicographicallyPrecedes(left) ? .greater : .even
    }
}
