import Testing

/// A request that is refused, and what the refusal says.
struct ProblemCase: Sendable, CustomTestStringConvertible {
    let says: String
    let target: String
    let code: String
    /// Members beside those that every problem has.
    let members: [String: JSON]
    /// The document's: the path as sent, where that is a URI reference.
    let instance: String

    init(
        _ says: String,
        _ target: String,
        _ code: String,
        _ members: [String: JSON] = [:],
        instance: String? = nil
    ) {
        self.says = says
        self.target = target
        self.code = code
        self.members = members
        self.instance = instance ?? String(target.prefix { $0 != "?" })
    }

    var testDescription: String { "\(code): \(says)" }

    private static let sam = "/models/Sam3/1.4.0"
    private static let samArchitectures: JSON = ["h16p", "h18p"]
    private static let samPortable: JSON = ["url": "/models/Sam3/1.4.0/Sam3.aimodel", "size": 40_464]
    private static let edgePortable: JSON = ["url": "/models/Edge/1.0.0/Edge.aimodel", "size": 200]

    static let all: [ProblemCase] = [
        ProblemCase("one letter is wrong", "/models/Sam4", "unknown-model", ["model": "Sam4", "models": ["Sam3"]]),
        ProblemCase("the case counts", "/models/SAM3/", "unknown-model", ["model": "SAM3", "models": ["Sam3"]]),
        ProblemCase("below it too", "/models/Zzzz/1.0.0/x", "unknown-model", ["model": "Zzzz", "models": []]),
        ProblemCase(
            "what is withdrawn is not offered",
            "/models/Sam3/9.9.9/manifest.json",
            "unknown-version",
            ["version": "9.9.9", "versions": ["2.0.0-beta.1", "1.4.0", "1.3.0"], "latest": "1.4.0"]
        ),
        ProblemCase("no version at all", "/models/Sam3/1.4.0%20", "unknown-version", ["version": "1.4.0 "]),
        ProblemCase(
            "latest, where all is withdrawn",
            "/models/Gone/latest",
            "unknown-version",
            ["versions": [], "latest": .null]
        ),
        ProblemCase(
            "a channel on a version that is not there",
            "/models/Sam3/lost",
            "unknown-version",
            ["version": "7.7.7"]
        ),
        ProblemCase("its resolve", "/models/Sam3/lost/resolve?arch=h18p", "unknown-version", ["version": "7.7.7"]),
        ProblemCase(
            "a name that nobody gave",
            "/models/Sam3/nightly/manifest.json",
            "unknown-channel",
            ["channel": "nightly", "channels": ["latest", "lost", "old", "stable"]]
        ),
        ProblemCase("the case counts", "/models/Sam3/Stable", "unknown-channel", ["channel": "Stable"]),
        ProblemCase("reserved", "/models/Sam3/resolve?arch=h18p", "unknown-channel", ["channel": "resolve"]),
        ProblemCase(
            "with a replacement",
            "/models/Sam3/1.2.0/manifest.json",
            "version-withdrawn",
            ["version": "1.2.0", "replacement": "1.4.0", "reason": "wrong tokenizer"]
        ),
        ProblemCase("its files too", "/models/Sam3/1.2.0/Sam3.aimodel/main.mlirb", "version-withdrawn"),
        ProblemCase("its listing too", "/models/Sam3/1.2.0", "version-withdrawn"),
        ProblemCase("resolve too", "/models/Sam3/1.2.0/resolve?arch=h18p", "version-withdrawn"),
        ProblemCase(
            "without a replacement",
            "/models/Sam3/1.1.0",
            "version-withdrawn",
            ["replacement": .null, "reason": "license"]
        ),
        ProblemCase("by a channel", "/models/Sam3/old/manifest.json", "version-withdrawn", ["replacement": "1.4.0"]),
        ProblemCase("by a channel's resolve", "/models/Sam3/old/resolve?arch=h18p", "version-withdrawn"),
        ProblemCase(
            "a file of it",
            "/models/Edge/1.0.0/Edge.h16p.aimodelc/main.mlirb",
            "variant-withdrawn",
            ["architecture": "h16p", "reason": "crashes at load", "portable": edgePortable]
        ),
        ProblemCase(
            "the asset",
            "/models/Edge/1.0.0/Edge.h16p.aimodelc",
            "variant-withdrawn",
            ["portable": edgePortable]
        ),
        ProblemCase(
            "resolve without a fallback",
            "/models/Edge/1.0.0/resolve?arch=h16p&fallback=none",
            "variant-withdrawn",
            ["architecture": "h16p", "reason": "crashes at load", "portable": edgePortable]
        ),
        ProblemCase(
            "a file of an asset that was not built",
            "\(sam)/Sam3.h17p.aimodelc/main-h17p.mlirb",
            "no-variant-for-architecture",
            ["architecture": "h17p", "availableArchitectures": samArchitectures, "portable": samPortable]
        ),
        ProblemCase("the asset", "\(sam)/Sam3.h17p.aimodelc", "no-variant-for-architecture", ["portable": samPortable]),
        ProblemCase(
            "a withdrawn architecture is not available",
            "/models/Edge/1.0.0/Edge.h17p.aimodelc",
            "no-variant-for-architecture",
            ["availableArchitectures": ["h18p"]]
        ),
        ProblemCase(
            "resolve without a fallback",
            "\(sam)/resolve?arch=h17p&fallback=none",
            "no-variant-for-architecture",
            ["architecture": "h17p", "availableArchitectures": samArchitectures, "portable": samPortable]
        ),
        ProblemCase(
            "resolve where nothing is portable",
            "/models/Only/latest/resolve?arch=h16p",
            "no-variant-for-architecture",
            ["architecture": "h16p", "availableArchitectures": ["h18p"], "portable": .null]
        ),
        ProblemCase(
            "the asset",
            "/models/Only/1.0.0/Only.aimodel",
            "no-portable-variant",
            ["availableArchitectures": ["h18p"]]
        ),
        ProblemCase("a file of it", "/models/Only/1.0.0/Only.aimodel/main.mlirb", "no-portable-variant"),
        ProblemCase(
            "an older version runs",
            "\(sam)/resolve?arch=h18p&os=26.5",
            "requires-newer-os",
            ["minDeploymentVersion": "27.0", "compatibleVersion": "1.3.0"]
        ),
        ProblemCase(
            "an older version runs but has nothing for this architecture",
            "\(sam)/resolve?arch=h18p&os=26.5&fallback=none",
            "requires-newer-os",
            ["compatibleVersion": .null]
        ),
        ProblemCase(
            "no version runs",
            "/models/Only/1.0.0/resolve?arch=h18p&os=26.5",
            "requires-newer-os",
            ["minDeploymentVersion": "27.0", "compatibleVersion": .null]
        ),
        ProblemCase(
            "another base",
            "\(sam)/Other.aimodel",
            "unknown-asset",
            ["asset": "Other.aimodel", "assets": ["Sam3.aimodel", "Sam3.h16p.aimodelc", "Sam3.h18p.aimodelc"]]
        ),
        ProblemCase(
            "another base, compiled",
            "\(sam)/Other.h18p.aimodelc/x",
            "unknown-asset",
            ["asset": "Other.h18p.aimodelc"]
        ),
        ProblemCase("no architecture", "\(sam)/Sam3.aimodelc", "unknown-asset", ["asset": "Sam3.aimodelc"]),
        ProblemCase(
            "in an asset",
            "\(sam)/Sam3.aimodel/nothing",
            "unknown-file",
            ["asset": "Sam3.aimodel", "path": "nothing"]
        ),
        ProblemCase("below a file", "\(sam)/Sam3.aimodel/main.hash/x", "unknown-file", ["path": "main.hash/x"]),
        ProblemCase("a file is no folder", "\(sam)/Sam3.aimodel/main.hash/", "unknown-file", ["path": "main.hash"]),
        ProblemCase(
            "beside the assets",
            "\(sam)/nothing.json",
            "unknown-file",
            ["asset": .null, "path": "nothing.json"]
        ),
        ProblemCase("the manifest is no folder", "\(sam)/manifest.json/", "unknown-file", ["path": "manifest.json"]),
        ProblemCase("a percent sign that encodes nothing", "\(sam)/%zz", "bad-request", instance: "\(sam)/%25zz"),
        ProblemCase("half an encoded octet", "\(sam)/a%2", "bad-request", instance: "\(sam)/a%252"),
        ProblemCase("an encoded zero", "\(sam)/metadata.json%00.txt", "bad-request"),
        ProblemCase("an encoded line feed", "\(sam)/a%0Ab", "bad-request"),
        ProblemCase("the top", "/", "unknown-resource"),
        ProblemCase("another root", "/model/Sam3", "unknown-resource"),
        ProblemCase("two slashes", "/models//Sam3", "unknown-resource"),
        ProblemCase("an encoded slash", "/models/Sam3%2F1.4.0", "unknown-resource"),
        ProblemCase("octets that are no text", "/models/%FF", "unknown-resource"),
        ProblemCase("a problem that nobody has", "/problems/unknown-problem", "unknown-resource"),
        ProblemCase("readiness has no parts", "/readyz/detail", "unknown-resource"),
    ]
}
