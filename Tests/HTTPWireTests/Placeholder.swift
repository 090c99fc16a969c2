import Testing

@Test func placeholderHTTPWire() { #expect(Bool(true)) }
