import Testing

@testable import ModelCatalog

@Suite("What a device should download")
struct ResolutionTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        var assets: [String] = ["SAM3.h18p.aimodelc", "SAM3.h16p.aimodelc", "SAM3.aimodel"]
        var minimum: String?
        /// Architectures withdrawn of the version asked for.
        var withdrawn: [String] = []
        var architecture = "h18p"
        var os: String?
        var fallback = DeviceQuestion.Fallback.portable
        /// `<asset> <reason>` for each base, or the refusal.
        let answer: [String]
        var testDescription: String { name }
    }

    @Test(
        arguments: [
            Case(name: "compiled for it", answer: ["SAM3.h18p.aimodelc compiled-for-architecture"]),
            Case(
                name: "compiled for it, and no portable one",
                assets: ["SAM3.h18p.aimodelc"],
                answer: ["SAM3.h18p.aimodelc compiled-for-architecture"]
            ),
            Case(
                name: "no variant: the portable one",
                architecture: "h99z",
                answer: ["SAM3.aimodel no-variant-for-architecture"]
            ),
            Case(
                name: "only a portable one",
                assets: ["SAM3.aimodel"],
                answer: ["SAM3.aimodel no-variant-for-architecture"]
            ),
            Case(
                name: "no variant, fallback=none: refused, and the portable one named",
                architecture: "h99z",
                fallback: .none,
                answer: ["no variant of SAM3 for h99z, available h16p h18p, portable SAM3.aimodel"]
            ),
            Case(
                name: "no variant and no portable one: refused",
                assets: ["SAM3.h18p.aimodelc", "SAM3.h16p.aimodelc"],
                architecture: "h99z",
                answer: ["no variant of SAM3 for h99z, available h16p h18p, portable none"]
            ),
            Case(
                name: "variant withdrawn: the portable one",
                withdrawn: ["h18p"],
                answer: ["SAM3.aimodel variant-withdrawn"]
            ),
            Case(
                name: "another variant withdrawn is no matter",
                withdrawn: ["h16p"],
                answer: ["SAM3.h18p.aimodelc compiled-for-architecture"]
            ),
            Case(
                name: "variant withdrawn, fallback=none: refused, and the portable one named",
                withdrawn: ["h18p"],
                fallback: .none,
                answer: ["variant h18p of SAM3 withdrawn: wrong weights, portable SAM3.aimodel"]
            ),
            Case(
                name: "variant withdrawn and no portable one: refused",
                assets: ["SAM3.h18p.aimodelc"],
                withdrawn: ["h18p"],
                answer: ["variant h18p of SAM3 withdrawn: wrong weights, portable none"]
            ),
            Case(
                name: "what is available leaves out what was withdrawn",
                withdrawn: ["h16p"],
                architecture: "h99z",
                fallback: .none,
                answer: ["no variant of SAM3 for h99z, available h18p, portable SAM3.aimodel"]
            ),
            Case(
                name: "the withdrawal of a variant that is not there is not the reason",
                withdrawn: ["h99z"],
                architecture: "h99z",
                answer: ["SAM3.aimodel no-variant-for-architecture"]
            ),
            Case(
                name: "the same with fallback=none",
                withdrawn: ["h99z"],
                architecture: "h99z",
                fallback: .none,
                answer: ["no variant of SAM3 for h99z, available h16p h18p, portable SAM3.aimodel"]
            ),
            Case(
                name: "the system is too old, whatever else",
                minimum: "27.1",
                withdrawn: ["h18p"],
                os: "27.0.9",
                answer: ["needs 27.1"]
            ),
            Case(
                name: "the system is just new enough",
                minimum: "27.1",
                os: "27.1.0",
                answer: ["SAM3.h18p.aimodelc compiled-for-architecture"]
            ),
            Case(
                name: "the system is not told",
                minimum: "27.1",
                answer: ["SAM3.h18p.aimodelc compiled-for-architecture"]
            ),
            Case(
                name: "the release asks for no system",
                os: "1",
                answer: ["SAM3.h18p.aimodelc compiled-for-architecture"]
            ),
            Case(
                name: "a pipeline: each base in order, each by itself",
                assets: [
                    "vision.aimodel", "decoder.h18p.aimodelc", "text.h18p.aimodelc", "text.aimodel", "decoder.aimodel",
                ],
                answer: [
                    "decoder.h18p.aimodelc compiled-for-architecture", "text.h18p.aimodelc compiled-for-architecture",
                    "vision.aimodel no-variant-for-architecture",
                ]
            ),
            Case(
                name: "a pipeline of which one base cannot be had is refused as a whole",
                assets: ["a.h18p.aimodelc", "b.h16p.aimodelc", "c.aimodel"],
                answer: ["no variant of b for h18p, available h16p, portable none"]
            ),
            Case(
                name: "a pipeline: what is available is that of the base",
                assets: ["a.h18p.aimodelc", "a.h16p.aimodelc", "b.h17p.aimodelc", "b.aimodel"],
                fallback: .none,
                answer: ["no variant of b for h18p, available h17p, portable b.aimodel"]
            ),
            Case(
                name: "a variant withdrawn concerns every base that has it, and no other",
                assets: ["a.h18p.aimodelc", "a.aimodel", "b.aimodel"],
                withdrawn: ["h18p"],
                answer: ["a.aimodel variant-withdrawn", "b.aimodel no-variant-for-architecture"]
            ),
        ]
    )
    func table(_ row: Case) throws {
        let manifest = try manifest(row.assets, minimum: row.minimum)
        // A withdrawal of another version must be no matter in any row.
        let others = try withdrawal("1.3.0", "h18p")
        let record = ModelRecord(
            channels: [:],
            withdrawals: try [others] + row.withdrawn.map { try withdrawal("1.4.0", $0) }
        )
        let question = DeviceQuestion(
            architecture: try architecture(row.architecture),
            os: try row.os.map { try #require(OSVersion($0)) },
            fallback: row.fallback
        )
        #expect(try answer(question, manifest: manifest, entry: entry(["1.4.0"], record: record)) == row.answer)
    }

    private func answer(_ question: DeviceQuestion, manifest: Manifest, entry: ModelEntry) -> [String] {
        do {
            let resolution = try Resolution.resolve(question, manifest: manifest, entry: entry)
            return resolution.choices.map { choice in
                #expect(choice.asset.name.base == choice.base)
                return "\(choice.asset.name) \(choice.reason.rawValue)"
            }
        } catch {
            switch error {
            case .noVariant(let base, let architecture, let available, let portable):
                let list = available.map(\.text).joined(separator: " ")
                return [
                    "no variant of \(base) for \(architecture), available \(list), portable \(portable?.name.text ?? "none")"
                ]
            case .variantWithdrawn(let withdrawal, let base, let portable):
                let variant = withdrawal.architecture?.text ?? "?"
                return [
                    "variant \(variant) of \(base) withdrawn: \(withdrawal.reason), portable \(portable?.name.text ?? "none")"
                ]
            case .requiresNewerOS(let minimum):
                return ["needs \(minimum)"]
            }
        }
    }

    @Test(
        "an update is available when another version is installed, a higher one too, or none is known",
        arguments: [(nil, true), ("1.4.0", false), ("1.3.2", true), ("1.5.0", true), ("1.4.0+b", true)]
            as [(String?, Bool)]
    )
    func update(installed: String?, expected: Bool) throws {
        let question = DeviceQuestion(architecture: try architecture("h18p"), installed: try installed.map(version))
        let resolution = try Resolution.resolve(
            question,
            manifest: manifest(["SAM3.aimodel"], companions: [file("tokenizer.json", 3)]),
            entry: entry(["1.4.0"]),
            channel: channel("stable")
        )
        #expect(resolution.updateAvailable == expected)
        #expect(resolution.model.text == "SAM3")
        #expect(resolution.version.text == "1.4.0")
        #expect(resolution.channel?.text == "stable")
        #expect(resolution.companions.map(\.path.text) == ["tokenizer.json"])
    }
}
