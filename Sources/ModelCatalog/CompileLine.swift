/// The command that compiles a base's portable asset for one more architecture, ready to paste into a shell that
/// stands in the release's folder, as in
/// `xcrun coreai-build compile SAM3.aimodel --platform iOS --architecture h17p --output .`.
///
/// The compiler names what it makes `<base>.<architecture>.aimodelc`, which is how a release wants it.
package struct CompileLine: Hashable, CustomStringConvertible, Sendable {
    /// The words before any quoting.
    package let words: [String]

    /// - Parameters:
    ///   - facts: what the compiler is to be told besides; what is nil is left to the compiler.
    ///   - minimum: the release's oldest system, as its manifest writes it.
    package init(base: String, architecture: Architecture, facts: CompileFacts? = nil, minimum: OSVersion? = nil) {
        let name = AssetName.text(base: base, kind: .portable)
        // A name that begins with a hyphen would be an option, quoted or not.
        var words = ["xcrun", "coreai-build", "compile", name.hasPrefix("-") ? "./" + name : name]
        if let platform = facts?.platform { words += ["--platform", platform] }
        if let minimum { words += ["--min-deployment-version", minimum.text] }
        if let unit = facts?.preferredCompute { words += ["--preferred-compute", unit] }
        if facts?.expectFrequentReshapes == true { words.append("--expect-frequent-reshapes") }
        words += ["--architecture", architecture.text, "--output", "."]
        self.words = words
    }

    /// The line for an architecture that a release does not hold, with the options that the compiled assets of the same
    /// base were made with, as far as they agree.
    ///
    /// - Returns: nil where the release has no portable asset of this base: there is nothing to compile from.
    package init?(base: String, architecture: Architecture, of manifest: Manifest) {
        guard manifest.asset(base: base, kind: .portable) != nil else { return nil }
        let told = manifest.assets.filter { sameBytes($0.name.base, base) && $0.architecture != nil }.compactMap(
            \.compile
        )
        let facts = CompileFacts(
            platform: Self.common(told.map(\.platform)),
            preferredCompute: Self.common(told.map(\.preferredCompute)),
            expectFrequentReshapes: Self.common(told.map(\.expectFrequentReshapes))
        )
        self.init(base: base, architecture: architecture, facts: facts, minimum: manifest.minDeploymentVersion)
    }

    /// What all of them are, nil where two differ.
    private static func common<Value: Equatable>(_ values: [Value?]) -> Value? {
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// For a POSIX shell.
    package var text: String { words.map(Self.quoted(forShell:)).joined(separator: " ") }

    package var description: String { text }

    /// A word as a POSIX shell reads it back (POSIX.1-2024, XCU 2.2.2): as it is where nothing in it means anything to
    /// a shell, else in single quotes, between which only a single quote has to be written another way.
    package static func quoted(forShell word: String) -> String {
        let isPlain = !word.isEmpty && word.utf8.allSatisfy { $0.isASCIIAlphanumeric || plain.contains($0) }
        if isPlain { return word }
        var quoted = "'"
        for scalar in word.unicodeScalars {
            if scalar == "'" { quoted += "'\\''" } else { quoted.unicodeScalars.append(scalar) }
        }
        return quoted + "'"
    }

    /// A tilde is none of them: at a word's beginning it is somebody's home.
    private static let plain = Array("-_./:,+@%".utf8)
}
