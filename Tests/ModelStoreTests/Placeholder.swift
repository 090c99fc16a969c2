import Testing

@Test func placeholderModelStore() { #expect(Bool(true)) }
