/// One thing in which a store differs from what its manifests say.
package struct VerifyFinding: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, CaseIterable, Sendable {
        /// It is there, and is not what its manifest promises: devices get wrong octets, or none.
        case damaged
        /// A manifest promises it, and it is not there.
        case missing
        /// No manifest lists it: it takes room, and is not served.
        case surplus
        /// A manifest or a record cannot be used, or disagrees with itself.
        case brokenManifest
        /// A folder of manifests that cannot be listed: of the model's versions nothing is known.
        case unreadable
    }

    /// Below the store's folder, such as `Public/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb`; printable.
    package let path: String
    package let kind: Kind
    /// What is wrong and what to do.
    package let message: String

    /// Control characters of either text are escaped: a name on disk may hold any.
    init(_ kind: Kind, _ path: String, _ message: String) {
        self.kind = kind
        self.path = Self.printable(path)
        self.message = Self.printable(message)
    }

    package var description: String { "\(path): \(message)" }

    private static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            // Format characters turn the direction of what follows.
            case .control, .lineSeparator, .paragraphSeparator, .format:
                result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// How far a verification is.
package struct VerifyProgress: Hashable, Sendable {
    /// Octets that were read.
    package let done: UInt64
    /// Octets that there are to read.
    package let total: UInt64
}

/// What a verification looked at, and found.
package struct VerifyReport: Equatable, Sendable {
    /// Sorted by the octets of the path, then by kind. Empty: each octet is as its manifest says.
    package let findings: [VerifyFinding]
    package let versions: Int
    /// Files that manifests list; a file that is shared counts at each of its places.
    package let files: Int
    /// Octets that were read, archives not counted: of a file that is stored once, once.
    package let size: UInt64
}
