import HostService
import TestSupport
import Testing

@Suite("Listings of odd names", .waits, .served(NameFixture.publish))
struct OddListingTests {
    @Test("A name is text and nothing else: no markup of it reaches the page")
    func escaping() throws {
        let base = NameFixture.base
        let top = try Served.get("\(base)/").text
        #expect(top.contains(">Model é &amp; &lt;i&gt;.h18p.aimodelc/</a>"))
        #expect(!top.contains("<i>"))
        let accented = try Served.get("\(base)/Model%20%C3%A9%20%26%20%3Ci%3E.h18p.aimodelc/").text
        #expect(accented.contains("<title>M.odd-name_1 1.0.0+b.1 / Model é &amp; &lt;i&gt;.h18p.aimodelc</title>"))
        #expect(!accented.contains("<i>"))
        let folder = try Served.get("\(base)/M.aimodel/sub%20dir/").text
        for text in ["&lt;b&gt;bold.bin", "&#39;single&#39;.bin", "&quot;double&quot;.bin", "a&amp;b=c.bin"] {
            #expect(folder.contains(">\(text)</a>"), "\(text)")
        }
        #expect(!folder.contains("<b>"))
    }

    @Test("Every link leads to its file, whatever its name")
    func links() throws {
        let connection = try Served.running().connect()
        var found: [[UInt8]] = []
        for asset in ["M.aimodel", "N.aimodel"] {
            let page = try connection.request("GET", "\(NameFixture.base)/\(asset)/sub%20dir/")
            for link in page.links.dropFirst() {
                let answer = try connection.request("GET", link)
                #expect(answer.status == 200, "\(link)")
                found.append(answer.body)
            }
        }
        #expect(Set(found) == Set(NameFixture.names.indices.map { NameFixture.content($0) }))
        let json = try connection.request("GET", "\(NameFixture.base)/M.aimodel/sub%20dir").json()
        for entry in json["entries"]?.elements ?? [] {
            let answer = try connection.request("GET", try #require(entry["url"]?.text))
            #expect(entry["size"] == .int(Int64(answer.body.count)))
        }
    }

    @Test("A folder whose name begins with a combining mark leads up to the one above")
    func combiningParent() throws {
        let page = try Served.get("\(NameFixture.base)/a%CC%81/%CC%81b/").text
        #expect(page.contains("<a href=\"\(NameFixture.base)/a%CC%81/\">../</a>"))
    }
}
