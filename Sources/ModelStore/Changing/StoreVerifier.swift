internal import HostSystem
package import ModelCatalog

/// Reads every published octet again, and holds it against the manifests.
///
/// Nothing is changed, and no lock is held while octets are read: publishing, promoting and pruning go on meanwhile.
/// Any thread may use it.
package struct StoreVerifier: Sendable {
    private let store: StoreFolder
    private let documents: StoredDocuments

    /// Throws `.store` where the store's folder cannot be opened. One without a document root can be verified: all that
    /// its manifests promise is missing. One without a folder of manifests cannot: nothing would be promised, and a
    /// mistaken path would pass for a sound store.
    package init(root: String) throws(ChangeError) {
        do throws(StoreError) {
            store = try StoreFolder(root: root)
            documents = try StoredDocuments(root: root)
        } catch {
            throw .store(error)
        }
    }

    /// Verifies the whole store, one model, or one version.
    ///
    /// A file that several names lead to is read once. What is held against the manifests: each file's size and
    /// digest, each asset's digest and its archive's size and digest; and that nothing else lies there. What lies beside
    /// models and versions (staging folders, the content pool) is looked at only where the whole store is.
    ///
    /// - Parameters:
    ///   - version: of `model`; nothing without one.
    ///   - threads: how many read and hash.
    ///   - checkingArchives: whether each asset is read a second time for the digest of its archive.
    ///   - progress: called on any of the threads, one call at a time, with ever greater `done`; it must not wait.
    /// - Throws: `.unknownModel`, `.notPublished`, `.store`, `.noStore`. All else is a finding.
    package func verify(
        model: ModelName? = nil,
        version: Version? = nil,
        threads: Int = ProcessLimits.processors(),
        checkingArchives: Bool = true,
        progress: @escaping @Sendable (VerifyProgress) -> Void = { _ in }
    ) throws(ChangeError) -> VerifyReport {
        var plan = try plan(model, model == nil ? nil : version)
        if !checkingArchives { plan.archives = [] }
        let outcomes = VerifyHashing(plan, documents, progress: progress).run(threads: threads)
        let found = plan.found + VerifyJudgement(plan).found(outcomes)
        let recheck = VerifyRecheck(store: store, documents: documents)
        return VerifyReport(
            findings: sorted(found.filter(recheck.stands)),
            versions: plan.versions,
            files: plan.files,
            size: plan.stored.reduce(0) { $0 + $1.size }
        )
    }

    /// Made under the store's lock where this user may have it: between a publisher's two renames there is a tree
    /// without a manifest, which is no finding.
    private func plan(_ model: ModelName?, _ version: Version?) throws(ChangeError) -> VerifyPlan {
        do throws(Errno) {
            _ = try store.openManifests()
        } catch {
            if error == .noEntry { throw .noStore(folder: store.layout.root) }
            // The scan says what else is the matter.
        }
        let lock = try? StoreLock(root: store.layout.root)
        defer { withExtendedLifetime(lock) {} }
        let findings = CatalogFindings()
        let seen: CatalogScanner.Outcome
        do throws(StoreError) {
            seen = try CatalogScanner(store: store, findings: findings).look(after: .empty)
        } catch {
            throw .store(error)
        }
        let snapshot = seen.snapshot
        var entries = snapshot.sortedNames.compactMap { snapshot.model($0) }
        if let model {
            if let entry = snapshot.model(model.text) {
                entries = [entry]
            } else if seen.unread.contains(model) {
                entries = []
            } else {
                throw ModelShelf.unknown(model, in: store)
            }
        }
        var census = VerifyCensus(store: store, documents: documents)
        for entry in entries {
            for published in try Self.versions(of: entry, version) { census.take(entry.name, published) }
        }
        let leftovers = VerifyLeftovers(documents: documents, snapshot: snapshot)
        if lock != nil, version == nil {
            for entry in entries { leftovers.drafts(of: entry.name, in: store, &census.plan) }
        }
        switch (model, version) {
        case (nil, _):
            leftovers.models(&census.plan)
            leftovers.staging(&census.plan)
            leftovers.pool(&census.plan)
        case (let model?, nil): leftovers.versions(of: model, &census.plan)
        case (_?, _?): break
        }
        if version == nil || entries.isEmpty { Self.take(findings, seen.unread, of: model, into: &census.plan) }
        return census.plan
    }

    private static func versions(of entry: ModelEntry, _ version: Version?) throws(ChangeError) -> [VersionEntry] {
        guard let version else { return entry.versions }
        guard let published = entry.version(version) else {
            let names = entry.versions.map(\.version.text)
            throw .notPublished(entry.name, version, close: SpellingSuggestions.close(to: version.text, among: names))
        }
        return [published]
    }

    /// What the scan found in the folders of manifests.
    private static func take(
        _ findings: CatalogFindings,
        _ unread: Set<ModelName>,
        of model: ModelName?,
        into plan: inout VerifyPlan
    ) {
        let unreadable = Set(unread.map { StoreLayout.manifestsFolder(of: $0) })
        let own = model.map { StoreLayout.manifestsFolder(of: $0) }
        for finding in findings.list() {
            if let own, finding.path != own, !finding.path.hasPrefix(own + "/") { continue }
            if unreadable.contains(finding.path) {
                // The rest is what a server makes of it.
                let cause = finding.message.prefix { $0 != ";" }
                let words = "\(cause); what the model has was not verified: the server's user must be able to read it"
                plan.find(.unreadable, finding.path, words)
                continue
            }
            let name = finding.path.split(separator: "/").last ?? ""
            let isRead = name == StoreLayout.recordFile || name.hasSuffix(StoreLayout.manifestSuffix)
            plan.find(isRead ? .brokenManifest : .surplus, finding.path, finding.message)
        }
    }

    private func sorted(_ found: [VerifyPlan.Found]) -> [VerifyFinding] {
        found.map(\.finding).sorted { left, right in
            if !left.path.utf8.elementsEqual(right.path.utf8) {
                return left.path.utf8.lexicographicallyPrecedes(right.path.utf8)
            }
            return left.kind.rawValue < right.kind.rawValue
        }
    }
}

