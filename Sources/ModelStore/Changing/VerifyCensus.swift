internal import HostSystem
internal import ModelCatalog

/// Holds the names and sizes on disk against the manifests, and lists what is to be hashed. Reads manifests and
/// folders, no published octet.
struct VerifyCensus {
    let store: StoreFolder
    let documents: StoredDocuments
    var plan = VerifyPlan()

    init(store: StoreFolder, documents: StoredDocuments) {
        self.store = store
        self.documents = documents
    }

    /// Takes in a version: its manifest, each file that it lists, and whatever else lies in its tree.
    mutating func take(_ model: ModelName, _ entry: VersionEntry) {
        let owner = VerifyPlan.Owner(model: model, version: entry.version)
        let manifest: Manifest
        switch ManifestReader(store: store).read(model, entry).result {
        case .success(let loaded): manifest = loaded.manifest
        // Pruned since its name was read.
        case .failure(.missing): return
        case .failure(let failure):
            plan.find(.brokenManifest, owner.manifestPath, "\(failure)", owner: owner)
            return
        }
        plan.versions += 1
        var listing = ReleaseListing()
        for asset in manifest.assets {
            var whole = true
            for file in asset.files {
                let path = StoreLayout.publicPath(model, entry.version, asset: asset.name, file: file.path)
                if !take(file, path, owner) { whole = false }
                listing.add(asset.name.text + "/" + file.path.text)
            }
            if whole { plan.archives.append(VerifyPlan.ArchivedAsset(owner: owner, asset: asset)) }
            if ContentDigest.sha256(Asset.digestInput(asset.files)) != asset.digest {
                plan.find(
                    .brokenManifest,
                    owner.manifestPath,
                    "the digest of \(asset.name) is not that of its list of files; \(VerifyAdvice.restoreManifest)",
                    owner: owner
                )
            }
        }
        for file in manifest.companions {
            let path = StoreLayout.publicPath(model, entry.version, companion: file.path)
            _ = take(file, path, owner)
            listing.add(file.path.text)
        }
        SurplusWalk(documents: documents, listing: listing, owner: owner).walk(&plan)
    }

    /// False where the file is not there as it should be, which is then found.
    private mutating func take(_ file: ManifestFile, _ path: String, _ owner: VerifyPlan.Owner) -> Bool {
        plan.files += 1
        do throws(OpenFailure) {
            let status = try documents.status(path, expectedSize: file.size)
            plan.add(VerifyPlan.Promise(path: path, digest: file.digest, owner: owner), to: status)
            return true
        } catch {
            let kind: VerifyFinding.Kind = error == .missing ? .missing : .damaged
            plan.find(kind, StoreLayout.publicFolder + "/" + path, VerifyAdvice.words(error), owner: owner)
            return false
        }
    }
}

/// What an operator does about a finding.
enum VerifyAdvice {
    static let restoreFile = "put the file of the build back, or withdraw the version"
    static let restoreManifest = "put the manifest of the build back, or withdraw the version"

    static func words(_ failure: OpenFailure) -> String {
        switch failure {
        case .missing: "the manifest lists it and it is not there; \(restoreFile)"
        case .wrongSize(let found): "it has \(found) octets, another size than its manifest says; \(restoreFile)"
        case .notRegular: "not a regular file; \(restoreFile)"
        case .wouldWait, .denied, .exhausted, .io: "\(failure)"
        }
    }

    static func wrongContent(_ found: ContentDigest, _ promised: ContentDigest) -> String {
        "its content is \(found), and the manifest says \(promised); \(restoreFile)"
    }
}

extension ContentDigest {
    /// SHA-256 of `bytes`.
    static func sha256(_ bytes: [UInt8]) -> ContentDigest {
        var hash = SHA256()
        hash.update(bytes)
        return ContentDigest(finishing: hash)
    }
}
