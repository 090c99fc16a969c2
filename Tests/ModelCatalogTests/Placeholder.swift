import Testing

@Test func placeholderModelCatalog() { #expect(Bool(true)) }
