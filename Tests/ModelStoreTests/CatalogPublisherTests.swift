import ModelCatalog
import Testing

@testable import ModelStore

@Suite("CatalogPublisher: the snapshot that holds now")
struct CatalogPublisherTests {
    private func entry(_ name: String) throws -> ModelEntry { ModelEntry(name: try .named(name), versions: []) }

    @Test("a successor takes the place of the current snapshot, and the number follows")
    func publishes() throws {
        let publisher = CatalogPublisher()
        #expect(publisher.generation == CatalogSnapshot.empty.generation)
        #expect(publisher.publish(publisher.current().replacing([try entry("A")])))
        #expect(publisher.generation == 1)
        #expect(publisher.current().sortedNames == ["A"])
    }

    @Test("of two successors of one snapshot the second is put down: its maker looks again")
    func conflict() throws {
        let publisher = CatalogPublisher()
        let before = publisher.current()
        #expect(publisher.publish(before.replacing([try entry("A")])))
        #expect(!publisher.publish(before.replacing([try entry("B")])))
        #expect(publisher.current().sortedNames == ["A"])
    }
}
