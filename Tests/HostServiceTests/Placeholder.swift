import Testing

@Test func placeholderHostService() { #expect(Bool(true)) }
