internal import HostSystem
internal import ModelCatalog

/// A look at single files, whatever they are a part of.
enum FileInspection {
    private static let programSuffix = ".mlirb"

    /// Programs that are none, and pointers in the place of a content.
    ///
    /// - Throws: where a file cannot be read.
    static func checkBeginnings(
        of tree: ReleaseTree,
        in source: borrowing SourceFolder,
        _ findings: inout FindingList
    ) throws(InspectionError) {
        for (name, branch) in tree.branches {
            let isAsset = branch.top.isFolder && AssetNaming.isBundle(name)
            for entry in [branch.top] + branch.below where entry.isFile {
                try check(entry, isProgram: isAsset && entry.octets.hasSuffix(programSuffix), source, &findings)
            }
        }
    }

    private static func check(
        _ entry: ReleaseEntry,
        isProgram: Bool,
        _ source: borrowing SourceFolder,
        _ findings: inout FindingList
    ) throws(InspectionError) {
        if isProgram, entry.status.size == 0 {
            findings.add(.notAProgram, at: entry.octets, "the program is empty; build the asset again")
            return
        }
        // One system call for most files: what is neither a program nor small enough is not opened.
        guard isProgram || FileBeginning.mayBePointer(size: entry.status.size) else { return }
        let beginning = try source.beginning(of: entry.octets)
        if FileBeginning.mayBePointer(size: entry.status.size), FileBeginning.isPointer(beginning) {
            findings.add(
                .notAProgram,
                at: entry.octets,
                "a Git LFS pointer in the place of the content; fetch it (git lfs pull), then publish"
            )
        } else if isProgram, !FileBeginning.isProgram(beginning) {
            findings.add(
                .notAProgram,
                at: entry.octets,
                "does not begin as MLIR bytecode does (4d 4c ef 52), so no device can load it; build the asset again"
            )
        }
    }

    /// Files without content that nothing worse was said of.
    static func checkEmptiness(of tree: ReleaseTree, _ findings: inout FindingList) {
        for (name, branch) in tree.branches where name != Array(ReleaseDocument.name.utf8) || !branch.top.isFile {
            for entry in [branch.top] + branch.below
            where entry.isFile && entry.status.size == 0 && !findings.isAbout(entry.octets) {
                findings.add(.emptyFile, at: entry.octets, "the file is empty; look whether it should be")
            }
        }
    }
}
