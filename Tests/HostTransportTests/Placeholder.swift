import Testing

@Test func placeholderHostTransport() { #expect(Bool(true)) }
