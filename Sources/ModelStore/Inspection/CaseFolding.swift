/// Paths as a file system sees them that tells neither case nor the forms of an accented letter apart: APFS on a Mac as
/// it comes, and NTFS.
enum CaseFolding {
    /// A key that two paths share where such a file system makes them one; `String`'s own equality, which is that of
    /// canonical equivalence, does the normalizing.
    ///
    /// Full case folding (Unicode 3.13, D144) by the mappings that the standard library has: the lower case of the
    /// upper case, which makes ß `ss` and both sigmas one, as folding does. The dotless ı is the exception: its upper
    /// case is I, and yet it folds to itself.
    static func key(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        var key = ""
        for scalar in text.unicodeScalars {
            if scalar == "\u{131}" {
                key.unicodeScalars.append(scalar)
                continue
            }
            for upper in scalar.properties.uppercaseMapping.unicodeScalars { key += upper.properties.lowercaseMapping }
        }
        return key
    }

    /// Each path, of files and of the folders that they lie in, that is one with another, and that other.
    ///
    /// - Parameter files: sorted; all that is published.
    static func collisions(in files: [String]) -> [(path: String, with: String)] {
        var seen: Set<[UInt8]> = []
        var first: [String: String] = [:]
        var collisions: [(path: String, with: String)] = []
        for file in files {
            let octets = Array(file.utf8)
            let ends = octets.indices.filter { octets[$0] == UInt8(ascii: "/") } + [octets.count]
            for end in ends where seen.insert(Array(octets[..<end])).inserted {
                let path = String(decoding: octets[..<end], as: UTF8.self)
                let key = key(path)
                if let other = first[key] {
                    collisions.append((path, other))
                } else {
                    first[key] = path
                }
            }
        }
        return collisions
    }
}
