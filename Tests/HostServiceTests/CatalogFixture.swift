import ModelCatalog
import TestSupport

/// A catalog with something of every kind that can be asked for and refused.
enum CatalogFixture {
    static let createdAt = RangeCase.createdAt

    /// - Sam3: 2.0.0-beta.1; 1.4.0 for h16p, h18p and portable, from system 27.0 on; 1.3.0 for 26.0; 1.2.0 withdrawn
    ///   for 1.4.0, 1.1.0 for nothing. Channels stable (1.4.0), old (1.2.0), lost (7.7.7, not published).
    /// - Edge: 1.0.0, its h16p variant withdrawn.
    /// - Only: 1.0.0, for h18p alone, from system 27.0 on.
    /// - Pair: 1.0.0, two bases: Text for h18p and portable, Vision for h16p and portable.
    /// - Gone: 1.0.0, withdrawn.
    @Sendable static func publish(_ store: ReleaseStore) throws {
        var sam = ReleaseFixture.standard()
        sam.createdAt = createdAt
        try store.publish(sam)
        try store.publish(release("Sam3", "2.0.0-beta.1", ["Sam3.aimodel"]))
        try store.publish(release("Sam3", "1.3.0", ["Sam3.aimodel"], from: "26.0"))
        try store.publish(release("Sam3", "1.2.0", ["Sam3.aimodel"]))
        try store.publish(release("Sam3", "1.1.0", ["Sam3.aimodel"]))
        try store.writeRecord(
            model: "Sam3",
            channels: ["stable": "1.4.0", "old": "1.2.0", "lost": "7.7.7"],
            withdrawals: [
                withdrawal("1.2.0", nil, "wrong tokenizer", "1.4.0"), withdrawal("1.1.0", nil, "license", nil),
            ].compactMap { $0 }
        )
        try store.publish(release("Edge", "1.0.0", ["Edge.aimodel", "Edge.h16p.aimodelc", "Edge.h18p.aimodelc"]))
        try store.writeRecord(
            model: "Edge",
            withdrawals: [withdrawal("1.0.0", "h16p", "crashes at load", nil)].compactMap { $0 }
        )
        try store.publish(release("Only", "1.0.0", ["Only.h18p.aimodelc"], from: "27.0"))
        try store.publish(
            release(
                "Pair",
                "1.0.0",
                ["Text.aimodel", "Text.h18p.aimodelc", "Vision.aimodel", "Vision.h16p.aimodelc"]
            )
        )
        try store.publish(release("Gone", "1.0.0", ["Gone.aimodel"]))
        try store.writeRecord(model: "Gone", withdrawals: [withdrawal("1.0.0", nil, "recalled", nil)].compactMap { $0 })
    }

    /// A release whose assets hold one file each.
    static func release(
        _ model: String,
        _ version: String,
        _ assets: [String],
        from minDeploymentVersion: String? = nil,
        seed: UInt64 = 1
    ) -> ReleaseFixture {
        ReleaseFixture(
            model: model,
            version: version,
            assets: Dictionary(uniqueKeysWithValues: assets.map { ($0, ["main.mlirb": .pattern(200, seed: seed)]) }),
            createdAt: createdAt,
            minDeploymentVersion: minDeploymentVersion
        )
    }

    static func withdrawal(
        _ version: String,
        _ architecture: String?,
        _ reason: String,
        _ replacement: String?
    ) -> Withdrawal? {
        Version(version).map {
            Withdrawal(
                version: $0,
                architecture: architecture.flatMap { Architecture($0) },
                reason: reason,
                replacement: replacement.flatMap { Version($0) },
                at: createdAt
            )
        }
    }
}