/// What the octets that were read mean for the promises that were made.
private struct VerifyJudgement {
    let plan: VerifyPlan

    init(_ plan: VerifyPlan) {
        self.plan = plan
    }

    func found(_ outcomes: [VerifyHashing.Outcome]) -> [VerifyPlan.Found] {
        var found: [VerifyPlan.Found] = []
        var broken: Set<String> = []
        for case .file(let place, let result) in outcomes {
            for promise in plan.stored[place].promises {
                guard let finding = finding(promise, result) else { continue }
                broken.insert(promise.path)
                let subject = promise.owner.map(VerifyPlan.Subject.version) ?? .other
                found.append(VerifyPlan.Found(finding: finding, subject: subject))
            }
        }
        for case .archive(let place, .success(let digest)) in outcomes {
            let archived = plan.archives[place]
            if digest == archived.asset.archive.digest { continue }
            // With a file that is not what it should be, the archive cannot be either: told once is enough.
            let paths = archived.asset.files.map {
                StoreLayout.publicPath(
                    archived.owner.model,
                    archived.owner.version,
                    asset: archived.asset.name,
                    file: $0.path
                )
            }
            if paths.contains(where: broken.contains) { continue }
            found.append(
                VerifyPlan.Found(
                    finding: VerifyFinding(
                        .brokenManifest,
                        archived.owner.manifestPath,
                        "the digest of \(archived.asset.archive.name) is not that of its files; "
                            + VerifyAdvice.restoreManifest
                    ),
                    subject: .version(archived.owner)
                )
            )
        }
        return found
    }

    private func finding(
        _ promise: VerifyPlan.Promise,
        _ result: Result<ContentDigest, VerifyHashing.Failure>
    ) -> VerifyFinding? {
        let path = StoreLayout.publicFolder + "/" + promise.path
        switch result {
        case .success(promise.digest): return nil
        case .success(let digest):
            let words =
                promise.owner == nil
                ? "its content is not what its name says, and the next release would take it for that; remove it"
                : VerifyAdvice.wrongContent(digest, promise.digest)
            return VerifyFinding(.damaged, path, words)
        case .failure(.open(let failure)):
            if promise.owner == nil, failure == .missing { return nil }
            return VerifyFinding(failure == .missing ? .missing : .damaged, path, VerifyAdvice.words(failure))
        case .failure(.cutShort(let size)):
            return VerifyFinding(.damaged, path, "it was cut to \(size) octets while it was read")
        case .failure(.read(let error)):
            return VerifyFinding(.damaged, path, "cannot be read: \(error); the disk may be failing")
        }
    }
}
