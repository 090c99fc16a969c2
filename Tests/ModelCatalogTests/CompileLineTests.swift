import Testing

@testable import ModelCatalog

@Suite("The line that compiles what is missing")
struct CompileLineTests {
    @Test("Without a word from the publisher the compiler is told the architecture alone")
    func bare() throws {
        let line = CompileLine(base: "SAM3", architecture: try architecture("h17p"))
        #expect(line.text == "xcrun coreai-build compile SAM3.aimodel --architecture h17p --output .")
    }

    @Test("What the publisher told the compiler, and the oldest system, are told again")
    func whole() throws {
        let line = CompileLine(
            base: "SAM3",
            architecture: try architecture("h17p"),
            facts: CompileFacts(platform: "iOS", preferredCompute: "neural-engine", expectFrequentReshapes: true),
            minimum: OSVersion("27.0")
        )
        #expect(
            "\(line)" == "xcrun coreai-build compile SAM3.aimodel --platform iOS --min-deployment-version 27.0 "
                + "--preferred-compute neural-engine --expect-frequent-reshapes --architecture h17p --output ."
        )
    }

    @Test(
        "A base of any name is one word, and never an option",
        arguments: [
            ("SAM 3", "'SAM 3.aimodel'"), ("it's", "'it'\\''s.aimodel'"), ("$(reboot)", "'$(reboot).aimodel'"),
            ("-rf", "./-rf.aimodel"), ("- x", "'./- x.aimodel'"), ("~root", "'~root.aimodel'"),
            ("a;b", "'a;b.aimodel'"),
            ("modèle", "'modèle.aimodel'"), ("a.b-c_d+e", "a.b-c_d+e.aimodel"), ("`x`", "'`x`.aimodel'"),
            ("a\\b", "'a\\b.aimodel'"), ("!x", "'!x.aimodel'"), ("*", "'*.aimodel'"),
        ]
    )
    func hostile(_ base: String, _ word: String) throws {
        let line = CompileLine(base: base, architecture: try architecture("h17p"))
        #expect(line.text == "xcrun coreai-build compile \(word) --architecture h17p --output .")
    }

    @Test("An empty word is one as well")
    func empty() {
        #expect(CompileLine.quoted(forShell: "") == "''")
    }

    @Test("The compiled assets of the same base say how, as far as they agree")
    func siblings() throws {
        let manifest = try Manifest(
            model: try model("Pair"),
            version: try version("1.0.0"),
            createdAt: try #require(Instant("2026-12-01T09:30:00Z")),
            minDeploymentVersion: OSVersion("26.4"),
            assets: [
                try asset("Text.aimodel"),
                try asset("Text.h16p.aimodelc", compile: CompileFacts(platform: "iOS", preferredCompute: "gpu")),
                try asset(
                    "Text.h18p.aimodelc",
                    compile: CompileFacts(platform: "iOS", preferredCompute: "neural-engine")
                ),
                try asset("Only.h18p.aimodelc", compile: CompileFacts(platform: "macOS")),
                try asset("Vision.aimodel"),
            ]
        )
        let wanted = try architecture("h17p")
        #expect(
            CompileLine(base: "Text", architecture: wanted, of: manifest)?.text
                == "xcrun coreai-build compile Text.aimodel --platform iOS --min-deployment-version 26.4 "
                + "--architecture h17p --output ."
        )
        #expect(
            CompileLine(base: "Vision", architecture: wanted, of: manifest)?.text
                == "xcrun coreai-build compile Vision.aimodel --min-deployment-version 26.4 --architecture h17p --output ."
        )
        // Nothing to compile from.
        #expect(CompileLine(base: "Only", architecture: wanted, of: manifest) == nil)
        #expect(CompileLine(base: "None", architecture: wanted, of: manifest) == nil)
    }
}
