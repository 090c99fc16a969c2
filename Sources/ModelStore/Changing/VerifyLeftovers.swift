internal import HostSystem
internal import ModelCatalog

/// Finds what no version accounts for: trees without a manifest, what dead publishers left, contents that nothing uses.
struct VerifyLeftovers {
    let documents: StoredDocuments
    let snapshot: CatalogSnapshot

    private static let publicPrefix = StoreLayout.publicFolder + "/"

    /// What lies in the folder of models, down to the versions.
    func models(_ plan: inout VerifyPlan) {
        forEachName(in: PublishingFolders.modelsName, &plan) { name, plan in
            guard let model = ModelName(name) else {
                plan.find(.surplus, Self.path(PublishingFolders.modelsName, name), "no name of a model; remove it")
                return
            }
            versions(of: model, &plan)
        }
    }

    /// What lies in a model's folder beside its published versions.
    func versions(of model: ModelName, _ plan: inout VerifyPlan) {
        let folder = PublishingFolders.modelsName + "/" + model.text
        let entry = snapshot.model(model.text)
        forEachName(in: folder, &plan) { name, plan in
            let version = Version(name)
            if let version, entry?.version(version) != nil { return }
            plan.find(
                .surplus,
                Self.path(folder, name),
                "there is no manifest for it; publish or prune removes what one of them left when it was interrupted, "
                    + "anything else is yours to remove",
                version.map { .strayTree(VerifyPlan.Owner(model: model, version: $0)) } ?? .other
            )
        }
    }

    /// Manifests and records that somebody began to write. They are made with the store's lock held, so with the lock
    /// in the caller's hand nobody is writing one.
    func drafts(of model: ModelName, in store: StoreFolder, _ plan: inout VerifyPlan) {
        var names: [String] = []
        // What cannot be listed was found by the scan.
        try? store.openManifests().openFolder(model.text).forEachName { names.append($0) }
        for name in names where name.hasPrefix(".") && name.contains(StoreLayout.manifestSuffix + ".") {
            plan.find(
                .surplus,
                StoreLayout.manifestsFolder(of: model) + "/" + name,
                "an interrupted change left it; remove it"
            )
        }
    }

    /// What publishers and prunes left that are not there any more; a running one's is none of this.
    func staging(_ plan: inout VerifyPlan) {
        forEachName(in: PublishingFolders.stagingName, &plan) { name, plan in
            guard StagingLook(documents).state(of: name) == .abandoned else { return }
            plan.find(
                .surplus,
                Self.path(PublishingFolders.stagingName, name),
                "an interrupted publish or prune left it; the next one removes it",
                .staging(name: name)
            )
        }
    }

    /// Contents in the pool: a promise each, for the next release with this content takes it from there.
    func pool(_ plan: inout VerifyPlan) {
        forEachName(in: PublishingFolders.poolName, &plan) { prefix, plan in
            let folder = PublishingFolders.poolName + "/" + prefix
            forEachName(in: folder, &plan) { name, plan in
                guard let digest = ContentDigest(hex: name), name.hasPrefix(prefix) else {
                    plan.find(.surplus, Self.path(folder, name), "no name of a content; remove it")
                    return
                }
                content(digest, folder, name, &plan)
            }
        }
    }

    private func content(_ digest: ContentDigest, _ folder: String, _ name: String, _ plan: inout VerifyPlan) {
        guard let status = try? documents.openFolder(folder).status(of: name) else { return }
        guard status.kind == .regular else {
            plan.find(.surplus, Self.path(folder, name), "not a regular file; remove it")
            return
        }
        if status.links == 1 {
            plan.find(
                .surplus,
                Self.path(folder, name),
                "no version has this content any more; prune removes it",
                .pooled(folder: folder, name: name)
            )
        }
        plan.add(VerifyPlan.Promise(path: folder + "/" + name, digest: digest, owner: nil), to: status)
    }

    private func forEachName(
        in folder: String,
        _ plan: inout VerifyPlan,
        _ body: (String, inout VerifyPlan) -> Void
    ) {
        do throws(Errno) {
            for name in try documents.names(in: folder) { body(name, &plan) }
        } catch .noEntry {
            // Nothing was published yet, or it was removed meanwhile.
        } catch .notFolder {
            plan.find(.surplus, Self.publicPrefix + folder, "a file where a folder belongs; remove it")
        } catch .tooManyLinks {
            plan.find(.surplus, Self.publicPrefix + folder, "a link where a folder belongs; links are never followed")
        } catch {
            plan.find(.damaged, Self.publicPrefix + folder, "cannot be listed: \(error)")
        }
    }

    private static func path(_ folder: String, _ name: String) -> String { publicPrefix + folder + "/" + name }
}
