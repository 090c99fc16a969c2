internal import ModelCatalog
internal import ModelStore

/// Holds reports against what is published. Waits for the disk where a manifest is not held.
struct ReportCheck: Sendable {
    let snapshot: CatalogSnapshot
    let manifests: ManifestCache

    enum Failure: Error {
        /// Of this report.
        case refused(ReportRefusal)
        /// Of this host, and soon over: the whole request may be sent again.
        case exhausted
    }

    /// Only what is published can be reported on, or anyone could fill the ledger's tables with names of their own. What
    /// was withdrawn can: devices have it, and that they remove it, or that it does not load, is what is wanted to know.
    func check(_ item: ReportItem) throws(Failure) {
        guard let entry = snapshot.model(item.model) else {
            throw .refused(ReportRefusal(.unknownModel, "model", "No such model is published here."))
        }
        guard let version = Version(item.version), let published = entry.version(version) else {
            throw Self.unknownVersion
        }
        let asset = try asset(item.asset, of: published, entry)
        switch (asset.architecture, item.architecture) {
        case (let compiled?, nil):
            throw .refused(
                ReportRefusal(.missing, "architecture", "architecture is needed: the asset is for \(compiled) only.")
            )
        case (let compiled?, let said?) where compiled != said:
            throw .refused(
                ReportRefusal(.otherArchitecture, "architecture", "The asset is for \(compiled), not for \(said).")
            )
        default:
            // Any device can have the portable asset.
            return
        }
    }

    private func asset(
        _ name: String,
        of published: VersionEntry,
        _ entry: ModelEntry
    ) throws(Failure) -> Asset {
        switch manifests.load(entry.name, published) {
        case .success(let loaded):
            guard let asset = loaded.manifest.asset(named: name) else {
                throw .refused(ReportRefusal(.unknownAsset, "asset", "The version has no such asset."))
            }
            return asset
        case .failure(.missing):
            throw Self.unknownVersion
        case .failure(.exhausted):
            throw .exhausted
        case .failure:
            // Not the whole request: one manifest that stays unreadable would keep a device's other reports for ever.
            throw .refused(
                ReportRefusal(.assetDamaged, "version", "The version's manifest cannot be read on this host.")
            )
        }
    }

    private static let unknownVersion = Failure.refused(
        ReportRefusal(.unknownVersion, "version", "The model has no such version.")
    )
}
