internal import HostSystem
internal import ModelCatalog

/// Looks at a build's output folder before anything of it is published.
///
///     the folder -> names and kinds (ReleaseTree) -> what is what (ReleaseContents) -> files, assets, the whole
///         -> a plan
package enum ReleaseInspector {
    /// Finds all that is wrong with the release in `folder`, at once, and plans its publishing. Blocks; reads names,
    /// sizes and the first octets of files, follows no link, and changes nothing.
    ///
    /// Two findings are not made here: `not-enough-space`, and a `hash-mismatch` of a program whose content is not what
    /// `main.hash` says (`PlannedAsset.expectedProgramDigest`); they come up when the plan is carried out.
    ///
    /// - Throws: where there is nothing to be said about a release: the folder cannot be read, or it is not said which
    ///   model and version it is.
    package static func inspect(_ folder: String, _ options: ReleaseOptions) throws(InspectionError) -> Inspection {
        let source = try SourceFolder(folder)
        let document = try ReleaseDocument.read(source, isNeeded: options.model == nil || options.version == nil)
        let identity = try ReleaseIdentity(options, document, folder: folder)
        let compile = try compileInformation(options, document)

        var findings = FindingList(allowed: options.allowed)
        let publishedFolder = StoreLayout.publicFolder(identity.model, identity.version)
        let tree = try ReleaseTree(source, publishedFolder: publishedFolder, &findings)
        let contents = ReleaseContents(tree, &findings)

        try FileInspection.checkBeginnings(of: tree, in: source, &findings)
        var planned: [PlannedAsset] = []
        for (name, branch) in contents.assets {
            let inspection = AssetInspection(branch, name: name)
            try inspection.inspect(source, &findings)
            let files = branch.below.compactMap { Self.file($0, below: branch.top.octets.count + 1) }
            if files.isEmpty { continue }
            planned.append(
                PlannedAsset(
                    name: name,
                    compile: facts(for: name, in: compile),
                    files: files,
                    expectedProgramDigest: try inspection.expectedProgramDigest(source)
                )
            )
        }
        for branch in contents.unnamed { try AssetInspection(branch, name: nil).inspect(source, &findings) }
        let companions = contents.companions.compactMap { Self.file($0, below: 0) }

        let consistency = ReleaseConsistency(contents: contents, tree: tree, document: document)
        consistency.checkVariants(&findings)
        consistency.checkDocument(decidesModel: options.model == nil, &findings)
        try consistency.checkReferences(in: source, &findings)
        checkCollisions(planned.flatMap(\.files) + companions, &findings)
        FileInspection.checkEmptiness(of: tree, &findings)

        if findings.hasErrors { return Inspection(findings: findings.sorted, plan: nil) }
        if planned.isEmpty { throw .noAssets(folder: PrintableText.of(folder)) }
        let plan = ReleasePlan(
            folder: folder,
            model: identity.model,
            version: identity.version,
            minDeploymentVersion: identity.minDeploymentVersion,
            assets: planned,
            companions: companions,
            hashMismatchAllowed: findings.isAllowed(.hashMismatch),
            notEnoughSpaceAllowed: findings.isAllowed(.notEnoughSpace)
        )
        return Inspection(findings: findings.sorted, plan: plan)
    }

    /// What the options say goes before what the folder says.
    private static func compileInformation(
        _ options: ReleaseOptions,
        _ document: ReleaseDocument
    ) throws(InspectionError) -> [CompileInformation] {
        var sources: [CompileInformation] = []
        if let path = options.compileInfo { sources.append(try CompileInformation.read(path)) }
        if let compile = document.compile { sources.append(compile) }
        return sources
    }

    private static func facts(for name: AssetName, in sources: [CompileInformation]) -> CompileFacts? {
        sources.reduce(CompileFacts()) { $0.filled(from: $1.facts(for: name)) }.unlessEmpty
    }

    /// A file of the plan; nil for what is none, and for what is refused by its name.
    private static func file(_ entry: ReleaseEntry, below prefix: Int) -> SourceFile? {
        guard entry.isFile, let source = entry.path else { return nil }
        let path = String(decoding: entry.octets.dropFirst(prefix), as: UTF8.self)
        return RelativePath(path).map { SourceFile(path: $0, source: source.text, status: entry.status) }
    }

    private static func checkCollisions(_ files: [SourceFile], _ findings: inout FindingList) {
        let paths = files.map(\.source).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for (path, other) in CaseFolding.collisions(in: paths) {
            findings.add(
                .caseCollision,
                at: Array(path.utf8),
                "is one with \(other) where upper and lower case, or the forms of an accented letter, are not told apart, "
                    + "as on a Mac; rename one of them"
            )
        }
    }
}
