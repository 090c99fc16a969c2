import HostService
import HostSystem
import TestSupport
import Testing

@Suite(
    "Names and paths: what is published round-trips, and nothing else is reached",
    .waits,
    .served(NameFixture.publish)
)
struct NameTests {
    @Test(
        "A name is found by its octets, whichever of them are encoded (RFC 3986 2.3, 2.4)",
        arguments: NameFixture.names.indices
    )
    func roundTrip(_ index: Int) throws {
        let octets = Array(NameFixture.names[index].utf8)
        // What a path may hold without encoding (RFC 3986 3.3), beside what has to be.
        let pathCharacters = Array("!$&'()*+,;=:@-._~".utf8)
        let spellings = [
            octets.map { NameFixture.encoded($0) }.joined(), octets.map { NameFixture.hex($0) }.joined(),
            octets.map { NameFixture.hex($0).lowercased() }.joined(),
            octets.map { pathCharacters.contains($0) ? String(UnicodeScalar($0)) : NameFixture.encoded($0) }.joined(),
        ]
        for spelling in Set(spellings) {
            let answer = try Served.get("\(NameFixture.base)/\(NameFixture.asset(index))/sub%20dir/\(spelling)")
            #expect(answer.status == 200, "\(spelling)")
            #expect(answer.body == NameFixture.content(index), "\(spelling)")
            #expect(answer["ETag"] != nil)
        }
    }

    @Test("A plus is a plus, and two normal forms are two names")
    func neighbours() throws {
        #expect(try Served.get("\(NameFixture.base)/M.aimodel/sub+dir/a+b.bin").status == 404)
        #expect(try Served.get("\(NameFixture.base)/M.aimodel/sub%20dir/a%20+b.bin").status == 404)
        let composed = try Served.get("\(NameFixture.base)/M.aimodel/sub%20dir/%C3%A9.bin")
        let decomposed = try Served.get("\(NameFixture.base)/N.aimodel/sub%20dir/e%CC%81.bin")
        #expect(composed.status == 200 && decomposed.status == 200)
        #expect(composed["ETag"] != decomposed["ETag"])
        #expect(try Served.get("\(NameFixture.base)/M.aimodel/sub%20dir/e%CC%81.bin").status == 404)
        #expect(try Served.get("\(NameFixture.base)/N.aimodel/sub%20dir/%C3%A9.bin").status == 404)
        // The version by either spelling.
        #expect(try Served.get("/models/M.odd-name_1/1.0.0+b.1/manifest.json").status == 200)
        #expect(try Served.get("/models/%4D.odd%2dname_1/1.0.0%2bb%2E1/manifest.json").status == 200)
    }

    @Test("Assets and companions of odd names")
    func oddAssets() throws {
        let accented = "Model%20%C3%A9%20%26%20%3Ci%3E"
        #expect(try Served.get("\(NameFixture.base)/\(accented).h18p.aimodelc/main.mlirb").text == "accented")
        #expect(try Served.get("\(NameFixture.base)/%D8%80.aimodel/main.mlirb").text == "joined")
        #expect(try Served.get("\(NameFixture.base)/mod%C3%A8le/a+b%20100%25.json").text == "{}")
        #expect(try Served.get("\(NameFixture.base)/a%CC%81/%CC%81b/c.txt").text == "deep")
        let resolved = try Served.get("\(NameFixture.base)/resolve?arch=h18p").json()["assets"]?.elements ?? []
        let urls = resolved.compactMap { $0["url"]?.text }
        #expect(urls.contains("\(NameFixture.base)/\(accented).h18p.aimodelc"))
        for url in urls { #expect(try Served.get(url).status == 200, "\(url)") }
        let missing = try Served.get("\(NameFixture.base)/\(accented).h17p.aimodelc/x")
        #expect(missing["AIModel-Problem"] == "no-variant-for-architecture")
    }

    @Test("Every spelling of a way out gets 400 or 404, and never an octet from outside")
    func traversal() throws {
        for target in NameFixture.traversals {
            let connection = try Served.running().connect()
            try connection.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
            let answer = try connection.response()
            #expect([400, 404].contains(answer.status), "\(target)")
            #expect(!answer.text.contains(NameFixture.secret) && !answer.text.contains("root:"), "\(target)")
            #expect(answer["AIModel-Problem"] != nil)
        }
    }

    @Test(
        "%2F never separates: 404, though the file is there with a slash",
        arguments: ["%2F", "%2f"],
        [
            "/models{}M.odd-name_1", "\(NameFixture.base){}manifest.json", "\(NameFixture.base){}M.aimodel",
            "\(NameFixture.base)/M.aimodel{}sub%20dir/k.bin",
        ]
    )
    func encodedSlash(_ slash: String, _ template: String) throws {
        #expect(try Served.get(template.replacing("{}", with: "/")).status == 200)
        let target = template.replacing("{}", with: slash)
        try expectProblem("unknown-resource", Served.get(target), at: target)
    }

    @Test(
        "Only what a manifest lists is served",
        arguments: [
            "/secret.txt", "/.git/config", "/.env", "/models/secret.txt", "/models/.git/config",
            "\(NameFixture.base)/secret.txt",
            "/models/M.odd-name_1/secret.txt", "\(NameFixture.base)/M.aimodel/secret.txt",
            "\(NameFixture.base)/M.aimodel/.DS_Store",
            "/Public/secret.txt",
            "/manifests/M.odd-name_1/1.0.0+b.1.json", "/manifests", "/models/M.odd-name_1/model.json",
            "/telemetry.sqlite",
            "/models/M.odd-name_1/1.0.0+b.1.json", "/var/telemetry.sqlite", "/var/telemetry.sqlite-wal",
            "/models/telemetry.sqlite-wal", "/models/.staging/M/x", "/models/M.odd-name_1/.staging-1.0.1/secret.txt",
            "/models/M.odd-name_1/1.0.1/secret.txt", "/models/M.odd-name_1/1.0.1", "/favicon.ico", "/robots.txt",
            "\(NameFixture.base)/M.aimodel/sub%20dir/K.bin/", "\(NameFixture.base)/M.aimodel/sub%20dir/%6B.BIN",
        ]
    )
    func unlisted(_ target: String) throws {
        let answer = try Served.get(target)
        #expect(answer.status == 404)
        #expect(!answer.text.contains(NameFixture.secret))
        try expectSameByHead(Served.running(), target)
    }
}
