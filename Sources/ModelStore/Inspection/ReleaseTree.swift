internal import HostSystem
internal import ModelCatalog

/// Something that stands in a release, a folder or a file, or what may not be there.
struct ReleaseEntry {
    /// The path from the release's folder on, as the kernel gave it.
    let octets: [UInt8]
    let status: FileStatus
    /// The path as text; nil where it is not safe to publish.
    let path: RelativePath?

    var isFile: Bool { status.kind == .regular }
    var isFolder: Bool { status.kind == .folder }
    /// Neither a file nor a folder: a link, a device, a socket, a FIFO.
    var isUnsafe: Bool { !isFile && !isFolder }

    /// The last name of the path.
    var name: ArraySlice<UInt8> {
        octets[((octets.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...]
    }

    /// The names of the path.
    var segments: [ArraySlice<UInt8>] { octets.split(separator: UInt8(ascii: "/")) }

    /// The path without its first name, which has `count` octets.
    func below(top count: Int) -> ArraySlice<UInt8> { octets.dropFirst(count + 1) }
}

/// One thing at the top of a release, with all that is below it.
struct ReleaseBranch {
    let top: ReleaseEntry
    /// Sorted by the octets of the paths; `top` itself is not among them.
    var below: [ReleaseEntry] = []
}

/// What stands in a release's folder, junk left out.
struct ReleaseTree {
    /// By the octets of their names.
    private(set) var branches: [[UInt8]: ReleaseBranch] = [:]

    /// Walks the folder, and finds what is wrong with names and kinds, whatever the release is made of.
    ///
    /// - Parameter publishedFolder: where the release goes below the document root.
    init(
        _ folder: borrowing SourceFolder,
        publishedFolder: String,
        _ findings: inout FindingList
    ) throws(InspectionError) {
        // The server opens what it serves by one path below the document root, and the kernel takes no longer one.
        let longest = FileDescriptor.maximumWalkedPath - publishedFolder.utf8.count - 1
        var entries: [ReleaseEntry] = []
        var found = findings
        try folder.walk { walked in
            let entry = ReleaseEntry(octets: walked.path, status: walked.status, path: Self.path(walked.path))
            if SystemJunk.matches(entry.name) {
                found.add(.systemJunk, at: entry.octets, Self.junk(entry))
                return false
            }
            entries.append(entry)
            guard walked.path.count <= longest else {
                found.add(.unsafeName, at: entry.octets, Self.tooLong(entry, longest))
                return false
            }
            if let fault = Self.fault(inName: entry.name) { found.add(.unsafeName, at: entry.octets, fault) }
            if entry.isUnsafe { found.add(.unsafeEntry, at: entry.octets, Self.unsafe(entry)) }
            return entry.isFolder
        }
        findings = found
        entries.sort { $0.octets.lexicographicallyPrecedes($1.octets) }
        for entry in entries {
            let top = Array(entry.octets.prefix { $0 != UInt8(ascii: "/") })
            if top.count == entry.octets.count {
                branches[top] = ReleaseBranch(top: entry)
            } else {
                branches[top]?.below.append(entry)
            }
        }
    }

    private static func path(_ octets: [UInt8]) -> RelativePath? {
        String(validating: octets, as: UTF8.self).flatMap(RelativePath.init)
    }

    // MARK: What is said

    private static func junk(_ entry: ReleaseEntry) -> String {
        "a by-product of a tool and no part of a model; it is left out of the release"
    }

    private static func tooLong(_ entry: ReleaseEntry, _ limit: Int) -> String {
        "the path has \(entry.octets.count) octets, and no more than \(limit) can be served; use shorter names or "
            + "fewer folders"
    }

    private static func fault(inName name: ArraySlice<UInt8>) -> String? {
        guard let text = String(validating: name, as: UTF8.self) else {
            return "the name is not UTF-8, so no URL and no manifest can say it; rename it"
        }
        if name.count > RelativePath.maximumSegmentBytes {
            return "the name has \(name.count) octets, and \(RelativePath.maximumSegmentBytes) is the most that file "
                + "systems take; rename it"
        }
        return RelativePath(text) == nil ? "the name holds control characters; rename it" : nil
    }

    private static func unsafe(_ entry: ReleaseEntry) -> String {
        entry.status.kind == .symbolicLink
            ? "a symbolic link, which may lead anywhere; put a copy of the file itself in its place"
            : "a device, a socket or a FIFO, which has no content to publish; remove it"
    }
}
